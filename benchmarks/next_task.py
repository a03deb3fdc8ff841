"""How long after Enter the next task is seen, in Chromium, and where that time goes.

    python -m benchmarks.next_task [--tasks 60] [--latency 0 20 50]

Starts the site on a temporary SQLite database with the processes of `make run`, and answers tasks of ratings and of
pairs with the keyboard, at a person's pace. Milliseconds from the key to the first frame after the next task has been
painted, by the page's own clock; "server" is from the request to the last byte of the answer. Latency is added to each
request, as a network would.
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

WIDE = {"width": 1366, "height": 768}
KEYS = {"rating": ("y", "4"), "pairwise": ("ArrowLeft",)}
PAUSE = 400
"""Milliseconds before each task's keys: shorter than a person's, and long enough for what a page does after it."""
FIRST = 3
"""Tasks that are not counted, because the server's processes and the browser's scripts are not warm yet."""
WATCH = """() => {
    const desk = () => document.querySelector("#desk")?.dataset.assignment;
    window.seen = [];
    document.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        const [pressed, before] = [performance.now(), desk()];
        const painted = () => requestAnimationFrame(() => window.seen.push({ pressed, painted: performance.now() }));
        const look = () => (desk() !== before ? painted() : requestAnimationFrame(look));
        look();
    }, true);
}"""
READ = """() => {
    const sent = performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/submit/")).at(-1);
    const { pressed, painted } = window.seen.at(-1);
    return { seen: painted - pressed, server: sent.responseEnd - sent.requestStart };
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--latency", type=float, nargs="+", default=[0, 20, 50], help="milliseconds per request")
    given = parser.parse_args()
    from tests.load.own_site import own_site

    with tempfile.TemporaryDirectory() as folder, own_site(Path(folder)) as server:
        cookies = {protocol: annotator_of(protocol, Path(folder)) for protocol in KEYS}
        server.workers, server.threads = 2, 4
        server.start()
        measure(server.address, cookies, given.tasks, given.latency)


def annotator_of(protocol: str, folder: Path) -> tuple[str, str]:
    """A study of this protocol: the address of its first task, and the cookie of its annotator."""
    from django.test import Client

    from accounts.models import Person
    from annotation.desk.assigning import next_assignment
    from annotation.members.membership import rater_for
    from benchmarks.desk import make_study

    person = Person.objects.create_user(f"annotator-of-{protocol}")
    study = make_study(protocol, folder, person)
    client = Client()
    client.force_login(person)
    assignment = next_assignment(study, rater_for(study, person))
    return f"/work/{assignment.key}/", client.cookies["sessionid"].value


def measure(address: str, cookies: dict[str, tuple[str, str]], tasks: int, latencies: list[float]) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM, QUIET

    print(f"{tasks} tasks each; milliseconds: best, median, 95th percentile, longest.")
    print(f"{'protocol':<10} {'latency':>7} {'seen after Enter':>26} {'of it the server':>26}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        for protocol, (path, cookie) in cookies.items():
            for latency in latencies:
                path, seen = answered(browser, address, path, cookie, KEYS[protocol], tasks, latency)
                columns = "".join(f"{summary([one[name] for one in seen]):>27}" for name in ("seen", "server"))
                print(f"{protocol:<10} {latency:>7g}{columns}", flush=True)
        browser.close()


def answered(
    browser: Any, address: str, path: str, cookie: str, keys: tuple[str, ...], tasks: int, latency: float
) -> tuple[str, list[dict[str, float]]]:
    """Answer tasks from `path` on in a new browser profile; the path of the next, and what each took."""
    context = browser.new_context(viewport=WIDE, locale="en-US", base_url=address)
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": address}])
    context.add_init_script(f"({WATCH})()")
    page = context.new_page()
    control = context.new_cdp_session(page)
    control.send("Network.enable")
    unlimited = {"downloadThroughput": -1, "uploadThroughput": -1}
    control.send("Network.emulateNetworkConditions", {"offline": False, "latency": latency, **unlimited})
    page.goto(path, wait_until="load")
    seen = []
    for number in range(FIRST + tasks):
        page.wait_for_timeout(PAUSE)
        for key in (*keys, "Enter"):
            page.keyboard.press(key)
        while page.evaluate("window.seen.length") <= number:
            page.wait_for_timeout(10)
        seen.append(page.evaluate(READ))
    path = page.url.removeprefix(address)
    context.close()
    return path, seen[FIRST:]


def summary(values: list[float]) -> str:
    ordered = sorted(values)
    return ", ".join(
        f"{one:.0f}" for one in (ordered[0], statistics.median(ordered), ordered[int(0.95 * len(ordered))], ordered[-1])
    )


if __name__ == "__main__":
    main()
