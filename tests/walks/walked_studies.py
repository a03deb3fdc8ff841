"""Studies of a few of the demo's items, and the whole way of a person through one of them."""

import json
from collections.abc import Callable
from pathlib import Path

from annotation.members.membership import add_member
from annotation.models import Study
from config.background.claiming import run_waiting
from files.reading import import_study
from retrieval.index_builds import ensure_index
from sessions.second_ratings import sample_turns
from tests.browser.conftest import Desk
from tests.conftest import make_person
from tests.house import ROOT
from tests.sessions.conftest import live
from tests.walks.walking import Walk
from tests.walks.ways import WAYS, second_rating

TASKS = {"rating": 3, "listwise": 2, "pairwise": 3, "session": 2}
"""How many tasks a study has for one person; for sessions, the turns of the only one."""
ITEMS = {"rating": ("feature-tide-clock",), "pairwise": ("summary-bees",), "session": ("shade-how-soon",),
         "listwise": ("news-night-ferry", "feature-cool-wash")}  # fmt: skip
"""The demo's longest document among them, and a pair with a document."""


def small_study(protocol: str, name: str, folder: Path) -> Study:
    """Import a live copy of a demo study with the items above, under a name of its own."""
    demo = ROOT / "demo" / protocol
    made = folder / name
    made.mkdir()
    head = (demo / "study.yaml").read_text(encoding="utf-8").replace(f"slug: demo-{protocol}\n", f"slug: {name}\n")
    (made / "study.yaml").write_text(head, encoding="utf-8")
    items = [json.loads(line) for line in (demo / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = [item for item in items if item["id"] in ITEMS[protocol]]
    (made / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in chosen), encoding="utf-8")
    study = live(import_study(made).study)
    if protocol == "session":
        ensure_index(study)
        run_waiting()
    return study


def walk_through(walk: Walk, new_desk: Callable[..., Desk], protocol: str, folder: Path) -> None:
    """Walk one person from signing in to the end page; for sessions also a second rater. Files go to `folder`."""
    study = small_study(protocol, walk.name, folder)
    walk.desk = new_desk(**walk.hand.options)
    arrive(walk, study, walk.name)
    WAYS[protocol](walk, TASKS[protocol])
    if protocol == "session":
        walk.hand.press(walk.page.get_by_role("button", name="Next question"))
    walk.end()
    if protocol == "session":
        sample_turns(study, count=1)
        walk.desk = new_desk(**walk.hand.options)
        arrive(walk, study, f"{walk.name}-second")
        second_rating(walk)
        walk.end()


def arrive(walk: Walk, study: Study, username: str) -> None:
    person = make_person(username)
    add_member(study, person, "annotator", None)
    walk.sign_in(username, f"{username} has a long password")
