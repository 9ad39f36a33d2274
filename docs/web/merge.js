// The accounts of two people over one row's keys, merged by decode.c.
"use strict";
part("merge", (root, c) => {
    const { n, m } = ARTICLE, table = root.querySelector("table"), size = 12, number = x => x.toFixed(4);
    c.tensors(ARTICLE, articleTensors());
    c.walk(false, n, m);
    const shades = c.shades(0);
    for (const row of table.tBodies[0].rows) for (let k = 0; k < 4; k++) row.insertCell();
    return ({ cut, query }) => {
        const accounts = c.merged(query, cut), O = accounts.pop();
        const pen = picture(root.querySelector("canvas"), 1, m, (_, j) => shade(shades[query * m + j]), size, 40);
        frame(pen, 0, 0, cut * size, 40), frame(pen, cut * size, 0, (m - cut) * size, 40, COLOURS.other);
        accounts.forEach((account, r) => [[cut, m - cut, m][r], ...account.slice(0, 3).map(number)].forEach(
            (text, k) => table.rows[r + 1].cells[k + 1].textContent = text));
        show(root, { result: O.slice(0, 4).map(number).join(" ") + " …" });
    };
});
