// Version 1 and version 2 on the article's data times a factor: which outputs die, and where each number type ends.
"use strict";
part("factor", async (root, c) => {
    const { output } = await program("stage-2"), { n, dv } = ARTICLE, size = 10;
    const ends = [...output.matchAll(/^ +(b?float\d\d) +([\d.]+) /gm)].map(([, type, end]) => [type, Number(end)]);
    const word = name => root.querySelector(`[data-word=${name}]`).innerHTML;
    c.tensors(ARTICLE, articleTensors());
    return ({ hot }) => {
        c.question({ hot });
        const largest = c.c.largest();
        for (const name of ["matrix", "safe"]) {
            const lost = rows(c.output(name).map(x => !isFinite(x)), dv);
            const pen = picture(root.querySelector(`[data-picture=${name}]`), n, dv,
                (i, j) => lost[i][j] ? COLOURS.now : "#d9e8f2", size);
            lost.forEach((row, i) => row.forEach((dead, j) => {
                frame(pen, j * size, i * size, size, size, "#ffffff", 1);
                if (dead) frame(pen, j * size + 2, i * size + size / 2, size - 4, 0, "#ffffff", 2);
            }));
            show(root, { [`lost-${name}`]: lost.flat().filter(Boolean).length });
        }
        show(root, { largest: largest.toFixed(2), all: n * dv });
        fill(root.querySelector("table"), ends.map(([type, end]) =>
            [type, end, word(largest > end ? "beyond" : "within")]), r => largest > ends[r][1] ? "wrong" : "");
    };
});
