// The reader's own queries, keys and values: scores, weights and output of any version.
"use strict";
part("weights", (root, c) => {
    const table = name => root.querySelector(`[data-table=${name}]`), digits = x => x.toFixed(4);
    const matrix = text => String(text).trim().split(/\s*\n\s*/).map(line => line.split(/[\s,]+/).map(Number));
    const width = rows => rows.flat().every(isFinite) && rows.every(row => row.length === rows[0].length) ?
        rows[0].length : NaN;
    const versions = root.querySelector("[name=version]");
    for (const name of c.names) versions.add(new Option(name));
    versions.value = location.pathname.includes("01_matrix") ? "matrix" : "loop";
    return ({ Q, K, V, version, block }) => {
        const [q, k, v] = [Q, K, V].map(matrix), sizes = { n: q.length, m: k.length, d: width(q), dv: width(v) };
        const sound = sizes.d === width(k) && v.length === k.length && sizes.dv > 0 && Math.max(sizes.n, sizes.m) <= 32;
        show(root, { fault: !sound });
        if (!sound) return;
        c.tensors(sizes, { Q: q.flat(), K: k.flat(), V: v.flat() });
        c.question({ block: Math.max(1, block) });
        const weights = rows(c.weights(version), sizes.m);
        fill(table("scores"), rows(c.scores().map(digits), sizes.m));
        fill(table("output"), rows(c.output(version).map(digits), sizes.dv));
        c.question({ block: Math.max(1, block), values: 1 }); // V of ones: the sums
        const sums = c.output(version);
        fill(table("weights"), weights.map((row, i) => [...row, sums[i * sizes.dv]].map(digits)));
        weights.forEach((row, i) => row.forEach((weight, j) => {
            const cell = table("weights").tBodies[0].rows[i].cells[j];
            cell.style.backgroundColor = shade(Math.min(1, weight)), cell.className = weight > 0.67 ? "dark" : "light";
        }));
    };
});
