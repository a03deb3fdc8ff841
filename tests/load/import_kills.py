"""Imports that are killed at random moments, completed, and compared with one that nobody disturbed.

python -m tests.load.import_kills [--postgresql URL] [--kills 10] [--ratings 20000] [--seed 1]

Each kill meets an import into a study of its own. Afterwards the study is absent, or has the rows of the undisturbed
one once what was decided is rolled forward. Importing the same files again leaves those rows, and none pending.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.load.imports_beside_raters import STUDY, write_study
from tests.load.server import ROOT, environment, own_database, run

LONGEST = 120.0
IMPORT = """
import sys, django
django.setup()
from pathlib import Path
from files.reading import import_study
print("begun", flush=True)
import_study(Path(sys.argv[1]))
print("done", flush=True)
"""
ROWS = """
import hashlib, json, sys, django
django.setup()
from pathlib import Path
from django.core.management import call_command
from accounts.models import AuditEntry
from files.reading import import_study
from annotation.models import Item, Output, PendingImport, PendingRows, Rater, Rating, Study

def stored(slug):
    rows = [
        *Study.objects.filter(slug=slug).values_list("protocol", "status", "redundancy", "pending_import"),
        *Item.objects.filter(study__slug=slug).order_by("pk").values_list("key", "digest"),
        *Output.objects.filter(item__study__slug=slug).order_by("pk").values_list("item__key", "key", "text"),
        *Rater.objects.filter(study__slug=slug).order_by("pk").values_list("name", "kind", "import_pending"),
        *Rating.objects.filter(study__slug=slug).order_by("pk").values_list(
            "item__key", "output__key", "rater__name", "question__key", "value", "number", "ordinal", "is_current"),
    ]
    return {
        "rows": len(rows), "digest": hashlib.sha256(json.dumps(rows).encode()).hexdigest(),
        "pending": PendingImport.objects.count() + PendingRows.objects.count(),
    }

slug = sys.argv[1]
study = Study.objects.filter(slug=slug).first()
state = "absent" if study is None else "complete" if study.pending_import_id is None else "moving"
if state == "absent" and PendingRows.objects.exists():
    state = "kept"
call_command("complete_imports", stdout=sys.stderr)
forward = stored(slug)
import_study(Path(sys.argv[2]))
print(json.dumps({"state": state, "forward": forward, "again": stored(slug)}))
"""


@contextmanager
def importing(env: dict[str, str], source: Path) -> Iterator[subprocess.Popen]:
    """A process that begins to import now; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(source)], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def study_in(folder: Path, source: Path, slug: str) -> Path:
    """The folder of a study called `slug` with the tables of `source`."""
    made = folder / slug
    made.mkdir()
    (made / "study.yaml").write_text(STUDY.replace("slug: imported", f"slug: {slug}"))
    for table in ("items.jsonl", "ratings.jsonl"):
        (made / table).hardlink_to(source / table)
    return made


def trial(server_url: str | None, kills: int, ratings: int, seed: int) -> dict[str, Any]:
    """Kill imports at random moments, roll them forward, and compare."""
    moments, states, wrong = random.Random(seed), Counter(), []
    with tempfile.TemporaryDirectory() as name, own_database(server_url, Path(name)) as database:
        folder, env = Path(name), environment(database, Path(name))
        run(["manage.py", "migrate", "-v", "0"], env)
        write_study(folder / "tables", ratings)
        source = study_in(folder, folder / "tables", "undisturbed")
        with importing(env, source) as process:
            began = time.monotonic()
            told, _ = process.communicate(timeout=LONGEST)
            seconds = time.monotonic() - began
        expected = json.loads(run(["-c", ROWS, source.name, str(source)], env))["forward"]
        assert (told, expected["pending"]) == ("done\n", 0)
        for number in range(kills):
            source = study_in(folder, folder / "tables", f"killed-{number}")
            with importing(env, source):
                time.sleep(moments.uniform(0, seconds))
            found = json.loads(run(["-c", ROWS, source.name, str(source)], env))
            states[found["state"]] += 1
            decided = found["state"] in ("moving", "complete")
            if found["again"] != expected or (found["forward"] != expected if decided else found["forward"]["rows"]):
                wrong.append(found)
        return {
            "kills": kills, "undisturbed_seconds": round(seconds, 2), "rows": expected["rows"],
            "found_after_kills": dict(states), "wrong": wrong,
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which a database may be made; default SQLite")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--ratings", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    json.dump(trial(given.postgresql, given.kills, given.ratings, given.seed), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
