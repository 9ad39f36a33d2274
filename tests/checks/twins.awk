# Holds each Chinese text to its English twin, and to its own typography. Run in the C locale, where a character of
# Chinese is three bytes:  LC_ALL=C awk -v seen=docs/zh-CN.seen -f tests/checks/twins.awk A.md A.zh-CN.md B.md ...
#
# Equal are, section by section: the level of the heading; fenced blocks, to the letter and in order; pictures; links, but
# for their language; numbers in tables; inline code. A fault is named with file and line of both.
# `seen` holds a digest of each English section as it was when the Chinese one was last brought up to date. What has
# changed since is named; with -v strict=1 that is a fault, too. With -v show=digests or -v show=han only the digests
# are printed, or each line's Chinese characters.

BEGIN {
    for (i = 1; i < 256; i++) ord[sprintf("%c", i)] = i
    while ((getline line < seen) > 0) { split(line, field, "\t"); recorded[field[1], field[2]] = field[3] }
    han = "[\344-\351][\200-\277][\200-\277]"
    stop = "(\357\274\214|\343\200\202|\357\274\233|\357\274\232|\343\200\201|\357\274\237|\357\274\201)"
    full = "(\357\274\214|\343\200\202|\357\274\233|\357\274\232|\343\200\201|\357\274\210|\357\274\211|\357\274\237|\357\274\201)"
    while ((getline line < "tests/checks/leftovers.txt") > 0) if (line != "") leftover[line]
}

FNR == 1 {
    if (chinese) compare_pair()
    chinese = FILENAME ~ /\.zh-CN\.md$/
    if (!chinese) english = FILENAME
    side = chinese ? "c" : "e"
    name[side] = FILENAME
    section = fence = 0; begun = ""
    begin_section(1, 0)
}

/^```/ && fence { add("block", text "\n" $0, start); fence = 0; digest($0); next }
/^```/ { fence = 1; start = FNR; text = $0; digest($0); next }
fence { text = text "\n" $0; digest($0); next }
/^#+ / { begin_section(FNR, index($0, " ") - 1) }
{ digest($0); items($0); if (chinese) typography($0) }

END { compare_pair(); if (!show) printf "%d pairs of texts, %d faults, %d sections to bring up to date\n", pairs, faults, older
      if (faults || strict && older) exit 1 }

function begin_section(line, deep) {
    section++
    sections[side] = section; level[side, section] = deep; line_of[side, section] = line; sum[side, section] = 0
    for (kind in kinds) count[side, section, kind] = 0
}

function digest(line,    i) {
    for (i = 1; i <= length(line); i++)
        sum[side, section] = (sum[side, section] * 31 + ord[substr(line, i, 1)]) % 2147483647
    sum[side, section] = (sum[side, section] * 31 + 10) % 2147483647
}

function add(kind, what, line,    n) {
    kinds[kind]
    n = ++count[side, section, kind]
    item[side, section, kind, n] = what
    at[side, section, kind, n] = line
}

function items(line,    rest, what) {
    if (begun) sub(/^ +/, "", line)
    for (rest = line == "" ? "" : begun line; match(rest, /`[^`]+`/); rest = substr(rest, RSTART + RLENGTH))
        add("code", substr(rest, RSTART, RLENGTH), FNR)
    begun = (match(rest, /`/) ? substr(rest, RSTART) " " : "") # code that goes on in the next line
    for (rest = line; match(rest, /!?\[[^]]*\]\([^)]*\)/); rest = substr(rest, RSTART + RLENGTH)) {
        what = substr(rest, RSTART, RLENGTH)
        if (what ~ /^\[(English|\344\270\255\346\226\207)\]/) { leads[FILENAME]; continue } # to the other language
        sub(/^.*\]\(/, "", what); sub(/\)$/, "", what)
        if (chinese) language(what)
        sub(/\.zh-CN\.md/, ".md", what); sub(/#.*/, "#", what)
        add(substr(rest, RSTART, 1) == "!" ? "picture" : "link", what, FNR)
    }
    if (line !~ /^\|/) return
    gsub(/`[^`]*`|\]\([^)]*\)/, " ", line)
    for (rest = line; match(rest, /[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/); rest = substr(rest, RSTART + RLENGTH))
        add("number", substr(rest, RSTART, RLENGTH), FNR)
}

# a Chinese text leads to Chinese texts where there are any
function language(path,    folder, twin) {
    folder = FILENAME; sub(/[^\/]*$/, "", folder)
    sub(/#.*/, "", path)
    if (path ~ /^https?:/ || path !~ /\.md$/) return
    twin = path
    if (path !~ /\.zh-CN\.md$/) sub(/\.md$/, ".zh-CN.md", twin)
    if ((twin == path) != there(folder twin))
        fault(FILENAME, FNR, twin == path ? "there is no " folder path : "this leads to " path ", and there is " twin)
}
function there(file,    line, found) { found = (getline line < file) >= 0; close(file); return found }

function fault(where, line, what) { printf "%s:%d: %s\n", where, line, what; faults++ }

function compare_pair(    s, kind, key) {
    if (show == "digests") for (s = 1; s <= sections["e"]; s++) printf "%s\t%d\t%d\n", name["e"], s, sum["e", s]
    if (show) return
    pairs++
    for (s in name) if (!(name[s] in leads)) fault(name[s], 1, "no line leads to the other language")
    if (sections["e"] != sections["c"])
        fault(name["c"], line_of["c", sections["c"]], sections["c"] - 1 " headings, and " name["e"] " has " sections["e"] - 1)
    for (s = 1; s <= sections["e"] && s <= sections["c"]; s++) {
        key = name["e"] SUBSEP s
        if (level["e", s] != level["c", s]) {
            fault(name["c"], line_of["c", s], "a heading of level " level["c", s] ", and " name["e"] ":" line_of["e", s] \
                " is of level " level["e", s])
            return
        }
        for (kind in kinds) {
            if (kind == "block") { in_order(s); continue }
            as_often(s, kind, "e", "c")
            as_often(s, kind, "c", "e")
        }
        if (recorded[key] != sum["e", s]) {
            printf "%s:%d: older than %s:%d, which has changed since\n", name["c"], line_of["c", s], name["e"], line_of["e", s]
            older++
        }
    }
}

function in_order(s,    n) {
    for (n = 1; n <= count["e", s, "block"] || n <= count["c", s, "block"]; n++)
        if (item["e", s, "block", n] != item["c", s, "block", n] || n > count["e", s, "block"] || n > count["c", s, "block"]) {
            fault(name["c"], n <= count["c", s, "block"] ? at["c", s, "block", n] : line_of["c", s], "this block is not that of " \
                name["e"] ":" (n <= count["e", s, "block"] ? at["e", s, "block", n] : line_of["e", s]))
            return
        }
}

# what stands in a's section oftener than in b's
function as_often(s, kind, a, b,    n, many, what) {
    for (n in spare) delete spare[n]
    for (n = 1; n <= count[b, s, kind]; n++) spare[item[b, s, kind, n]]++
    for (n = 1; n <= count[a, s, kind]; n++) {
        what = item[a, s, kind, n]
        if (spare[what]-- > 0) continue
        fault(name[a], at[a, s, kind, n], "the " kind " " what " is not in the same section of " name[b] ", line " line_of[b, s])
    }
}

# ---- Chinese typography ----

function typography(line,    bare, word, rest) {
    if (show == "han") for (rest = line; match(rest, han); rest = substr(rest, RSTART + 3))
        printf "%s:%d: %s\n", FILENAME, FNR, substr(rest, RSTART, 3)
    if (show) return
    for (word in leftover) if (index(line, word)) fault(FILENAME, FNR, "'" word "' is translated, not written")
    gsub(/\]\([^)]*\)/, "]", line)
    gsub(/<[^>]*>/, "", line)
    gsub(/\*\*/, "", line)
    bare = line
    gsub(/`[^`]*`/, "`", bare)
    if (bare ~ han "[A-Za-z0-9`]" || bare ~ "[A-Za-z0-9`]" han) fault(FILENAME, FNR, "no space between Chinese and Latin: " line)
    if (bare ~ han "[,;:?!()]" || bare ~ "[,;:?!()]" han || bare ~ han "\\.( |$)") fault(FILENAME, FNR, "ASCII punctuation beside Chinese: " line)
    if (bare ~ stop stop) fault(FILENAME, FNR, "doubled punctuation: " line)
    if (bare ~ full " [^|]" || bare ~ "[^|] " full) fault(FILENAME, FNR, "a space beside full-width punctuation: " line)
    gsub(/[\200-\277]/, "", line) # the first byte of each character is left
    if (line !~ /^\|/ && length(line) + gsub(/[\344-\351\357\343]/, "", line) > 126) fault(FILENAME, FNR, "a line of more than 126 columns")
}
