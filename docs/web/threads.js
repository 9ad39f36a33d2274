// Version 5: which thread of which block holds what, as flash.cu's own lines say.
"use strict";
part("threads", (root, { c }) => {
    const Br = c.block_queries(), BLOCKS = 4, WARP = 32, SIZE = 512, tile = root.querySelector("[name=tile]");
    const canvas = name => root.querySelector(`[data-picture=${name}]`);
    const count = (n, of) => Array.from({ length: n }, (_, k) => of(k));
    root.querySelector("[name=thread]").max = c.block_threads() - 1;
    return ({ thread, block, d, tile: asked }) => {
        const Bc = c.tile_keys(d), tiles = Br * BLOCKS / Bc;
        const query = c.thread_query(thread), numbers = c.thread_columns(d);
        const j = Math.min(asked, tile.max = tiles - 1), columns = t => count(numbers, e => c.thread_column(t, e));
        const high = SIZE / BLOCKS, wide = SIZE / tiles;
        const pen = picture(canvas("S"), BLOCKS, tiles, (b, k) => b !== block ? COLOURS.toCome :
            k < j ? "#9ecae1" : k > j ? "#dbe9f4" : "#4292c6", wide, high);
        for (let b = 0; b < BLOCKS; b++) frame(pen, 0, b * high, SIZE, high, COLOURS.line, 1);
        frame(pen, j * wide, block * high, wide, high);
        const holders = [];
        for (let t = 0; t < c.block_threads(); t++)
            for (const column of columns(t)) holders[c.thread_query(t) * d + column] = t;
        picture(canvas("q"), Br, d, (i, k) => {
            const holder = holders[i * d + k];
            return holder === thread ? COLOURS.now : i === query ? "#f4b183" :
                Math.floor(holder / WARP) % 2 ? "#d9d9d9" : "#f2f2f2";
        }, SIZE / d, SIZE / Br);
        const quad = holders.slice(query * d, (query + 1) * d);
        show(root, { thread, lane: thread % WARP, warp: Math.floor(thread / WARP), columns: columns(thread).join(" "),
            numbers, query: block * Br + query, j0: j * Bc, j1: (j + 1) * Bc - 1,
            quad: `${Math.min(...quad)} – ${Math.max(...quad)}` });
    };
});
