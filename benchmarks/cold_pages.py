"""What the first visit to a page of work takes on slow 4G with a slow processor: requests, script, time to live keys.

    python -m benchmarks.cold_pages [--runs 5] [--slower 4]

Starts the site with bundled scripts on a temporary SQLite database, and opens a page of each protocol in Chromium with
an empty cache. As soon as something is painted, the page's first keys are pressed. Milliseconds are counted from the
last byte of the HTML, by the page's own clock; "answered" is when all these keys have had their effect.
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

MOBILE = {"width": 390, "height": 844}
NETWORKS = {
    "Lighthouse": {"latency": 150.0, "downloadThroughput": 204_800, "uploadThroughput": 96_000},
    "DevTools": {"latency": 562.5, "downloadThroughput": 184_320, "uploadThroughput": 86_400},
}
"""Slow 4G: as Lighthouse defines it (150 ms, 1.6 Mbit/s), and as the preset of DevTools adapts it to its requests."""
FIRST_KEYS = {
    "rating": (["y", "4"], "#desk:has(#question-1 :checked):has(#question-2 :checked)"),
    "listwise": (["a", "1"], "[data-tier='1'] [data-chip=A]"),
    "pairwise": (["d", "ArrowDown"], "#desk:has(#differences[aria-pressed=true]):has(#question-1 :checked)"),
    "session": (["d"], "#answer-changes:not([hidden])"),
    "second rating": (["d", "2"], "#desk:has([data-shown=changes]:not([hidden])):has(#question-1 :checked)"),
}
SHORTEN = "Make it half as long."
WATCH = """([keys, effect]) => {
    const cold = (window.cold = {});
    const now = (name) => (cold[name] ??= performance.now());
    let early;
    Object.defineProperty(window, "earlyEvents", {
        set: (given) => { now("kept"); early = given; },
        get: () => early && (() => { const pressed = early(); now("alive"); return pressed; }),
    });
    new PerformanceObserver((list) => {
        if (!list.getEntriesByName("first-paint").length || cold.pressed) return;
        now("pressed");
        const press = (key) => new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true });
        for (const key of keys) document.body.dispatchEvent(press(key));
    }).observe({ type: "paint", buffered: true });
    const look = () => (document.querySelector(effect) ? now("answered") : requestAnimationFrame(look));
    look();
}"""
READ = """() => {
    const html = performance.getEntriesByType("navigation")[0].responseEnd;
    const scripts = performance.getEntriesByType("resource").filter((one) => one.name.endsWith(".js"));
    const size = scripts.reduce((sum, one) => sum + one.encodedBodySize, 0);
    const after = (name) => (name in window.cold ? window.cold[name] - html : null);
    const script = Math.max(...scripts.map((one) => one.responseEnd)) - html;
    const marks = Object.fromEntries(["kept", "pressed", "alive", "answered"].map((name) => [name, after(name)]));
    const painted = performance.getEntriesByName("first-paint")[0].startTime - html;
    return { html, size, script, painted, ...marks };
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--slower", type=float, default=4, help="by how much the processor is slowed down")
    given = parser.parse_args()
    from tests.load.own_site import own_site

    with tempfile.TemporaryDirectory() as folder, own_site(Path(folder)) as server:
        pages = make_pages(Path(folder))
        server.start()
        measure(server.address, pages, given.runs, given.slower)


def make_pages(folder: Path) -> dict[str, tuple[str, str]]:
    """A page for each row of the table: its path, and the cookie of the person who may open it."""
    from django.test import Client

    from accounts.models import Person
    from annotation.desk.assigning import next_assignment
    from annotation.members.membership import rater_for
    from annotation.models import Assignment
    from benchmarks.desk import ROOT, make_study
    from config.background.claiming import run_waiting
    from files.reading import import_study
    from retrieval.index_builds import ensure_index
    from sessions.topic_preferences import choose_topics
    from tests.sessions.conftest import begun, live, second_task, turned

    def page(person: Person, assignment: Assignment, below: str = "work") -> tuple[str, str]:
        client = Client()
        client.force_login(person)
        return f"/{below}/{assignment.key}/", client.cookies["sessionid"].value

    pages = {}
    for protocol in ("rating", "listwise", "pairwise"):
        person = Person.objects.create_user(f"annotator-of-{protocol}")
        study = make_study(protocol, folder, person)
        pages[protocol] = page(person, next_assignment(study, rater_for(study, person)))
    first, writer, second = (Person.objects.create_user(name) for name in ("first", "writer", "second"))
    study = live(import_study(ROOT / "demo" / "session").study, first, writer)
    ensure_index(study)
    run_waiting()
    for person in (first, writer):
        choose_topics(rater_for(study, person), [])
    own, other = begun(study, first), begun(study, writer)
    run_waiting()
    turned(own, SHORTEN, "good")
    again = second_task(other, second, SHORTEN)
    assignment = Assignment.objects.get(task=own.task_id, rater=own.rater_id)
    return pages | {"session": page(first, assignment, "sessions"), "second rating": page(second, again)}


def measure(address: str, pages: dict[str, tuple[str, str]], runs: int, slower: float) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import CHROMIUM, QUIET

    print(f"Best and median of {runs} visits; processor slowed down {slower:g} times.")
    print("                             requests   kB of   ms to    ms after the HTML:")
    print("network      page                      script   HTML     ", end="")
    print("script here    keys kept    painted      keys pressed keys alive   answered     lost")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        for network, conditions in NETWORKS.items():
            for name, (path, cookie) in pages.items():
                seen = [visit(browser, address, path, cookie, conditions, slower, name) for _ in range(runs)]
                print_row(network, name, seen)
        browser.close()


def visit(
    browser: Any, address: str, path: str, cookie: str, conditions: dict[str, float], slower: float, name: str
) -> dict[str, Any]:
    """Open a page in a new browser profile; what its clock says."""
    context = browser.new_context(viewport=MOBILE, locale="en-US")
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": address}])
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    keys, effect = FIRST_KEYS[name]
    context.add_init_script(f"({WATCH})({[keys, effect]!r})")
    control = context.new_cdp_session(page)
    control.send("Network.enable")
    control.send("Network.emulateNetworkConditions", {"offline": False, **conditions})
    control.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    response = page.goto(address + path, wait_until="load")
    if response is None or response.status != 200:
        raise SystemExit(f"{path} answered {response and response.status}")
    at_load = len(asked)
    page.wait_for_timeout(3000)
    figures = page.evaluate(READ)
    context.close()
    if figures["alive"] is None:
        raise SystemExit(f"{path} has not taken its early events: are they still called earlyEvents?")
    return figures | {"requests": at_load}


def print_row(network: str, name: str, seen: list[dict[str, Any]]) -> None:
    def best(key: str) -> str:
        values = [one[key] for one in seen if one[key] is not None]
        return f"{min(values):.0f}, {statistics.median(values):.0f}" if values else "never"

    lost = sum(one["answered"] is None for one in seen)
    requests, size = max(one["requests"] for one in seen), max(one["size"] for one in seen) / 1000
    columns = ("html", "script", "kept", "painted", "pressed", "alive", "answered")
    times = " ".join(f"{best(key):>12}" for key in columns)
    print(f"{network:<12} {name:<14} {requests:>10} {size:>7.1f} {times} {lost:>8}", flush=True)


if __name__ == "__main__":
    main()
