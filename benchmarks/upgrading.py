"""What an update costs whose migration alters the tables of evidence, and whether all data is the same afterwards.

    python -m benchmarks.upgrading [--url DATABASE_URL] [--annotations 100000]

Makes a database of its own in a temporary folder (or uses the empty one given) with so many answers of two questions
each. The migration gives the tables of answers and of ratings a column and fills it, for which SQLite makes them again.
`migrate` makes a backup first, as in use. The lines of `canonical_export` are compared, before by this version and
afterwards by the later one, whose new columns are left out.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks._own_database import own_database
from benchmarks.item_pages import RATERS, make_study
from tests.later_versions import write_later_version

ROOT = Path(__file__).resolve().parent.parent
LATER = """
from importlib import import_module
from django.db import migrations, models
from config.triggers import Freeze

FIRST = import_module("annotation.migrations.0001_initial").Migration
FROZEN = {operation.table: operation for operation in FIRST.operations if isinstance(operation, Freeze)}

def fill(apps, editor):
    for name in ("Annotation", "Rating"):
        apps.get_model("annotation", name).objects.update(later=models.F("revision"))

class Migration(migrations.Migration):
    dependencies = [("annotation", "%s")]
    operations = [
        migrations.AddField("annotation", "later", models.IntegerField(default=0)),
        migrations.AddField("rating", "later", models.IntegerField(default=0)),
        migrations.RunPython(fill),
        FROZEN["annotation_annotation"],
        FROZEN["annotation_rating"],
    ]
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--annotations", type=int, default=100_000)
    given = parser.parse_args()
    with own_database(given.url) as folder:
        from django.db import connection

        make_study(-(-given.annotations // RATERS))
        connection.close()
        newest = max(path.stem for path in (ROOT / "annotation" / "migrations").glob("[0-9]*.py"))
        settings = write_later_version(folder, "annotation", {"9999_later": LATER % newest})
        earlier = {**os.environ, "PYTHONPATH": str(folder)}
        later = {**earlier, "DJANGO_SETTINGS_MODULE": settings}
        before, after = folder / "before", folder / "after"
        timed("canonical_export, this version", ["canonical_export", str(before)], earlier)
        timed("migrate: backup and migration", ["migrate", "-v", "0"], later)
        timed("canonical_export, later version", ["canonical_export", str(after)], later)
        timed("check --database default", ["check", "--database", "default", "--fail-level", "WARNING"], later)
        with before.open(encoding="utf-8") as old, after.open(encoding="utf-8") as new:
            different = sum(json.loads(one) != without_later(two) for one, two in zip(old, new, strict=True))
        print(f"{different} rows differ")


def without_later(line: str) -> Any:
    """A line of the canonical export without the columns that the migration has added."""
    found = json.loads(line)
    found["row"].pop("later", None)
    return found


def timed(name: str, command: list[str], environment: dict[str, str]) -> None:
    """Run a command of manage.py, and print the seconds that it took."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    print(f"{name:<40} {time.perf_counter() - begun:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
