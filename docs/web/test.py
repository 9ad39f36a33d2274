"""The pages in a real browser:  make test-web  (from the top level, after make web)

What readers do is done from a web server and from the disk. Then faults are planted in the pages, and each must be
found. CHROMIUM=path, if there is none in PATH; V=1 tells what takes how long. The last line is "N passed, N failed"."""
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from playwright.sync_api import sync_playwright

import test_pages as pages
import test_parts as parts
from test_pages import SITE
from test_parts import TOP, check

SIZE = 6_000_000  # bytes of the site
MUTANTS = "loop_no_scale", "online_sum_not_rescaled", "flash_output_not_rescaled", "bug_mended"
PLANTED = [("a mislabelled control", "keys in a block <", "Q and K times <"),
           ("a foreign request", "<main ", '<img alt="" src="http://127.0.0.1:9/x.png"><main ')]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def new_page(browser, root, **options):
    """a page whose console must stay silent and whose requests must stay at home"""
    page = browser.new_page(**options)
    page.on("console", lambda m: m.type in ("error", "warning") and check(f"{page.url}: console: {m.text}", False))
    page.on("pageerror", lambda e: check(f"{page.url}: {e}", False))
    own = root, "data:", "about:"
    page.on("request", lambda r: r.url.startswith(own) or check(f"{page.url} asks for {r.url}", False))
    return page


def planted(browser):
    """(name, the faults found) of every fault that is planted in a copy of the site"""
    def ask(site, test, *more):
        parts.faults.clear()
        page = new_page(browser, site.as_uri())
        test(page, site.as_uri(), *more)
        page.close()
        return list(parts.faults)
    with tempfile.TemporaryDirectory() as place:
        copy, site = pathlib.Path(place) / "source", pathlib.Path(place) / "site"
        shutil.copytree(TOP, copy, ignore=lambda folder, names: [
            n for n in names if n == ".git" or folder == str(TOP / "build") and n not in ("wasm", "flags")])
        shutil.copytree(SITE, site)
        flags = re.sub(r"-j\S*|--jobserver\S*", "", os.environ.get("MAKEFLAGS", ""))
        quiet = dict(cwd=copy, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "MAKEFLAGS": flags})
        for mutant in MUTANTS:
            patch = ["patch", "-p1", "-s", "-i", TOP / f"tests/grading/mutants/{mutant}.patch"]
            for command in patch, ["make", "build/web/ledger.wasm.js"], patch + ["-R"]:
                subprocess.run(command, **quiet)
            shutil.copy(copy / "build/web/ledger.wasm.js", site)
            yield mutant, ask(site, parts.test_ledger, parts.SETTINGS[1:17:5])
        shutil.copy(SITE / "ledger.wasm.js", site)
        for name, old, new in PLANTED:
            (site / "index.html").write_text((SITE / "index.html").read_text().replace(old, new, 1))
            yield name, ask(site, pages.test_controls, ["index.html"])


def told(what, start=time.monotonic()):
    if os.environ.get("V"):
        print(f"{time.monotonic() - start:6.1f} s  {what}", *parts.faults[-1:], flush=True)


def main():
    home, disk = serve(SITE), SITE.as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
                                             args=["--no-sandbox", "--disable-gpu"])
        for root in home, disk, home + "/zh":
            page = new_page(browser, home if root.startswith(home) else root)
            for test in (parts.test_ledger, parts.test_own_files, parts.test_tiles, parts.test_lessons,
                         parts.test_programs, pages.test_controls):
                test(page, root)
                told(f"{test.__name__}, {root}")
            page.close()
        page = new_page(browser, home)
        pages.test_widths(page, home)
        pages.test_links()
        told("every page")
        for test, root in ((pages.test_twins, disk), (pages.test_looks, disk), (pages.test_memory, disk),
                           (pages.test_weight, home)):
            test(functools.partial(new_page, browser, root), root)
            told(test.__name__)
        size = sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file())
        check(f"the site has {size} bytes", size <= SIZE)
        passed, faults = list(parts.passed), list(parts.faults)
        for name, found in planted(browser):
            (passed if found else faults).append(f"planted and not found: {name}")
            told(f"planted {name}:")
        browser.close()
    print(*(f"failed: {fault}" for fault in faults), sep="\n")
    print(f"{size} bytes: {len(passed)} passed, {len(faults)} failed")
    sys.exit(bool(faults or not passed))


if __name__ == "__main__":
    main()
