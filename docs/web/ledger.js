// The ledger: the program itself, run anew whenever the reader moves a knob.
"use strict";
part("ledger", root => {
    const form = root.querySelector("form"), link = root.querySelector("[data-show=link]"), SIGN = "#ledger?";
    const word = name => root.querySelector(`[data-word=${name}]`).innerHTML;
    const knobs = new URLSearchParams(location.hash.startsWith(SIGN) ? location.hash.slice(SIGN.length) : "");
    for (const [name, value] of knobs) {
        const field = form.elements[name];
        if (field?.type === "checkbox") field.checked = true;
        else if (field) field.value = value;
    }
    if (knobs.size) root.scrollIntoView();
    let own = null, busy = false, waiting = null; // own: [[name, bytes]] of Q, K and V

    async function take(files) { // Q, K and V by their first letters, or in the order given
        const named = ["q", "k", "v"].map(letter => [...files].find(file => file.name.toLowerCase()[0] === letter));
        if (files.length !== 3) return draw({ status: 2, errors: word("three") });
        own = await Promise.all((named.every(Boolean) ? named : [...files]).map(async file =>
            [file.name, new Uint8Array(await file.arrayBuffer())]));
        form.dispatchEvent(new Event("input"));
    }
    root.querySelector("[type=file]").addEventListener("change", event => take(event.target.files));
    root.addEventListener("dragover", event => event.preventDefault());
    root.addEventListener("drop", event => (event.preventDefault(), take(event.dataTransfer.files)));

    const ROW = /^(\w+) +(\d+ of +\d+) +(not finite|\S+) +(not finite|\S+) +(\d+) +(\d+)/;
    function draw({ status, output = "", errors }) {
        const table = status ? [] : output.split("\n").map(line => line.match(ROW)?.slice(1)).filter(Boolean);
        const safe = Number(table.find(row => row[0] === "safe")?.[2]);
        const mark = row => row[2] === "not finite" ? "lost" : row[2] > 10 * Math.max(safe, 1e-6) ? "wrong" : "";
        show(root, { fault: status !== 0, head: status ? "" : output.split("\n")[0] });
        if (status) show(root, { fault: errors.split("\n")[0] });
        fill(root.querySelector("table"), table, r => mark(table[r]));
    }
    return async function change(values) {
        const { hot, block, first, last, scale, causal } = values, knobs = { hot, block, first, last, scale };
        link.href = SIGN + new URLSearchParams(causal ? { ...knobs, causal } : knobs);
        if (busy) return void (waiting = values);
        busy = root.ariaBusy = true;
        const options = ["--hot", hot, "--block", block, "--versions", `${first}-${last}`,
            ...scale === "" ? [] : ["--scale", scale], ...causal ? ["--causal"] : []];
        const files = own ? Object.fromEntries(own) : article;
        draw(await program("ledger", [...options, ...own ? Object.keys(files) : []].map(String), files));
        busy = false;
        if (waiting) [values, waiting] = [waiting, null], await change(values);
        root.ariaBusy = false;
    };
});
