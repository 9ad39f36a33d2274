# Puts the pages together in build/web:  awk -v scripts='wasi.js stage-0.wasm.js ...' -f pages.awk SOURCES
#
# SOURCES names the sources of all pages in the order of reading. A text's fragment (page.lua) lies in build/pages; a
# source file is coloured here, a span a line. Ends with status 1 if a part has no place, or a twin has other parts.

{ source[++count] = $0; known[$0] }

END {
    split(scripts, one, " ")
    for (k in one) script[one[k]]
    template = read("docs/web/page.html")
    for (k = 1; k <= count; k++) if (is_text(source[k])) load_text(source[k])
    for (k = 1; k <= count; k++) write_page(source[k], k)
    while (("ls docs/web/parts" | getline name) > 0)
        if (sub(/\.html$/, "", name) && name !~ /\.zh-CN$|^buttons$/ && !(name in placed) && "wasi.js" in script)
            fault("the part '" name "' has found no place in any text")
    exit faults > 0
}

function fault(text) { print text >"/dev/stderr"; faults++ }

function read(path,    line, text) {
    while ((getline line <path) > 0) text = text line "\n"
    close(path)
    return text
}

# ---- names ----
function is_text(path) { return path ~ /\.md$/ }
function is_chinese(path) { return path ~ /\.zh-CN\.md$/ }
function folder_of(path) { sub(/[^\/]*$/, "", path); return path }
function short(path) { return is_text(path) ? title[path] : substr(path, length(folder_of(path)) + 1) }
function twin_of(path) { return sub(/\.zh-CN\.md$/, ".md", path) || sub(/\.md$/, ".zh-CN.md", path) ? path : "" }
function page_of(path,    zh) {
    zh = sub(/\.zh-CN\.md$/, ".md", path) ? "zh/" : ""
    if (!sub(/README\.md$/, "index.html", path) && !sub(/\.md$/, ".html", path)) path = path ".html"
    return zh path
}
function anchor(to, text, more) { return "<a href=\"" up page_of(to) "\"" more ">" text "</a>" }
function here(path, to) { return path == to ? " aria-current=\"page\"" : "" }

# ---- a page ----
function load_text(path,    at, n, one) {
    body[path] = read("build/pages/" path ".html")
    title[path] = cut(path, "\n"); used[path] = cut(path, "\n"); toc[path] = cut(path, "<!--body-->")
    for (n = split(used[path], one, " "); n; n--) placed[one[n]]
}
function cut(path, sign,    at, text) { # what stands before the sign; it goes
    at = index(body[path], sign)
    text = substr(body[path], 1, at - 1)
    body[path] = substr(body[path], at + length(sign))
    return text
}

function put(text, name, value,    at, done) { # every @name@ becomes value
    for (; (at = index(text, "@" name "@")); text = substr(text, at + length(name) + 2))
        done = done substr(text, 1, at - 1) value
    return done text
}

function write_page(path, k,    page, html, name, twin, line, at) {
    page = page_of(path)
    up = page; gsub(/[^\/]+\//, "../", up); sub(/[^\/]*$/, "", up)
    name = "docs/web/words" (is_chinese(path) ? ".zh-CN" : "") ".txt"
    while ((getline line <name) > 0) { at = index(line, " = "); word[substr(line, 1, at - 1)] = substr(line, at + 3) }
    close(name)
    twin = twin_of(path)
    if (twin in known && used[twin] != used[path]) fault(path ": parts '" used[path] "', its twin '" used[twin] "'")
    html = put(put(template, "scripts", scripts_of(path)), "title", is_text(path) ? title[path] : path)
    html = put(put(html, "lessons_list", lessons(path)), "contents_list", contents(path))
    html = put(html, "twins", twin in known ? anchor(twin, "@twin@", " id=\"twin\" rel=\"alternate\"") : "")
    html = put(html, "neighbours", neighbour(path, k, -1) neighbour(path, k, 1))
    for (name in word) html = put(html, name, word[name])
    printf "%s", put(put(html, "up", up), "body", is_text(path) ? body[path] : code(path)) >(out = "build/web/" page)
    close(out)
}

# a part has a script, and some have a program
function scripts_of(path,    n, i, one, list, tags) {
    n = split(used[path], one, " ")
    list = (n ? " wasi.js article.js attention.wasm.js attention.js" : "") (twin_of(path) in known ? " beside.js" : "")
    for (i = 1; i <= n; i++) list = list " " one[i] ".wasm.js " one[i] ".js"
    n = split(list, one, " ")
    for (i = 1; i <= n; i++)
        if (one[i] in script && !index(tags, "\"" up one[i] "\""))
            tags = tags "<script defer src=\"" up one[i] "\"></script>\n"
    return tags
}

function lessons(path,    i, list, to, name) {
    for (i = 1; i <= count; i++) {
        if (source[i] !~ /^([0-9]+_[a-z_]+\/|docs\/)?README\.md$/) continue
        to = is_chinese(path) && twin_of(source[i]) in known ? twin_of(source[i]) : source[i]
        name = folder_of(source[i])
        name = name == "" ? "@home@" : name == "docs/" ? "@index@" : substr(name, 1, length(name) - 1)
        list = list "<li>" anchor(to, name, here(path, to)) "</li>\n"
    }
    return list
}

# a text's headings; below them the source files of its folder
function contents(path,    folder, i, list) {
    folder = folder_of(path)
    for (i = 1; folder != "" && i <= count; i++)
        if (!is_text(source[i]) && folder_of(source[i]) == folder)
            list = list "<li>" anchor(source[i], short(source[i]), here(path, source[i])) "</li>\n"
    if (list != "") list = "<nav aria-label=\"@files@\"><h2>@files@</h2>\n<ul class=\"files\">\n" list "</ul></nav>\n"
    return (toc[path] == "" ? "" : "<nav aria-label=\"@contents@\"><h2>@contents@</h2>\n" toc[path] "</nav>\n") list
}

# texts follow each other; a source file has neighbours in its folder
function neighbour(path, k, step,    i) {
    for (i = k + step; i >= 1 && i <= count; i += step)
        if (is_text(path) == is_text(source[i]) && is_chinese(path) == is_chinese(source[i]) &&
            (is_text(path) || folder_of(path) == folder_of(source[i])))
            return step < 0 ? anchor(source[i], "@previous@: " short(source[i]), " rel=\"prev\"") : \
                anchor(source[i], "@next@: " short(source[i]), " rel=\"next\"")
    return ""
}

# ---- source files ----
function before(path,    i) { # the file that make diff-N compares with
    if (path ~ /^04_[^\/]*\/tiled\.c$/) return folder_of(path) "attention.c"
    for (i = 1; i <= count && path ~ /^0[1-4]_[^\/]*\/attention\.c$/; i++)
        if (source[i] ~ "^0" substr(path, 2, 1) - 1 "_[^/]*/attention\\.c$") return source[i]
    return ""
}

function code(path,    old, line, n, m, at, i, text, is_new) {
    if ((old = before(path)) != "") {
        m = "diff '" old "' '" path "'"
        while ((m | getline line) > 0)
            if (line ~ /^[0-9,]+[ac][0-9,]+$/) {
                sub(/.*[ac]/, "", line)
                n = split(line, at, ",")
                for (i = at[1]; i <= at[n]; i++) is_new[i]
            }
        close(m)
        text = "<p class=\"changed\">" put(word["changed"], "old", anchor(old, "<code>" old "</code>")) "</p>\n"
    }
    text = "<h1>" path "</h1>\n" text "<pre class=\"code\"><code>"
    for (n = inside = 0; (getline line <path) > 0;)
        text = text (++n in is_new ? "<span>" : "") "<a id=L" n " href=#L" n ">" n "</a>" \
            (path ~ /\.(c|h|cu|cpp|js)$/ ? coloured(line) : line ~ /^ *#/ ? tag("i", line) : escaped(line)) \
            "\n" (n in is_new ? "</span>" : "")
    close(path)
    return text "</code></pre>"
}

function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); return text }
function tag(name, text) { return "<" name ">" escaped(text) "</" name ">" }

# i: comment, em: string, b: keyword or what is for the preprocessor; inside: a comment has begun in a line before
function coloured(line,    html, token, at) {
    while (line != "") {
        if (!inside && !match(line, /\/\/.*|\/\*|"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_][A-Za-z_0-9]*|^ *# *[a-z]+/))
            return html escaped(line)
        if (!inside) {
            token = substr(line, RSTART, RLENGTH)
            html = html escaped(substr(line, 1, RSTART - 1))
            line = substr(line, RSTART + RLENGTH)
        }
        if (inside || token == "/*") {
            at = index(line, "*/")
            html = html tag("i", (inside ? "" : token) (at ? substr(line, 1, at + 1) : line))
            line = at ? substr(line, at + 2) : ""
            inside = !at
        } else if (token ~ /^\/\//) html = html tag("i", token)
        else if (token ~ /^["']/) html = html tag("em", token)
        else html = html (token ~ /#/ || index(keywords, " " token " ") ? tag("b", token) : token)
    }
    return html
}

BEGIN {
    keywords = " auto bool break case char class const constexpr continue default do double else enum extern false " \
        "float for goto if inline int long namespace operator private public return short signed size_t sizeof " \
        "static struct switch template this true typedef typename union unsigned using void volatile while let " \
        "function await async __device__ __global__ __host__ __shared__ "
}
