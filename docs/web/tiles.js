// attention_flash or attention_tiled tile by tile, as its own trace tells it.
"use strict";
part("tiles", (root, c) => {
    const SIZE = 64, D = 64, CELL = 8, square = root.querySelector("canvas"), dv = ARTICLE.dv;
    const whole = x => Math.min(SIZE, Math.max(1, Math.round(x) || 1));
    const { K, V } = articleTensors(); // its 64 keys, cut in two: the first half of each asks, the second answers
    const half = first => K.filter((_, at) => (at % (2 * D) < D) === first);
    c.tensors({ n: SIZE, m: SIZE, d: D, dv }, { Q: half(true), K: half(false), V });
    let tiles;
    const box = ({ i0, i1, j0, j1 }) => [j0, i0, j1 - j0, i1 - i0].map(x => x * CELL);
    const controls = stepper(root, step => {
        const { i0, i1, j0, j1, skipped, rows } = tiles[step], shades = c.shades(step);
        const pen = picture(square, SIZE, SIZE, (i, j) => {
            const x = shades[i * SIZE + j];
            return x === -1 ? COLOURS.toCome : x === -2 ? COLOURS.hidden : shade(x);
        }, CELL);
        for (const tile of tiles) frame(pen, ...box(tile), COLOURS.line, 0.5);
        frame(pen, ...box(tiles[step]), COLOURS.now, 4);
        show(root, { step, last: tiles.length - 1, i0, i1: i1 - 1, j0, j1: j1 - 1, skipped });
        show(root, { rows: i1 - i0, keys: j1 - j0, d: D, dv });
        fill(root.querySelector("table"), rows.map((row, r) => [i0 + r, ...row.map(x => x.toFixed(3))]),
            r => rows[r][1] < 1 && j0 > 0 ? "raised" : "");
    });
    const drag = event => { // the tile under the finger or the mouse
        if (event.type === "pointermove" && !event.buttons) return;
        const { left, top, width, height } = square.getBoundingClientRect();
        const j = (event.clientX - left) / width * SIZE, i = (event.clientY - top) / height * SIZE;
        const hit = tiles.findIndex(t => t.i0 <= i && i < t.i1 && t.j0 <= j && j < t.j1);
        if (hit >= 0) controls.go(hit);
    };
    square.addEventListener("pointerdown", drag);
    square.addEventListener("pointermove", drag);
    return ({ program, br, bc, hot, causal }) => {
        c.question({ hot, causal });
        tiles = c.walk(program, whole(br), whole(bc));
        controls.set(tiles.length, 0);
    };
});
