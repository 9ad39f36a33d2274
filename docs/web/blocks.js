// Version 3: the size of a block, and what the weights add up to.
"use strict";
part("blocks", (root, c) => {
    const { n, m } = ARTICLE, size = 8;
    c.tensors(ARTICLE, articleTensors());
    return ({ block, values }) => {
        const hot = values === 2 ? 0 : 1; // quiet: all keys alike
        c.question({ hot, block, values: 1 });
        const sum = c.output("blockwise_bug")[0];
        c.question({ hot, block, values });
        const P = c.weights("blockwise_bug"), most = Math.max(...P);
        const pen = picture(root.querySelector("canvas"), n, m, (i, j) => shade(P[i * m + j] / most), size);
        let blocks = 0;
        for (let j = 0; j < m; j += block) blocks++, frame(pen, j * size, 0, 0, n * size, COLOURS.now, 2);
        show(root, { blocks, sum: sum.toFixed(3), deviation: c.fromSafe("blockwise_bug").toFixed(3) });
    };
});
