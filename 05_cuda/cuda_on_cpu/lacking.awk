# Reads what the compiler said; if it stumbled over names of CUDA, says so in a sentence each. Exit status 1 if it did
# not. Both compilers quote the name: 'cudaFoo' was not declared; use of undeclared identifier 'cudaFoo'; ...
/ required from / { split($0, from, ":") }
/error.*is not part of the emulation/ {
    split($0, at, ":")
    if (1 in from) { at[1] = from[1]; at[2] = from[2] }
    sub(/.*static assertion failed( due to requirement [^:]*)?: */, "")
    sub(/.*static_assert failed( due to requirement '[^']*')? */, "")
    gsub(/"/, "")
    if (!said[$0]++) printf "%s:%s: %s\n", at[1], at[2], $0
}
/error/ && /declared|declaration|does not name|unknown type|not a member|no member|undeclared|not been declared/ {
    name = "'(cooperative_groups::)?(cuda[A-Z]|cu[A-Z]|__|atomic|make_|nvcuda|wmma|tex|surf|" \
           "cu(blas|rand|fft|sparse|solver)|CU[A-Z]+_)[A-Za-z0-9_]*"
    if (!match($0, name)) next
    name = substr($0, RSTART + 1, RLENGTH - 1)
    split($0, at, ":")
    if (!said[name]++) printf "%s:%s: %s is not part of the emulation\n", at[1], at[2], name
}
END { exit !length(said) }
