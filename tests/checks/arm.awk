# The first loop of a disassembly with 16 fmla, each four sums: the loop, and how many instructions it has. None may
# touch the stack.
{ at[$1] = NR; text[NR] = $0 }
$2 ~ /^b[.]|^cbn?z/ && !found && match($0, /[0-9a-f]+ </) {
    start = at[substr($0, RSTART, RLENGTH - 2) ":"]
    n = spills = 0
    for (i = start; start && i <= NR; i++) { n += text[i] ~ /\tfmla\t/; spills += text[i] ~ /\[sp/ }
    if (n == 16) { found = NR - start + 1; bad = spills; for (i = start; i <= NR; i++) print text[i] }
}
END { print found + 0 " instructions for 16 vector multiply-adds, " bad + 0 " on the stack"; exit !found || bad }
