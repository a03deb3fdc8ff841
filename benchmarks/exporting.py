"""Speed and memory of exports, each in a process of its own.

    python -m benchmarks.exporting [RATINGS [ANNOTATIONS]]

By default 60,000 ratings of 20,000 items; 600000 300000 is the larger goal. Prints seconds by the clock, processor time
and peak memory of `export_study` with the command's start, per format, and the load of the machine. It runs on SQLite,
and on PostgreSQL too if TEST_POSTGRES_URL names a server.

    python -m benchmarks.exporting --multiply TIMES

Memory of JSONL alone: the 60,000 ratings are copied so many times in the database, 50 times for three million.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.importing import RATERS, ROOT, STUDY, annotations, items, on_both, ratings, run, write

RATINGS = 60_000
FORMATS = ("jsonl", "csv", "parquet")


def measure(environment: dict[str, str], folder: Path, form: str) -> str:
    """Export once; return the figures of the process."""
    command = [sys.executable, "manage.py", "export_study", "benchmark", "--out", str(folder / form), "--format", form]
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--data-only"], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"exporting {form} failed")
    seconds, processor = time.perf_counter() - begin, usage.ru_utime + usage.ru_stime
    return f"{form:8} {seconds:6.1f} s, {processor:6.1f} s of a processor, {usage.ru_maxrss / 1024:5.0f} MB"


MULTIPLY = """
import sys, django
django.setup()
from django.db import connection
cursor, times = connection.cursor(), int(sys.argv[1])
cursor.execute("SELECT * FROM annotation_rating LIMIT 1")
columns = [one[0] for one in cursor.description if one[0] not in ("id", "ordinal")]
named = ", ".join('"%s"' % name for name in columns)
cursor.execute("SELECT MAX(id) FROM annotation_rating")
last = cursor.fetchone()[0]
for number in range(1, times):
    cursor.execute(
        f"INSERT INTO annotation_rating ({named}, ordinal) SELECT {named}, {number}"
        f" FROM annotation_rating WHERE id <= {last}"
    )
cursor.execute("ANALYZE")
"""


def measure_formats(name: str, url: str, folder: Path, forms: Sequence[str], times: int = 1) -> None:
    """Import the files of `folder` into a new database and export them in these formats."""
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    files = {path.stem: str(path) for path in folder.glob("*.jsonl")}
    more = [part for table, path in sorted(files.items()) for part in (f"--{table}", path)]
    run(environment, "manage.py", "migrate", "-v0")
    run(environment, "manage.py", "import_study", str(folder / "study.yaml"), *more)
    if times > 1:
        run(environment, "-c", MULTIPLY, str(times))
    for form in forms:
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"{name:10} {measure(environment, folder, form)}, load {load}", flush=True)


def main() -> None:
    given = sys.argv[1:]
    times = int(given[1]) if given[:1] == ["--multiply"] else 1
    numbers = [] if times > 1 else [int(one) for one in given]
    count, answered = (*numbers, *(RATINGS, 0)[len(numbers) :])
    number = max(count // RATERS, answered // RATERS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "study.yaml").write_text(STUDY)
        write(folder / "items.jsonl", items(number))
        if answered:  # which bring two ratings each
            write(folder / "annotations.jsonl", annotations(answered // RATERS))
        else:
            write(folder / "ratings.jsonl", ratings(number, count))
        print(f"{number:,} items, {count * times:,} ratings, {answered:,} annotations", flush=True)
        forms = FORMATS if times == 1 else FORMATS[:1]
        on_both(lambda name, url: measure_formats(name, url, folder, forms, times), folder)


if __name__ == "__main__":
    main()
