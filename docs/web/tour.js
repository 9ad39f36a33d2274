// The triple loop of version 0, index by index.
"use strict";
part("tour", (root, c) => {
    const n = 2, m = 4, d = 4, dv = 2, LINES = [["s +="], ["w[j] = exp", "sum +="], ["share =", "O[i][c] +="]];
    const tensors = { Q: [1, 0, 3, 2, 3, 1, 0, 2], V: [10, 1, 20, 1, 30, 1, 40, 1],
        K: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2] };
    c.tensors({ n, m, d, dv }, tensors);
    const steps = c.tour();
    const matrix = (name, all, width, now) => {
        const table = root.querySelector(`[data-matrix=${name}]`);
        fill(table, rows(all, width));
        if (now) table.rows[now[0]].cells[now[1]].className = "now";
    };
    stepper(root, step => {
        const [kind, i, j, x, ...numbers] = steps[step], [a, b, sum] = numbers.map(x => x.toFixed(4));
        const w = Array(m).fill(""), O = Array(n * dv).fill("");
        for (const [kind, row, key, column, , y] of steps.slice(0, step + 1))
            if (kind === 1 && row === i) w[key] = y.toFixed(4);
            else if (kind === 2) O[row * dv + column] = y.toFixed(4);
        matrix("Q", tensors.Q, d, kind === 0 && [i, x]);
        matrix("K", tensors.K, d, kind === 0 && [j, x]);
        matrix("w", w, m, kind > 0 && [0, j]);
        matrix("V", tensors.V, dv, kind === 2 && [j, x]);
        matrix("O", O, dv, kind === 2 && [i, x]);
        show(root, { i, j, x, a, b, sum, "at-0": kind === 0, "at-1": kind === 1, "at-2": kind === 2 });
        mark(root, ...LINES[kind]);
    }).set(steps.length, 0);
});
