# Holds the glossary to the lessons:  awk -f tests/checks/glossary.awk docs/glossary.md 0*/README.md
#
# A lesson sets a term in *stars* or **bold** where it defines it (a few words, no full stop). Each is a term of the
# glossary, in the singular or the plural. So is each word set as `code`, unless it is a word of the sources so far.
# Prints a line for each that is not; the exit status is 1 if there was any.

function plain(term) { term = tolower(term); gsub(/^-|-$/, "", term); return term }
function is_known(term) {
    term = plain(term)
    if (term in terms) return 1
    return sub(/(es|s|ed)$/, "", term) && (term in terms || term "e" in terms)
}
function missing(term) { printf "%s:%d: '%s' is not in the glossary\n", FILENAME, FNR, term; faults++ }

# the words of the sources beside a lesson; those of the lessons before stay known
function read_sources(folder,    list, file, line, n, word, i) {
    list = "ls " folder "*.[ch] " folder "*.cu " folder "exercise/*.[ch] 2>/dev/null"
    while ((list | getline file) > 0) {
        while ((getline line <file) > 0) {
            n = split(line, word, /[^A-Za-z_]+/)
            for (i = 1; i <= n; i++) words[word[i]] = 1
        }
        close(file)
    }
    close(list)
}

FNR == 1 { lesson++; fence = 0 }
FNR == 1 && lesson > 1 { folder = FILENAME; sub(/[^\/]*$/, "", folder); read_sources(folder) }
lesson == 1 {
    if (split($0, cell, "|") < 3) next
    n = split(cell[2], name, ",")
    for (i = 1; i <= n; i++) { gsub(/^ +| +$/, "", name[i]); terms[plain(name[i])] = 1 }
    next
}
/^```/ { fence = !fence }
fence { next }
{
    rest = $0
    while (match(rest, /`[^`]+`/)) {
        term = substr(rest, RSTART + 1, RLENGTH - 2)
        if (term ~ /^-?[a-z][a-z-]*$/) {
            checked++
            if (!(term in words) && !is_known(term)) missing(term)
        }
        rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
    }
    while (match(rest, /\*\*?[A-Za-z][A-Za-z -]*\*\*?/)) {
        term = substr(rest, RSTART, RLENGTH); gsub(/\*/, "", term)
        if (split(term, word, " ") <= 3) { checked++; if (!is_known(term)) missing(term) }
        rest = substr(rest, RSTART + RLENGTH)
    }
}
END {
    printf "glossary: %d terms of the lessons looked up, %d not found\n", checked, faults
    exit !checked || faults > 0
}
