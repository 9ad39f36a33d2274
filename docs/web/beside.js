// On a wide screen: this page and its twin in the other language side by side, section beside section. The twin is a
// frame, and is told where this page is: 2.5 is the middle of the third section. (A page from the disk may not look
// into another, but may send it messages.)
"use strict";
{
    const button = document.querySelector("#beside"), twin = document.querySelector("#twin");
    const frame = Object.assign(document.createElement("iframe"), { src: twin.href, title: twin.textContent });
    const two = () => document.documentElement.classList.contains("two");
    const tops = () => [0, ...[...document.querySelectorAll("main > h2, footer")].map(e => e.offsetTop)];
    function where() {
        const all = tops(), k = Math.min(all.findLastIndex(top => top <= scrollY), all.length - 2);
        return k + (scrollY - all[k]) / (all[k + 1] - all[k]);
    }
    function go(at) {
        const all = tops(), k = Math.floor(at);
        if (k + 1 < all.length) scrollTo(0, Math.ceil(all[k] + (at - k) * (all[k + 1] - all[k])));
    }
    const tell = () => two() && frame.contentWindow.postMessage(where(), "*");
    button.hidden = window !== window.parent || !window.matchMedia("(min-width: 80rem)").matches;
    button.addEventListener("click", () => {
        if (document.documentElement.classList.toggle("two")) document.body.append(frame); else frame.remove();
        button.setAttribute("aria-pressed", two());
    });
    frame.addEventListener("load", tell);
    addEventListener("scroll", tell);
    addEventListener("message", event => event.source === window.parent && go(event.data));
}
