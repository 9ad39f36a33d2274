// One row's account, block by block: the trace of attention_tiled, all queries in one tile.
"use strict";
part("account", (root, c) => {
    const { n, m } = ARTICLE, canvas = root.querySelector("canvas"), table = root.querySelector("table"), size = 12;
    const LINES = [["new_max = "], ["base = ", "rescale = "], ["sum[i] *=", "sum[i] += "],
        ["O[i][c] *=", "max[i] = new_max"]];
    let query, block, tiles;
    c.tensors(ARTICLE, articleTensors());
    const controls = stepper(root, step => { // four for each block, a column of the table each
        const now = Math.floor(step / LINES.length), column = step % LINES.length, shades = c.shades(now);
        const at = (_, j) => shades[query * m + j] < 0 ? COLOURS.toCome : shade(shades[query * m + j]);
        const { j0, j1 } = tiles[now], rescale = b => b > 0 && tiles[b].rows[query][1] < 1;
        frame(picture(canvas, 1, m, at, size, 40), j0 * size, 0, (j1 - j0) * size, 40);
        const known = (x, b, k) => b < now || k <= column ? x.toFixed(4) : "";
        fill(table, tiles.slice(0, now + 1).map(({ rows }, b) => [b, ...rows[query].map((x, k) => known(x, b, k))]),
            b => rescale(b) ? "raised" : "");
        table.rows[now + 1].cells[column + 1].className = "now";
        table.parentElement.scrollTop = table.parentElement.scrollHeight;
        mark(root, ...LINES[column]);
        show(root, { block: now, ...Object.fromEntries(LINES.map((_, k) => [`at-${k}`, k === column])) });
    });
    return form => {
        const step = form.block === block ? controls.now() : 0;
        ({ query, block } = form);
        c.question({ hot: form.hot });
        tiles = c.walk(false, n, block);
        controls.set(tiles.length * LINES.length, step);
    };
});
