// On a wide screen: this page and its twin in the other language, side by side.
"use strict";
{
    const button = document.querySelector("#beside"), twin = document.querySelector("#twin");
    const frame = Object.assign(document.createElement("iframe"), { src: twin.href, title: twin.textContent });
    button.hidden = window !== window.parent || !window.matchMedia("(min-width: 80rem)").matches;
    button.addEventListener("click", () => {
        const two = document.documentElement.classList.toggle("two");
        if (two) document.body.append(frame); else frame.remove();
        button.setAttribute("aria-pressed", two);
    });
}
