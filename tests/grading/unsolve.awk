# Takes out of an exercise the lines that are the solution of an earlier one, and puts a gap in their place.
#
#     awk -f tests/grading/unsolve.awk -v exercise=1 -v path=FILE EARLIER_VERSION EARLIER_EXERCISE FILE
#
# A line is part of the solution if it stands in the version and not in its exercise. With lesson=1, FILE is a text, and
# blocks of C with such a line are left out.

function bare(line) {
    sub(/ *\/\*.*\*\/ *$/, "", line)
    gsub(/^ +| +$/, "", line)
    return line
}

FNR == 1 { file++ }
function body(line) { line = bare(line); sub(/^for \([^)]*\) */, "", line); return line } # of a loop on one line

file == 1 { in_version[bare($0)] = in_version[body($0)] = 1; next }
file == 2 {
    delete in_version[bare($0)]
    delete in_version[body($0)]
    if ($0 ~ /^static .*\(/) { name = $0; sub(/\(.*/, "", name); sub(/.* \**/, "", name) }
    if ($0 ~ /^    \(void\)/) stub[name] = stub[name] $0 "\n"
    next
}
{ text[++count] = $0 }

# the head of a loop alone is nobody's solution: what stands in it decides
function solves(i) {
    if (!(bare(text[i]) in in_version) || text[i] ~ /^[^ ]/) return 0
    if (text[i] ~ /^ *for \([^;]*;[^;]*;[^)]*\) *[{]? *$/) return i < count && solves(i + 1)
    return length(bare(text[i])) >= 20
}

# a line of a text, its quotations of such code left out
function unquoted(line,    out, code) {
    while (match(line, /`[^`]+`/)) {
        code = substr(line, RSTART + 1, RLENGTH - 2)
        out = out substr(line, 1, RSTART - 1) (length(code) >= 8 && bare(code) in in_version ? "..." : "`" code "`")
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

function braces(line,    opened, closed) {
    opened = gsub(/[{]/, "{", line); closed = gsub(/[}]/, "}", line)
    return opened - closed
}

# the last line of what begins at i: as long as a brace is open, or one more such line is near
function last_line(i,    depth, end, k) {
    for (k = end = i; k <= count && text[k] !~ /^[^ ]/ && text[k] !~ /Your lines/; k++) {
        depth += braces(text[k])
        if (depth < 0) break
        if (depth == 0 && (solves(k) || text[k] ~ /^ *}$/)) end = k
        if (depth == 0 && !solves(k) && !solves(k + 1) && k > end + 1) break
        if (depth > 0) end = k
    }
    return end
}

# (void)name for every static function that lines i to end call: nothing is left unused
function called(i, end,    k, n, line, list) {
    for (k = i; k <= end; k++)
        for (n in is_static)
            if (index(text[k], n "(") && !(n in seen)) { seen[n] = 1; list = list (list ? ", " : "") "(void)" n }
    return list ? "    " list ";\n" : ""
}

END {
    for (i = 1; i <= count; i++) {
        if (text[i] ~ /^static .*\(/) {
            name = text[i]; sub(/\(.*/, "", name); sub(/.* \**/, "", name)
            is_static[name] = 1
        }
        if (lesson && text[i] ~ /^```/) {
            found = 0
            for (end = i + 1; end <= count && text[end] !~ /^```/; end++) found = found || solves(end)
            if (found && text[i] ~ /^```(c|diff|cuda)?( |$)/) {
                print path ~ /zh-CN/ ? "（这里略去几行：正是练习。）" \
                    : "(Some lines are left out here: they are the exercise.)"
                i = end
                continue
            }
            for (; i < end; i++) print text[i]
        }
        if (text[i] ~ /\/\* Your lines/) inside = 1
        if (text[i] ~ /End of your lines/) inside = 0
        if (lesson) text[i] = unquoted(text[i])
        if (lesson || inside || !solves(i)) { print text[i]; continue }
        end = last_line(i)
        printf "    /* Your lines of exercise %s: copy what you wrote there. Take the next line out. */\n", exercise
        printf "%s    /* End of your lines */\n", name in stub && text[end + 1] ~ /^}/ ? stub[name] : called(i, end)
        i = end
    }
}
