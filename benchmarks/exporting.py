"""Speed and memory of exports, each in a process of its own.

    python -m benchmarks.exporting [RATINGS [ANNOTATIONS]]

By default 60,000 ratings of 20,000 items; 600000 300000 is the larger goal. Prints seconds by the clock, processor time
and peak memory of `export_study` with the command's start, per format.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.importing import RATERS, ROOT, STUDY, annotations, items, ratings, run, write

RATINGS = 60_000


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


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else RATINGS
    answered = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    number = max(count // RATERS, answered // RATERS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "study.yaml").write_text(STUDY)
        write(folder / "items.jsonl", items(number))
        more = ["--items", str(folder / "items.jsonl")]
        if answered:  # which bring two ratings each
            write(folder / "annotations.jsonl", annotations(answered // RATERS))
            more += ["--annotations", str(folder / "annotations.jsonl")]
        else:
            write(folder / "ratings.jsonl", ratings(number, count))
            more += ["--ratings", str(folder / "ratings.jsonl")]
        environment = {
            "DATABASE_URL": f"sqlite:///{folder / 'benchmark.sqlite3'}", "VAR": str(folder / "var"),
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }  # fmt: skip
        run(environment, "manage.py", "migrate", "-v0")
        run(environment, "manage.py", "import_study", str(folder / "study.yaml"), *more)
        print(f"{number:,} items, {count:,} ratings, {answered:,} annotations", flush=True)
        for form in ("jsonl", "csv", "parquet"):
            print(measure(environment, folder, form), flush=True)


if __name__ == "__main__":
    main()
