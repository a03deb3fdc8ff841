"""Time and peak memory of backup, restore, canonical export and checkdata, each in a process of its own.

    python -m benchmarks.backing_up [RATINGS]

By default 600,000 ratings: 60,000 imported ones, copied in the database. It runs on SQLite, and on PostgreSQL too if
TEST_POSTGRES_URL names a server. A restore goes into a new SQLite database.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.exporting import MULTIPLY
from benchmarks.importing import RATERS, ROOT, STUDY, items, on_both, ratings, run, write

RATINGS = 600_000
IMPORTED = 60_000


def measure(name: str, environment: dict[str, str], *command: str) -> None:
    """Run a command and print what it took; checkdata may find the copies."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *command], cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1 if command[0] == "checkdata" else 0):
        raise SystemExit(f"{command[0]} failed")
    seconds, processor = time.perf_counter() - begin, usage.ru_utime + usage.ru_stime
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(
        f"{name:10} {command[0]:16} {seconds:6.1f} s, {processor:6.1f} s of a processor, "
        f"{usage.ru_maxrss / 1024:5.0f} MB, load {load}", flush=True,
    )  # fmt: skip


def measure_all(name: str, url: str, folder: Path, times: int) -> None:
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run(environment, "manage.py", "migrate", "-v0")
    files = ("--items", str(folder / "items.jsonl"), "--ratings", str(folder / "ratings.jsonl"))
    run(environment, "manage.py", "import_study", str(folder / "study.yaml"), *files)
    run(environment, "-c", MULTIPLY, str(times))
    backup = folder / f"{name}.zip"
    measure(name, environment, "backup", str(backup))
    print(f"{name:10} {backup.stat().st_size / 1_000_000:.0f} MB in the file")
    measure(name, environment, "canonical_export")
    measure(name, environment, "checkdata")
    empty = {"DATABASE_URL": f"sqlite:///{folder}/{name}-restored.sqlite3", "VAR": str(folder / f"{name}-var")}
    measure(name, environment | empty, "restore", str(backup))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RATINGS
    imported = min(count, IMPORTED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "study.yaml").write_text(STUDY)
        write(folder / "items.jsonl", items(imported // RATERS))
        write(folder / "ratings.jsonl", ratings(imported // RATERS, imported))
        print(f"{imported // RATERS:,} items, {count // imported * imported:,} ratings", flush=True)
        on_both(lambda name, url: measure_all(name, url, folder, count // imported), folder)


if __name__ == "__main__":
    main()
