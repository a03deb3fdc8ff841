"""Speed and memory of import, planning and export.

    python -m benchmarks.importing [ITEMS]

100,000 items, each with a document of 300 words and one output of 60 words; 60,000 ratings; three annotations per item.
Every step runs in a process of its own. Its time includes the start of the process, and its peak memory is printed. It
runs on SQLite in a new folder, and on PostgreSQL too if TEST_POSTGRES_URL names a server.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ITEMS, RATINGS, RATERS = 100_000, 60_000, 3
DOCUMENT_WORDS, OUTPUT_WORDS = 300, 60
ROOT = Path(__file__).resolve().parent.parent
STUDY = """
slug: benchmark
protocol: rating
redundancy: 3
questions:
  - {key: follows, type: binary, text: Does it follow the instruction?}
  - {key: how_well, type: likert, min: 1, max: 5, text: How well?}
"""
PLAN = """
import time, django
django.setup()
from annotation.models import Slot, Study, Task
from annotation.studies.lifecycle import prepare
study, begin = Study.objects.get(), time.perf_counter()
prepare(study, 10**6)
print(f"    {Task.objects.count():,} tasks, {Slot.objects.count():,} slots in {time.perf_counter() - begin:.1f} s")
"""


def write(path: Path, lines: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def items(count: int) -> Iterable[Any]:
    chance = random.Random(0)
    syllables = ["ra", "mo", "ti", "ve", "lan", "dor", "is", "que", "pa", "sul", "en", "bré"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(5000)]
    for number in range(count):
        yield {
            "id": f"item-{number:06}",
            "document": " ".join(chance.choices(words, k=DOCUMENT_WORDS)),
            "instruction": "Summarise the document in one sentence.",
            "outputs": [{"id": "system-a", "text": " ".join(chance.choices(words, k=OUTPUT_WORDS))}],
        }


def ratings(items: int, count: int) -> Iterable[Any]:
    chance = random.Random(1)
    for number in range(count):
        yield {
            "item": f"item-{number // RATERS % items:06}",
            "output": "system-a",
            "rater": f"imported-{number % RATERS}",
            "question": "how_well",
            "value": chance.randint(1, 5),
        }


def annotations(items: int) -> Iterable[Any]:
    chance = random.Random(2)
    for number in range(items * RATERS):
        yield {
            "item": f"item-{number // RATERS:06}",
            "outputs": ["system-a"],
            "rater": f"rater-{number % RATERS}",
            "revision": 1,
            "status": "submitted",
            "answers": {"follows": chance.random() < 0.5, "how_well": chance.randint(1, 5)},
            "submitted_at": "2026-03-01T12:00:00Z",
            "seconds": 31.5,
        }


def run(environment: dict[str, str], *arguments: str, quiet: bool = True) -> tuple[float, float]:
    """Run Python with these arguments in a new process; return its seconds and peak MB. Exit if it fails."""
    begin = time.perf_counter()
    out = subprocess.DEVNULL if quiet else None
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, stdout=out)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def measure(name: str, url: str, folder: Path, count: int) -> None:
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run(environment, "manage.py", "migrate", "-v0")
    start, _ = run(environment, "manage.py", "shell", "-v0", "-c", "pass")
    print(f"{name}: an empty command takes {start:.1f} s", flush=True)

    def step(what: str, rows: int, *arguments: str) -> None:
        seconds, peak = run(environment, *arguments, quiet=arguments[0] != "-c")
        print(f"  {what:28} {seconds:7.1f} s {rows / seconds:9,.0f} /s {peak:6.0f} MB", flush=True)

    study = ("manage.py", "import_study", str(folder / "study.yaml"))
    step("import items", count, *study, "--items", str(folder / "items.jsonl"))
    step("import them again", count, *study, "--items", str(folder / "items.jsonl"))
    step("plan", count, "-c", PLAN)
    step("import ratings", min(RATINGS, count * RATERS), *study, "--ratings", str(folder / "ratings.jsonl"))
    step("agreement", min(RATINGS, count * RATERS), "manage.py", "agreement", "benchmark", "--json")
    step("import annotations", count * RATERS, *study, "--annotations", str(folder / "annotations.jsonl"))
    step("export", count * RATERS, "manage.py", "export_study", "benchmark", "--out", str(folder / f"out-{name}"))


def on_both(measure: Callable[[str, str], None], folder: Path) -> None:
    """Call `measure` for SQLite in `folder`, and for a new database on TEST_POSTGRES_URL if that is set."""
    measure("SQLite", f"sqlite:///{folder / 'benchmark.sqlite3'}")
    server = os.environ.get("TEST_POSTGRES_URL")
    if server is None:
        print("PostgreSQL: skipped, because TEST_POSTGRES_URL is not set")
        return
    name = f"interrater_benchmark_{os.getpid()}"
    subprocess.run(["psql", "-q", server, "-c", f"CREATE DATABASE {name}"], check=True)
    try:
        measure("PostgreSQL", urlunsplit(urlsplit(server)._replace(path=f"/{name}")))
    finally:
        subprocess.run(["psql", "-q", server, "-c", f"DROP DATABASE {name}"], check=True)


def measure_on_both(measure: Callable[[str, str, Path, int], None], folder: Path, count: int) -> None:
    """Call `measure` on both databases as `on_both` does."""
    on_both(lambda name, url: measure(name, url, folder, count), folder)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "study.yaml").write_text(STUDY)
        write(folder / "items.jsonl", items(count))
        write(folder / "ratings.jsonl", ratings(count, min(RATINGS, count * RATERS)))
        write(folder / "annotations.jsonl", annotations(count))
        print(f"{count:,} items, {(folder / 'items.jsonl').stat().st_size / 1e6:.0f} MB")
        measure_on_both(measure, folder, count)


if __name__ == "__main__":
    main()
