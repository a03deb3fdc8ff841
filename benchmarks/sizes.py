"""How many rows and bytes the database keeps per annotation and rating.

    python -m benchmarks.sizes [ITEMS]

Imports items, then three annotations with two ratings each per item, and reads the size of the database before and
after the annotations. It runs on SQLite in a new folder, and on PostgreSQL too if TEST_POSTGRES_URL names a server.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.importing import RATERS, ROOT, STUDY, annotations, items, measure_on_both, run, write

ITEMS = 5_000
PROBE = """
import django
django.setup()
from django.apps import apps
from django.db import connection
with connection.cursor() as cursor:
    if connection.vendor == "postgresql":
        cursor.execute("SELECT pg_database_size(current_database())")
    else:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
    print(cursor.fetchone()[0])
for model in apps.get_models():
    print(model._meta.db_table, model._default_manager.count())
"""


def probe(environment: dict[str, str]) -> tuple[int, dict[str, int]]:
    """Return the bytes of the database and the rows of each table."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, env={**os.environ, **environment}, text=True, capture_output=True,
        check=True,
    )  # fmt: skip
    first, *rest = done.stdout.splitlines()
    return int(first), {name: int(count) for name, count in (line.split() for line in rest)}


def measure(name: str, url: str, folder: Path, count: int) -> None:
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run(environment, "manage.py", "migrate", "-v0")
    study = ("manage.py", "import_study", str(folder / "study.yaml"), "--items", str(folder / "items.jsonl"))
    run(environment, *study)
    before, rows_before = probe(environment)
    run(environment, *study, "--annotations", str(folder / "annotations.jsonl"))
    after, rows_after = probe(environment)
    ratings = count * RATERS * 2
    grown = {table: rows_after[table] - rows_before[table] for table in rows_after}
    print(f"{name}: {(after - before) / ratings:.0f} bytes per rating ({ratings:,} ratings, {after - before:,} bytes)")
    for table, more in sorted(grown.items(), key=lambda pair: -pair[1]):
        if more:
            print(f"  {table}: {more / ratings:.2f} rows per rating")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "study.yaml").write_text(STUDY)
        write(folder / "items.jsonl", items(count))
        write(folder / "annotations.jsonl", annotations(count))
        measure_on_both(measure, folder, count)


if __name__ == "__main__":
    main()
