# Holds the texts to what they show:  make test-lessons  (awk -f tests/checks/lessons.awk FILE.md ..., from the top level)
#
#   ```console                       every line "$ COMMAND" is run from the top level, and the lines after it are its
#                                    output to the letter; a line "..." stands for any number of lines left out
#   ```console machine               the same, but any number may stand where a number stands
#   ```console machine=WORD          the same, in lines that hold WORD
#   ```console recorded=FILE         not run: found in FILE, which holds a recorded run and begins with the command
#   ```c                             these lines stand in a .c or .h file of the text's folder, one after the other
#                                    (a text outside the numbered folders may quote any of them)
#   `inline code that ends in ;`     stands in such a file too
#   [link](path), ![figure](path)    the path exists, seen from the text's folder
#   "faster than PyTorch"            the sentence names shapes of docs/data/peers.csv, and there it is so
#
# Prints one line for each fault, with file and line; the exit status is 1 if there was any. Takes some seconds.

BEGIN { read_peers() }

FNR == 1 { end_of_file(); folder = FILENAME; sub(/[^\/]*$/, "", folder); sources = ""; texts++ }

/^```/ || /^$/ { claims() }
/^```/ && fence { fence = 0; finish(); next }
/^```/ { fence = 1; kind = $1; mark = $2; start = FNR; count = 0; next }
fence { block[++count] = $0; next }
{ quotes($0); links($0); paragraph = paragraph " " $0 }

END {
    end_of_file()
    if (no_ring) printf "without MPI: %d commands of the ring are left out\n", no_ring
    if (gone) printf "without a C++ compiler: %d commands of version 5 are left out\n", gone
    printf "%d texts: %d commands run, %d recorded, %d quotations, %d links; %d faults\n",
        texts, commands, recorded, quotations, followed, faults
    if (commands == 0 || faults) exit 1
}

function fault(line, what) { printf "%s:%d: %s\n", name, line, what; faults++ }

function end_of_file() {
    claims()
    if (fence) fault(start, "this block has no end")
    fence = 0
    name = FILENAME
}

function finish() {
    if (kind == "```c") quote_block()
    else if (kind == "```console" && mark ~ /^recorded=/) record(substr(mark, 10))
    else if (kind == "```console" && (mark == "" || mark ~ /^machine(=|$)/)) console()
    else if (kind == "```console") fault(start, "unknown mark '" mark "'")
}

# ---- console blocks ----

function console(    i, from) {
    if (block[1] !~ /^\$ /) fault(start, "a console block begins with '$ COMMAND'")
    for (i = 1; i <= count; i = from) {
        for (from = i + 1; from <= count && block[from] !~ /^\$ /;) from++
        run(substr(block[i], 3))
        if (!left_out(substr(block[i], 3))) compare(i + 1, from - 1, "of '" substr(block[i], 3) "'")
    }
}

# Without a C++ compiler there is no version 5: what it prints is left out, and said.
function left_out(command) { return without_5 && command ~ /05_cuda|-5/ || without_ring && command ~ /make (-s )?ring/ }

function run(command,    line, pipe) {
    if (left_out(command)) { command ~ /ring/ ? no_ring++ : gone++; return }
    commands++
    pipe = "{ " command "\n} 2>&1; echo \"status $?\""
    for (lines = 0; (pipe | getline line) > 0;) output[++lines] = line
    close(pipe)
    if (output[lines] != "status 0") fault(start, "'" command "' ended with " output[lines])
    lines--
}

function record(file,    line) {
    recorded++
    for (lines = 0; (getline line < file) > 0;) output[++lines] = line
    if (close(file) != 0 || lines == 0) fault(start, file " cannot be read")
    compare(1, count, "in " file)
}

# block[first .. last] against output[1 .. lines]
function compare(first, last, where,    i, j, gap) {
    j = 1
    for (i = first; i <= last; i++) {
        if (without_5 && block[i] ~ /^cuda /) continue
        if (block[i] == "...") { gap = 1; continue }
        if (gap) j = likeliest(i, last, j)
        gap = 0
        if (j > lines) { fault(start + i, "not in the output " where ": " block[i]); return }
        if (!same(block[i], output[j])) {
            fault(start + i, "the output " where " is\n    " output[j] "\n  and the text says\n    " block[i])
            return
        }
        j++
    }
    if (!gap && j <= lines) fault(start + last, "the output " where " goes on: " output[j])
}

# where from j on most lines from block[i] up to the next gap agree with the output
function likeliest(i, last, j,    k, most, place) {
    for (; j <= lines; j++) {
        for (k = 0; i + k <= last && block[i + k] != "..." && j + k <= lines && same(block[i + k], output[j + k]);) k++
        if (k > most) { most = k; place = j }
    }
    return most ? place : lines + 1
}

# the place of an empty word is 1 to some awks and 0 to others, so it is not asked for
function same(a, b,    word) {
    word = substr(mark, 9)
    return a == b || mark ~ /^machine/ && (word == "" || index(a, word)) && form(a) == form(b)
}

function form(text) {
    gsub(/[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "#", text)
    gsub(/ +/, " ", text)
    return text
}

# ---- claims: of the paragraph that ends here ----

function claims(    count, sentence, i, engine, shape, named) {
    count = paragraph ~ /faster +than/ ? split(paragraph, sentence, /[.:;] /) : 0
    for (i = 1; i <= count; i++) for (engine in engines) if (sentence[i] ~ "faster +than.*" engine) {
        named = 0
        for (shape in shapes) if (index(sentence[i], shape)) {
            named++
            if (ratio[engine, shape] > 1) continue
            fault(FNR, "on " shape " " engine "'s time is " ratio[engine, shape] " of ours")
        }
        if (!named) fault(FNR, "faster than " engine " on which shape of docs/data/peers.csv?")
    }
    paragraph = ""
}

# the smallest time of each engine over ours, by shape
function read_peers(    line, field, key) {
    while ((getline line <"docs/data/peers.csv") > 0) {
        split(line, field, ",")
        if (field[1] !~ /^[0-9]/) continue
        key = field[4] SUBSEP field[2]
        if (!(key in ratio) || field[7] < ratio[key]) ratio[key] = field[7] + 0
        engines[field[4]]; shapes[field[2]]
    }
}

# ---- quotations and links ----

function source(    line, pipe, quoted) {
    if (sources != "") return sources
    quoted = folder ~ /^0/ ? folder : "0*/"
    pipe = "cat " quoted "*.c " quoted "*.cu " quoted "*.h 2>/dev/null"
    for (sources = "\n"; (pipe | getline line) > 0;) sources = sources line "\n"
    close(pipe)
    return sources
}

function quote_block(    i, text) {
    quotations++
    for (i = 1; i <= count; i++) text = text block[i] "\n"
    if (!index(source(), "\n" text)) fault(start, "this code does not stand in " folder)
}

function quotes(line,    code) {
    while (match(line, /`[^`]*;`/)) {
        code = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        quotations++
        if (!index(source(), code)) fault(FNR, "'" code "' does not stand in " folder)
    }
}

function links(line,    path) {
    while (match(line, /\]\([^)]*\)/)) {
        path = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (path ~ /^(https?:|#)/) continue
        sub(/#.*/, "", path)
        followed++
        if (system("test -e '" folder path "'")) fault(FNR, "there is no " folder path)
    }
}
