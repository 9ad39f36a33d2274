# The targets of the Makefile and its parts: `target: ...  ## group: what it does`.
#
#     awk -f tests/tools/targets.awk Makefile ...                    the list, in groups
#     awk -v asked=NAME -f tests/tools/targets.awk Makefile ...      "; the nearest is NAME", if one is near

/^[a-z][a-z0-9-]*%?:.*## / {
    target = $0; sub(/:.*/, "", target); sub(/%/, "N", target)
    text = $0; sub(/.*## /, "", text)
    group = text; sub(/:.*/, "", group); sub(/[^:]*: /, "", text)
    listed[group] = listed[group] sprintf("  make %-17s %s\n", target, text)
    for (n = 0; n < 6; n++) { name = target; if (sub(/-N$/, "-" n, name) || !n) known[name] }
}

$1 == ".PHONY:" { for (i = 2; i <= NF; i++) if ($i ~ /^[a-z]/) phony[$i] }

function min(a, b) { return a < b ? a : b }

# how many letters must be put in, taken out or changed to make b of a (Levenshtein)
function distance(a, b,    i, j, row, above, corner) {
    for (j = 0; j <= length(b); j++) row[j] = j
    for (i = 1; i <= length(a); i++) {
        corner = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
            above = row[j]
            row[j] = min(min(above, row[j - 1]) + 1, corner + (substr(a, i, 1) != substr(b, j, 1)))
            corner = above
        }
    }
    return row[length(b)]
}

END {
    if (asked) {
        best = 4
        for (name in known) {
            d = distance(asked, name)
            if (d < best || d == best && name < nearest) { best = d; nearest = name }
        }
        if (best < 4) printf "; the nearest is %s", nearest
        exit
    }
    groups = split("learn:look:write it yourself:teach:check:measure", order, ":")
    for (i = 1; i <= groups; i++)
        if (order[i] in listed) printf("%s%s\n%s", (i > 1 ? "\n" : ""), order[i], listed[order[i]])
    for (name in phony) { # exercise-4-ring is one of exercise-N
        any = name
        sub(/-[0-9].*/, "-0", any)
        if (!(name in known) && !(any in known) && name != "summary" && name != "FORCE") printf("\nnot listed: %s\n", name)
    }
}
