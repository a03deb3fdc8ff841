"""Walk through every protocol on a real site, at all sizes, and say what was found.

    python -m tests.walks [--protocol rating …] [--width 390 …] [--zoom 100 …] [--scheme light …] [--hand touch …]
                          [--pictures FOLDER]

Each walk is a person's way from signing in by the guidelines and tasks to the end page, in a browser of its own. Looks
at each page: a picture of it, axe, sideways scrolling, controls that take clicks on less than 24 pixels or taps on
less than 44; and in the database at each answer.
Exits with 1 if anything was found.
"""

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.load.own_site import own_site

SIZES = {390: 844, 820: 1180, 1366: 768, 2560: 1440}
PATIENCE = 30_000
"""Milliseconds that a step may take, on a busy machine."""
NARROWEST = 320
"""A window at 200 % is half as wide, but not narrower than this: a phone that zooms more moves the page instead."""
CHOICES: dict[str, list[Any]] = {
    "protocol": ["rating", "listwise", "pairwise", "session"], "hand": ["keyboard", "touch"], "width": list(SIZES),
    "scheme": ["light", "dark"], "zoom": [100, 200],
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, choices in CHOICES.items():
        parser.add_argument(f"--{name}", nargs="+", choices=choices, default=choices, type=type(choices[0]))
    parser.add_argument("--pictures", type=Path, help="the folder for a picture of each step")
    given = parser.parse_args()
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, own_site(Path(folder)) as server:
        server.start()
        sys.exit(1 if walk_all(server.address, Path(folder), given) else 0)


def walk_all(address: str, folder: Path, given: argparse.Namespace) -> int:
    """Do the walks that were asked for and print a row for each. Return the number of findings."""
    # Imported here, because Django must be set up first.
    from playwright.sync_api import expect, sync_playwright

    from tests.browser.conftest import CHROMIUM, QUIET, axe_source

    axe, found = axe_source(), []
    expect.set_options(timeout=PATIENCE)
    print(f"{'walk':<40} {'steps':>5} {'answers':>7} {'axe':>4} {'others':>6} {'seconds':>7}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        for row in itertools.product(*(getattr(given, name) for name in CHOICES)):
            began = time.monotonic()
            walk = walked(browser, address, folder, row, axe=axe, pictures=given.pictures)
            seconds = time.monotonic() - began
            counts = f"{walk.steps:>5} {walk.sent:>7} {len(walk.axe_findings):>4} {len(walk.faults):>6} {seconds:>7.0f}"
            print(f"{walk.name:<40} {counts}", flush=True)
            found += [f"{walk.name} {fault}" for fault in walk.axe_findings + walk.faults]
        browser.close()
    print("\n".join(found) or "Nothing was found.")
    return len(found)


def walked(browser: Any, address: str, folder: Path, row: tuple[Any, ...], **given: Any) -> Any:
    """Do one walk in browsers of its own. One that cannot go on ends there, which is a finding."""
    from playwright.sync_api import Error

    from tests.browser.conftest import Desk
    from tests.walks.hands import HANDS
    from tests.walks.walked_studies import walk_through
    from tests.walks.walking import Walk

    protocol, hand, width, scheme, zoom = row
    size = {"width": max(width * 100 // zoom, NARROWEST), "height": SIZES[width] * 100 // zoom}
    desks: list[Desk] = []

    def new_desk(**options: Any) -> Desk:
        options |= {"viewport": size, "device_scale_factor": zoom / 100, "color_scheme": scheme}
        desks.append(Desk(browser, address, **options, reduced_motion="reduce"))
        desks[-1].context.set_default_timeout(PATIENCE)
        return desks[-1]

    walk = Walk("-".join(map(str, row)), HANDS[hand], zoom, **given)
    try:
        walk_through(walk, new_desk, protocol, folder)
    except (AssertionError, Error) as problem:
        walk.faults.append(f"stopped after step {walk.steps}: {' '.join(str(problem).split())[:600]}")
        if walk.pictures and desks:
            desks[-1].page.screenshot(path=walk.pictures / f"{walk.name}-stopped.png")
    for desk in desks:
        desk.context.close()
    return walk


if __name__ == "__main__":
    main()
