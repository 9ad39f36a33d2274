"""What the live parts show, held against the native programs and the recorded tables. test.py runs it."""
import csv
import functools
import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
SETTLED = """async () => {
    await new Promise(done => setTimeout(done));
    while (document.querySelector('[aria-busy=true]')) await new Promise(done => setTimeout(done, 3));
}"""
# moves the knobs and steps of a part as a reader does, once for each of all, and tells what it shows each time
TELL = """async (part, all) => {
    const told = [];
    for (const values of all) {
        for (const target of ['form', '[data-do=step]']) {
            const changed = Object.entries(values).filter(([name, value]) => {
                const field = part.querySelector(`${target}[data-do=${name}], ${target} [name=${name}]`);
                const is = field?.type === 'checkbox' ? 'checked' : 'value';
                return field && String(field[is]) !== String(value) && ((field[is] = value), true);
            });
            if (changed.length) part.querySelector(target).dispatchEvent(new Event('input'));
        }
        await (SETTLED)();
        const shown = [...part.querySelectorAll('[data-show]:not([hidden])')].map(e => [e.dataset.show, e.textContent]);
        const cells = e => [...e.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.textContent));
        const name = e => e.dataset.table ?? e.dataset.matrix ?? 'rows';
        const tables = [...part.querySelectorAll('table')].map(e => [name(e), cells(e)]);
        const lines = [...part.querySelectorAll('.lines .now')].map(e => e.textContent).join('');
        told.push({ lines, ...Object.fromEntries(shown), ...Object.fromEntries(tables) });
    }
    return told;
}""".replace("SETTLED", SETTLED)
DROP = """(part, files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, bytes] of files) dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
    part.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
    return new Promise(done => setTimeout(done, 20));
}"""
passed, faults = [], []


def check(what, holds):
    (passed if holds else faults).append(what)


def tell(part, *settings):
    return part.evaluate(TELL, list(settings))


@functools.lru_cache(None)
def native(*command, cwd=TOP):
    ran = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    return ran.returncode, ran.stdout, ran.stderr


def table(name):
    with open(TOP / "docs/data" / f"{name}.csv") as file:
        return [[cell.strip() for cell in row] for row in csv.reader(file) if not row[0].startswith("#")]


def near(a, b, error=1e-3):
    return len(a) == len(b) and all(abs(float(x) - float(y)) <= error for x, y in zip(a, b))


def open_part(page, address, name):
    page.goto(address)
    part = page.locator(f"[data-part={name}]")
    part.and_(page.locator("[data-ready]")).wait_for()
    return part


# ---- the ledger ----
KNOBS = "hot", "block", "first", "last", "scale", "causal"
SETTINGS = [dict(zip(KNOBS, values)) for values in [
    *((hot, block, 0, 4, "", False) for hot in (1, 3, 5, 7, 10, 100) for block in (1, 16, 64)),
    (1, 8, 4, 4, "", True), (2, 16, 2, 4, 0.05, False), (3, 7, 4, 4, 0.2, True)]]
ROW = re.compile(r"(\w+) +(\d+ of +\d+) +(not finite|\S+) +(not finite|\S+) +(\d+) +(\d+)")


def close(version, a, b):
    """The last digits hang on exp, and in flash on the width of the vectors: errors may differ in their own size."""
    if a == b or not all(re.fullmatch(r"\d[\d.e+-]*", x) and float(x) for x in (a, b)):
        return a == b
    factor = 20 if version == "flash" and float(b) < 1e-4 else 2
    return 1 / factor <= float(a) / float(b) <= factor


def same_ledger(what, told, options, files=(), cwd=TOP):
    """the rows of build/ledger; storage may differ where it holds sizes, or a tile as wide as a vector"""
    more = (["--scale", options["scale"]] if options["scale"] != "" else []) + ["--causal"] * options["causal"]
    status, output, errors = native(TOP / "build/ledger", "--hot", options["hot"], "--block", options["block"],
                                    "--versions", f"{options['first']}-{options['last']}", *more, *files, cwd=cwd)
    wanted = [list(row.groups()) for row in map(ROW.match, output.splitlines()) if row]
    what, head = f"{what}: {options}: {told}, and not {wanted}{errors}", output.partition("\n")[0]
    check(what, told["head"] == head and told.get("fault") == (errors.splitlines()[0] if status else None)
          and len(told["rows"]) == len(wanted))
    for a, b in zip(told["rows"], wanted):
        check(what, a[:2] == b[:2] and close(a[0], a[2], b[2]) and close(a[0], a[3], b[3])
              and (a[0] in ("flash", "tiled") or a[4:] == b[4:]))


def test_ledger(page, root, settings=SETTINGS):
    part = open_part(page, f"{root}/index.html", "ledger")
    for options, told in zip(settings, tell(part, *settings)):
        same_ledger("ledger", told, options)
    address = part.locator("[data-show=link]").get_attribute("href")
    page.goto("about:blank")
    same_ledger("the link", tell(open_part(page, f"{root}/index.html{address}", "ledger"), {})[0], settings[-1])


def test_own_files(page, root):
    part = open_part(page, f"{root}/index.html", "ledger")
    for file in sorted((TOP / "tests/data/npy").glob("*.npy")):
        with tempfile.TemporaryDirectory() as place:
            for name in "QKV":
                shutil.copy(file, f"{place}/{name}.npy")
            part.evaluate(DROP, [[f"{name}.npy", list(file.read_bytes())] for name in "VQK"])
            same_ledger(f"own files, {file.name}", tell(part, {})[0], SETTINGS[1], ("Q.npy", "K.npy", "V.npy"), place)
    part.locator("[type=file]").set_input_files([TOP / f"tests/data/npy/float{n}.npy" for n in (16, 32)])
    told = tell(part, {})[0]
    check(f"two files: {told}", told.get("fault") == part.locator("[data-word=three]").inner_html())


# ---- the other parts ----
def test_tiles(page, root):
    part, numbers = open_part(page, f"{root}/04_online_softmax/index.html", "tiles"), (0, 1, 5, 18, 31)
    for name, program in itertools.product(("causal", "dense"), (1, 0)):
        told = tell(part, *(dict(program=program, causal=name == "causal", step=number) for number in numbers))
        for number, shown in zip(numbers, told):
            recorded = [[line[k] for k in (2, 8, 10, 9, 11)] for line in table(name)[1:] if line[0] == str(number)]
            check(f"{name}: tile {number} of program {program}: {shown}", len(recorded) == len(shown["rows"])
                  and all(near(a, b, 2e-3) for a, b in zip(shown["rows"], recorded)))
    tell(part, dict(causal=True))
    part.locator("canvas").scroll_into_view_if_needed()
    box = part.locator("canvas").bounding_box()
    for act, x, y in (page.mouse.move, 0.05, 0.9), (lambda *_: page.mouse.down(), 0, 0), (page.mouse.move, 0.45, 0.6):
        act(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    page.mouse.up()
    dragged, skipped, odd = tell(part, {}, dict(step=7), dict(program=0, br=5, bc=7))
    check(f"the mouse drags: {dragged}", (dragged["i0"], dragged["j0"]) == ("32", "24") and "skipped" not in dragged)
    check("a skipped tile says so", "skipped" in skipped)
    check(f"tiles of any size: {odd}", (odd["last"], odd["keys"], len(odd["rows"])) == ("129", "7", 5))


def test_lessons(page, root):
    part = open_part(page, f"{root}/00_loop/index.html", "tour")
    marks = {0: "s +=", 4: "w[j] = exp", 20: "O[i][c] +=", 55: "O[i][c] +="}
    told = tell(part, *(dict(step=number) for number in marks))
    check(f"the tour: {told}", all(mark in shown["lines"] for mark, shown in zip(marks.values(), told))
          and told[-1]["O"] == [["30.3054", "1.0000"], ["18.6191", "1.0000"]])
    told, bug, wrong = tell(page.locator("[data-part=weights]"), {}, dict(version="blockwise_bug"), dict(Q="1 2 3"))
    check(f"own numbers: {told}", near(told["weights"][0], [.0871, .0321, .6439, .2369, 1]) and "fault" in wrong
          and near(told["scores"][0], [1, 0, 3, 2]) and near(told["output"][0], [30.3054, 1]) and "fault" not in told)
    check(f"version 3's weights add up to 2: {bug}", all(near(row[-1:], [2]) for row in bug["weights"]))

    part, recorded = open_part(page, f"{root}/02_safe_softmax/index.html", "factor"), table("hot")[1:]
    for row, told in zip(recorded, tell(part, *(dict(hot=float(row[0])) for row in recorded))):
        check(f"factor {row}: {told}", near([told["largest"]], row[1:2], 0.011) and told["lost-safe"] == "0"
              and near([int(told["lost-matrix"]) / 512], row[2:3]))
    ends = [(row[0], float(row[1])) for row in table("overflow")]
    check(f"where types end: {told}", [(type, float(end)) for type, end, _ in told["rows"]] == ends)

    part = open_part(page, f"{root}/03_blockwise_bug/index.html", "blocks")
    for block, count, *deviations in table("blocks")[1:]:
        for deviation, told in zip(deviations, tell(part, *(dict(block=int(block), values=v) for v in (2, 0, 1)))):
            shown = [told["deviation"], told["sum"], told["blocks"]]
            check(f"block {block}: {told}", near(shown, [deviation, count, count]))

    part, recorded = open_part(page, f"{root}/04_online_softmax/index.html", "account"), table("account")[1:]
    told = tell(part, *(dict(step=step) for step in (0, 1, 2, 3, 63)))
    check(f"the account: {told}", len(told[-1]["rows"]) == len(recorded) and all(
        near(a[1:4], b[2:5]) for a, b in zip(told[-1]["rows"], recorded)) and all(
        mark in shown["lines"] for mark, shown in zip(("fmaxf", "rescale = expf", "sum[i] *=", "O[i][c] *="), told)))
    told = tell(page.locator("[data-part=merge]"), *(dict(cut=cut) for cut in (0, 1, 24, 63, 64)))
    check(f"merged wherever the cut is: {told}", all(
        near(shown["result"].split()[:4], told[0]["result"].split()[:4], 2e-4) for shown in told))

    part = open_part(page, f"{root}/05_cuda/index.html", "bytes")
    for n, told in zip(("256", "512", "1024"), tell(part, dict(n=256), dict(n=512), dict(n=1024))):
        recorded = [row[2] for row in table("traffic") if row[:2] in (["naive float32", n], ["flash float32", n])]
        check(f"bytes at {n}: {told}", near([row[2] for row in told["rows"]], recorded, 0))
    told = tell(page.locator("[data-part=threads]"), *(dict(thread=thread) for thread in range(36, 40)))
    columns = [int(column) for shown in told for column in shown["columns"].split()]
    check(f"a quad holds every column once: {told}", sorted(columns) == list(range(64))
          and told[0]["quad"] == "36 – 39")


def test_programs(page, root):
    for lesson in sorted(TOP.glob("0[0-4]_*")):
        page.goto(f"{root}/{lesson.name}/index.html")
        page.locator(".run button").first.click()
        page.locator("pre.output:not(:empty)").first.wait_for()
        output = page.locator("pre.output").first.text_content()
        check(f"{lesson.name} prints {output}", output == native(f"build/stage-{lesson.name[1]}")[1])
