"""What holds for every page, and for every kind of page. test.py runs it."""
import gzip
import os
import pathlib
import re
import time

from test_parts import TOP, check, open_part, tell

SITE = TOP / "build/web"
PACKED, READY, GROWTH = 300_000, 1.0, 100  # bytes of a page, seconds, MiB
LIVE = ["index.html"] + [f"{folder.name}/index.html" for folder in sorted(TOP.glob("0[0-5]_*"))]
KINDS = LIVE + ["docs/index.html", "zh/00_loop/index.html", "04_online_softmax/tiled.c.html", "Makefile.html"]
# pages that are wider than a screen of 320, 390, 768 or 1280 pixels, which is a frame out of sight
WIDTHS = """async paths => {
    const wide = [], frame = Object.assign(document.createElement('iframe'), { style: 'visibility: hidden' });
    document.body.replaceChildren(frame);
    for (const path of paths) {
        await new Promise(done => { frame.onload = done, frame.src = '/' + path; });
        const page = frame.contentDocument;
        while (page.querySelector('[data-part]:not([data-ready])')) await new Promise(done => setTimeout(done, 3));
        for (frame.width of [320, 390, 768, 1280])
            if (page.documentElement.scrollWidth > frame.width) wide.push(`${path} at ${frame.width}`);
    }
    return wide;
}"""
# the smallest contrast of a text with its background, by the formula of WCAG 2
CONTRAST = """() => {
    const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const light = colours => {
        pen.clearRect(0, 0, 1, 1);
        for (const colour of colours) pen.fillStyle = colour, pen.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(x => x / 255)
            .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), known = {};
    for (let node; (node = walker.nextNode());) {
        const e = node.parentElement, behind = [];
        if (!node.data.trim() || !e.checkVisibility() || e.closest('option, .skip')) continue;
        for (let p = e; p; p = p.parentElement) behind.unshift(getComputedStyle(p).backgroundColor);
        const text = [...behind, getComputedStyle(e).color];
        known[text] ??= [Math.max(light(behind) / light(text), light(text) / light(behind)), node.data.slice(0, 40)];
    }
    return Object.values(known).sort((a, b) => a[0] - b[0])[0];
}"""
CONTROLS = ".live :is(button, input, select, textarea)"
ROLES = re.compile(r'- (?:button|checkbox|combobox|slider|spinbutton|textbox)\b(?: "([^"]*)")?')
WHERE_IT_MATTERS = {"back": dict(step=2), "block": dict(version="blockwise_bug"), "program": dict(br=5),
                    "version": dict(version="safe"), "causal": dict(first=4, last=4, scale="")}
# what the part of the focus shows, as soon as it is not the same as before, or after a while
SHOWN = """async before => {
    const part = document.activeElement.closest('.live');
    const shown = () => part.innerText + [...part.querySelectorAll('canvas')].map(e => e.toDataURL()) +
        [...part.querySelectorAll('[aria-pressed]')].map(e => e.ariaPressed);
    for (let k = 0; k < 50 && shown() === before || part.closest('[aria-busy=true]'); k++)
        await new Promise(done => setTimeout(done, 10));
    return shown();
}"""


def open_live(page, address):
    page.goto(address)
    for part in page.locator("[data-part]").all():
        part.and_(page.locator("[data-ready]")).wait_for()
    return page.locator("[data-part]").all()


def test_widths(page, home):
    page.goto(f"{home}/LICENSE.html")
    wide = page.evaluate(WIDTHS, [str(file.relative_to(SITE)) for file in SITE.rglob("*.html")])
    check(f"wider than the screen: {wide}", not wide)


def test_links():
    texts = {file: file.read_text() for file in SITE.rglob("*.html")}
    ids = {file: set(re.findall(r'<[a-z][^<>]*?\bid="?([^\s">]+)', text)) for file, text in texts.items()}
    for file, text in texts.items():
        dead = []
        for address in set(re.findall(r'<[a-z][^<>]*?\b(?:href|src)="?([^\s">]+)', text)):
            path, _, anchor = address.partition("#")
            target = (file.parent / path).resolve() if path else file
            if not re.match(r"https?:|data:", path) and not (
                    target.is_file() and (not anchor or anchor in ids.get(target, anchor))):
                dead.append(address)
        check(f"{file.relative_to(SITE)}: dead links {dead}", not dead)


def test_controls(page, root, paths=LIVE):
    """every control has a name of its own; Tab reaches it, and keys change what its part shows"""
    keys = {"range": ("ArrowRight", "ArrowLeft"), "number": ("ArrowUp", "ArrowDown"), "checkbox": ("Space",),
            "select-one": ("ArrowDown", "ArrowUp"), "button": ("Enter",), "text": "1", "textarea": "1", "file": ()}
    for path in paths:
        for part in open_live(page, f"{root}/{path}"):
            names = ROLES.findall(part.aria_snapshot())
            check(f"{path}: controls {names}", names and all(names) and len(set(names)) == len(names))
        wanted, reached = page.locator(f"{CONTROLS}:visible").count(), 0
        page.locator(".part").first.evaluate("e => { e.tabIndex = -1; e.focus(); }")
        while reached < wanted:
            page.keyboard.press("Tab")
            kind, name = page.evaluate("""controls => {
                const e = document.activeElement;
                return e.matches(controls) ? [e.type, e.dataset.do ?? e.name] : [e === document.body, null];
            }""", CONTROLS)
            if kind is True:
                break
            if kind is False:
                continue
            reached += 1
            tell(page.locator(".live:focus-within"), WHERE_IT_MATTERS.get(name, {}))
            before = after = page.evaluate(SHOWN, None)
            for key in keys[kind]:
                if after == before:
                    page.keyboard.press(key)
                    after = page.evaluate(SHOWN, before)
            check(f"{path}: {name}, a {kind}, answers to {keys[kind]}", after != before or kind == "file")
        check(f"{path}: Tab reaches {reached} of {wanted} controls", reached == wanted > 0)


def test_twins(new_page, root):
    """a fragment and its twin have the same elements; side by side, section stands beside section"""
    for file in (TOP / "docs/web/parts").glob("*.zh-CN.html"):
        twin = file.with_name(file.name.replace(".zh-CN", ""))
        tags = [sorted(re.findall(r"<[^>]*>", re.sub(r' aria-label="[^"]*"', "", f.read_text()))) for f in (file, twin)]
        check(f"{file.name} has other elements than its twin", tags[0] == tags[1] != [])
    page = new_page(viewport=dict(width=1400, height=800))
    for path in LIVE:
        open_live(page, f"{root}/{path}")
        page.locator("#beside").click()
        page.frame_locator("iframe").locator("[data-part][data-ready]").last.wait_for()
        far = page.evaluate("""async () => {
            const headings = [...document.querySelectorAll('main > h2')], heading = headings.at(-2);
            await new Promise(done => (addEventListener('scrollend', done), heading.scrollIntoView()));
            return [headings.length - 2, scrollY - heading.offsetTop];
        }""")
        there = page.frames[1]
        for _ in range(50):
            near = there.evaluate("k => document.querySelectorAll('main > h2')[k].getBoundingClientRect().top", far[0])
            if abs(near) < 5:
                break
            page.wait_for_timeout(20)
        check(f"{path}: section {far} stands {near} from its twin", abs(near) < 5)


def test_looks(new_page, root):
    page = new_page()
    for path in KINDS:
        open_live(page, f"{root}/{path}")
        for scheme in "light", "dark":
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            least, text = page.evaluate(CONTRAST)
            check(f"{path}, {scheme}: contrast {least:.2f} of '{text}'", least >= 4.5)
        check(f"{path}: nothing moves unasked", page.locator("img[src$=gif]:visible, [aria-pressed=true]").count() == 0)
    for with_script, without in (False, "JavaScript"), (True, "WebAssembly"):
        page = new_page(java_script_enabled=with_script)
        page.add_init_script("delete window.WebAssembly")
        for path in LIVE:
            page.goto(f"{root}/{path}")
            check(f"{path} without {without}: figures, and a sentence", page.locator("main img").count() > 0
                  and page.locator(".still:visible").count() == page.locator(".part").count() > 0
                  and page.locator(".live:visible, .run button:visible").count() == 0)


def test_weight(new_page, home):
    for path in LIVE:
        packed, took, page = [], [], new_page()
        page.on("response", lambda answer: packed.append(len(gzip.compress(answer.body()))))
        open_live(page, f"{home}/{path}")
        page.wait_for_load_state("networkidle")
        check(f"{path} weighs {sum(packed)} bytes packed", 0 < sum(packed) <= PACKED)
        while not took or min(took) > READY and len(took) < 5:  # a busy machine is no failure
            start = time.monotonic()
            open_live(page, f"{home}/{path}")
            took.append(time.monotonic() - start)
        check(f"{path} is ready after {min(took):.2f} s", min(took) <= READY)
        page.close()


def test_memory(new_page, root):
    page = new_page()
    def resident():
        kinds = page.context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        pages = [pathlib.Path(f"/proc/{kind['id']}/statm").read_text().split()[1] for kind in kinds
                 if kind["type"] == "renderer"]
        return max(map(int, pages)) * os.sysconf("SC_PAGE_SIZE") / 2**20
    for path, name, moves in ("index.html", "ledger", 50), ("04_online_softmax/index.html", "tiles", 450):
        part = open_part(page, f"{root}/{path}", name)
        tell(part, *(dict(hot=1 + k % 9) for k in range(20)))
        before = resident()
        tell(part, *(dict(hot=1 + k % 9) for k in range(moves)))
        more = resident() - before
        check(f"{path}: {moves} moves of a slider hold {more:.0f} MiB more", more < GROWTH)
