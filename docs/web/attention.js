// The C files behind plain functions, and what all parts share. A part is a section of a page with data-part; its words
// stand in the page, its numbers come from C.
"use strict";

// web.c, with memory of its own
async function attention() {
    const c = await library("attention"), names = [], all = new TextDecoder();
    const floats = (at, count) => Array.from(new Float32Array(c.memory.buffer, at, count));
    const doubles = (at, count) => Array.from(new Float64Array(c.memory.buffer, at, count));
    for (let i = 0, at; (at = c.name(i)); i++)
        names.push(all.decode(new Uint8Array(c.memory.buffer, at, 32)).split("\0")[0]);
    let n, m, d, dv;
    return {
        c, names,
        // sizes { n, m, d, dv }; Q, K, V: lists of numbers, row after row
        tensors(sizes, { Q, K, V }) {
            ({ n, m, d, dv } = sizes);
            const at = c.tensors(n, m, d, dv);
            new Float32Array(c.memory.buffer, at, (n + m) * d + m * dv).set([...Q, ...K, ...V]);
            this.question({});
        },
        question({ hot = 1, block = m, causal = false, values = 0 }) { c.question(hot, block, causal, values); },
        scores: () => doubles(c.scores(), n * m),
        weights: name => doubles(c.weights(names.indexOf(name)), n * m),
        output: name => doubles(c.output(names.indexOf(name)), n * dv),
        fromSafe: name => c.from_safe(names.indexOf(name)),
        shades: step => floats(c.shades(step), n * m),
        moved: (...sizes) => doubles(c.moved(...sizes), 6),
        // attention_loop's steps: [kind, i, j, k or c, three numbers]
        tour: () => rows(doubles(c.tour(), n * m * (d + 1 + dv) * 7), 7),
        // the accounts of the keys before the cut, of the others, and of both: [maximum, sum, values]; then O
        merged: (query, cut) => rows(floats(c.merged(query, cut), 4 * (dv + 2)), dv + 2),
        // tiles { i0, i1, j0, j1, skipped, rows: [[maximum, rescale, sum, first]] }, as the program's trace tells them
        walk(flash, br, bc) {
            const from = c.walk(flash, br, bc), told = new Float32Array(c.memory.buffer, from), tiles = [];
            for (let at = 0; tiles.length < c.walk_steps();) {
                const [i0, i1, j0, j1, skipped] = told.subarray(at, at += 5);
                tiles.push({ i0, i1, j0, j1, skipped: skipped !== 0,
                    rows: rows(Array.from(told.subarray(at, at += 4 * (i1 - i0))), 4) });
            }
            return tiles;
        },
    };
}
const rows = (all, w) => Array.from({ length: all.length / w }, (_, i) => all.slice(i * w, (i + 1) * w)); // w a row

// the article's tensors: 16 queries, 64 keys
const ARTICLE = { n: 16, m: 64, d: 128, dv: 32 };
const articleTensors = () => Object.fromEntries(Object.entries(article).map(([path, file]) => // little-endian float32
    [path.at(-5), new Float32Array(file.slice(10 + file[8] + 256 * file[9]).buffer)]));

// Brings a part to life: make(root, c) returns what is called with the form's values, now and whenever one changes.
async function part(name, make) {
    for (const root of window.WebAssembly ? document.querySelectorAll(`[data-part=${name}]`) : []) {
        const change = await make(root, await attention()), form = root.querySelector("form");
        root.querySelector(".still").hidden = true, root.querySelector(".live").hidden = false;
        if (form) await live(form, change);
        root.dataset.ready = "";
    }
}

function live(form, change) {
    const value = ({ type, checked, value }) => type === "checkbox" ? checked :
        value.trim() === "" || isNaN(value) ? value : Number(value);
    const tell = () => {
        for (const output of form.querySelectorAll("output"))
            output.value = output.closest("label").querySelector("input").value;
        const fields = [...form.elements].filter(field => field.name);
        return change(Object.fromEntries(fields.map(field => [field.name, value(field)])));
    };
    form.addEventListener("input", tell);
    form.addEventListener("submit", event => event.preventDefault());
    return tell();
}

// [data-show=name] shows a text, or is there or not
function show(root, values) {
    for (const [name, value] of Object.entries(values))
        for (const place of root.querySelectorAll(`[data-show="${name}"]`))
            if (typeof value === "boolean") place.hidden = !value;
            else place.textContent = value;
}

// The buttons of a part that goes step by step; draw(step) draws.
function stepper(root, draw) {
    const get = name => root.querySelector(`[data-do=${name}]`), slider = get("step"), play = get("play");
    const now = () => Number(slider.value), last = () => Number(slider.max);
    let timer = null;
    function stop() { clearInterval(timer), timer = null, play.setAttribute("aria-pressed", false); }
    function go(step) {
        slider.value = step;
        draw(now());
        slider.setAttribute("aria-valuetext", `${now()} / ${last()}: ${root.querySelector(".where").innerText}`);
    }
    function start() {
        if (now() === last()) go(0);
        play.setAttribute("aria-pressed", true);
        timer = setInterval(() => now() < last() ? go(now() + 1) : stop(), 500);
    }
    const jump = step => (stop(), go(step));
    slider.addEventListener("input", () => jump(now()));
    play.addEventListener("click", () => timer ? stop() : start());
    get("back").addEventListener("click", () => jump(now() - 1));
    get("next").addEventListener("click", () => jump(now() + 1));
    return { now, go: jump, set(count, step) { slider.max = count - 1, jump(step); } };
}

// weights from 0 (white) to 1 (dark), the palette of the figures
function shade(weight) {
    const stops = [[255, 255, 255], [86, 160, 206], [8, 48, 107]], at = Math.min(2 * (weight || 0), 1.9999);
    const [from, to] = stops.slice(Math.floor(at));
    return `rgb(${from.map((x, i) => Math.round(x + at % 1 * (to[i] - x)))})`;
}
const COLOURS = { toCome: "#eeeeee", line: "#808080", hidden: "#c8c8c8", now: "#d55e00", other: "#0072b2" };

// a picture of rows by columns, colour(i, j); returns the pen
function picture(canvas, rows, columns, colour, width = 8, height = width) {
    if (canvas.width !== columns * width) canvas.width = columns * width;
    if (canvas.height !== rows * height) canvas.height = rows * height;
    const pen = canvas.getContext("2d");
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++)
            pen.fillStyle = colour(i, j), pen.fillRect(j * width, i * height, width, height);
    return pen;
}
function frame(pen, x, y, width, height, colour = COLOURS.now, line = 3) {
    pen.strokeStyle = colour, pen.lineWidth = line, pen.strokeRect(x, y, width, height);
}

// rows of cells into a table
function fill(table, rows, classes = () => "") {
    (table.tBodies[0] ?? table.createTBody()).replaceChildren(...rows.map((cells, r) => {
        const row = document.createElement("tr");
        for (const text of cells) row.insertCell().textContent = text;
        row.className = classes(r);
        return row;
    }));
}

// marks the lines of a part's code that hold one of the texts
function mark(root, ...texts) {
    for (const line of root.querySelectorAll(".lines span"))
        line.className = texts.some(text => line.textContent.includes(text)) ? "now" : "";
}

// Under a console block that shows a stage's program: a button that runs this program here.
for (const block of window.WebAssembly ? document.querySelectorAll("[data-program]") : []) {
    const button = block.querySelector("button");
    button.hidden = false;
    button.addEventListener("click", async () => {
        const output = block.querySelector("pre.output") ?? block.appendChild(document.createElement("pre"));
        const { output: text, errors } = await program(block.dataset.program);
        Object.assign(output, { className: "output", tabIndex: 0, textContent: text + errors });
    });
}
