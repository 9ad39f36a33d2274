-- A text becomes a fragment of a page: links lead to pages, programs get a button, a live part stands at its figure.
-- build/pages/sources names all sources of pages; LIVE (environment) is empty where there are no live parts.
local source = PANDOC_STATE.input_files[1]
local chinese = source:match("%.zh%-CN%.md$") ~= nil
local alive = os.getenv("LIVE") ~= ""
local sources, words, parts = {}, {}, {}
for line in io.lines("build/pages/sources") do sources[line] = true end

-- which part stands at which figure, or at the block of text that has these words; after: how many sections later
local places = {
    { part = "ledger", text = "^%$ build/ledger\n", on = "^README" },
    { part = "tour", figure = "loops.svg" },
    { part = "weights", figure = "weights.svg" },
    { part = "weights", figure = "tokens.svg", on = "^01_matrix/" },
    { part = "factor", figure = "hot.svg" },
    { part = "blocks", figure = "blocks.svg" },
    { part = "account", figure = "account.svg" },
    { part = "merge", figure = "account.svg", after = 2 },
    { part = "tiles", figure = "causal.gif" },
    { part = "threads", text = "thread 252 .. 255", on = "^05_cuda/" },
    { part = "bytes", figure = "traffic.svg" },
}

-- a file of this folder in the text's language, if there is one: NAME.zh-CN.html beside NAME.html
local function words_of(name)
    name = "docs/web/" .. name
    local file = chinese and io.open((name:gsub("(%.%w+)$", ".zh-CN%1"))) or assert(io.open(name))
    local text = file:read("a")
    file:close()
    return text
end
for key, text in words_of("words.txt"):gmatch("(%w+) = ([^\n]+)") do words[key] = text end

-- lines of a source file, from the first that holds one text to the last before the next that holds another
local function lines(path, from, to)
    local found = {}
    for line in io.lines(path) do
        if #found > 0 and line:find(to, 1, true) then break end
        if #found > 0 or line:find(from, 1, true) then
            found[#found + 1] = "<span>" .. line:gsub("&", "&amp;"):gsub("<", "&lt;") .. "\n</span>"
        end
    end
    assert(#found > 0, "no line of " .. path .. " holds '" .. from .. "'")
    return '<pre class="lines" tabindex="0"><code>' .. table.concat(found) .. "</code></pre>"
end

local function html(text) return pandoc.RawBlock("html", text) end

local function part(name)
    if not alive then return {} end
    parts[#parts + 1] = name
    local text = words_of("parts/" .. name .. ".html")
    text = text:gsub("<!%-%-include (%w+)%-%->", function(other) return words_of("parts/" .. other .. ".html") end)
    text = text:gsub('<!%-%-lines (%S+) "(.-)" "(.-)"%-%->', lines)
    return { html('<section class="part" data-part="' .. name .. '"><p class="still">' .. words.still ..
        '</p><div class="live" hidden>\n' .. text .. "</div></section>") }
end

-- ---- addresses ----
local function page_of(path) -- the page of a source
    local page = path:gsub("%.zh%-CN%.md$", ".md")
    page = page:gsub("README%.md$", "index.html"):gsub("%.md$", ".html")
    if not page:match("%.html$") then page = page .. ".html" end
    return (path:match("%.zh%-CN%.md$") and "zh/" or "") .. page
end

local function joined(folder, path) -- as seen from the top
    local steps = {}
    for step in (folder .. path):gmatch("[^/]+") do
        if step == ".." then table.remove(steps) elseif step ~= "." then steps[#steps + 1] = step end
    end
    return table.concat(steps, "/")
end

local here = page_of(source)
local up = here:gsub("[^/]+/", "../"):gsub("[^/]*$", "")
local folder = source:match(".*/") or ""

function Link(link)
    if link.target:match("^%w+:") or link.target:match("^#") then return end
    local path, anchor = link.target:match("^([^#]*)(#?.*)$")
    path = joined(folder, path)
    if sources[path .. "/README.md"] then path = path .. "/README.md" end
    local english = path:gsub("%.zh%-CN%.md$", ".md") -- a text that has no twin yet is there in English
    local twin = english:gsub("%.md$", ".zh-CN.md")
    if source ~= twin then path = chinese and sources[twin] and twin or sources[path] and path or english end
    assert(sources[path], source .. ": '" .. link.target .. "' leads to no page")
    link.target = up .. page_of(path) .. anchor
    return link
end

function Image(image)
    image.src = up .. joined(folder, image.src)
    return image
end

-- a figure's file name, and the block that shows it: what moves stands behind a button
local function figure(block)
    local image = (block.t == "Para" or block.t == "Plain") and #block.content == 1 and block.content[1]
    if not image or image.t ~= "Image" then return nil, block end
    if image.src:match("%.gif$") then
        image.attributes.loading = "lazy"
        block = pandoc.Div { html("<details><summary>" .. words.moving .. "</summary>"), block, html("</details>") }
    end
    return image.src:match("[^/]+$"), block
end

-- a console block that shows the program of a stage has a button
local function runnable(block)
    local stage = alive and block.t == "CodeBlock" and block.classes[1] == "console" and
        (block.text:match("^%$ make stage%-([0-4])") or block.text:match("^%$ build/stage%-([0-4])\n"))
    if not stage then return block end
    parts[#parts + 1] = "stage-" .. stage
    return pandoc.Div({ block, html("<button hidden>" .. words.run .. "</button>") },
        { class = "run", ["data-program"] = "stage-" .. stage })
end

function Table(t) return pandoc.Div({ t }, { class = "wide", tabindex = "0" }) end -- scrolls by itself, not the page

function Pandoc(doc)
    local blocks, waiting, captioned = pandoc.List(), {} -- waiting: { part, left }, parts that stand some headers on
    for i, block in ipairs(doc.blocks) do
        if block.t == "Header" and block.level == 1 and not doc.meta.pagetitle then
            doc.meta.pagetitle = pandoc.utils.stringify(block)
        end
        for _, w in ipairs(block.t == "Header" and waiting or {}) do
            w.left = w.left - 1
            if w.left == 0 then blocks:extend(part(w.part)) end
        end
        local name, shown = figure(block)
        local next = doc.blocks[i + 1]
        blocks:insert(runnable(shown))
        if captioned then blocks:extend(part(captioned)) end
        captioned = nil
        for _, p in ipairs(places) do
            local at = p.figure and p.figure == name or p.text and block.t == "CodeBlock" and block.text:find(p.text)
            if not at or p.on and not source:match(p.on) then -- elsewhere
            elseif p.after then waiting[#waiting + 1] = { part = p.part, left = p.after }
            elseif next and next.t == "Para" and next.content[1].t == "Emph" then captioned = p.part -- caption first
            else blocks:extend(part(p.part)) end
        end
    end
    doc.meta.pagetitle = doc.meta.pagetitle or source
    doc.meta.parts = table.concat(parts, " ")
    return pandoc.Pandoc(blocks, doc.meta)
end
