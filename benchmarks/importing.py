"""Speed and memory of importing 100,000 items, and of planning their tasks and slots.

    python -m benchmarks.importing [ITEMS]

Each item has a document of 300 words and one output of 60. The import and the planning run in processes of their
own; peak memory is theirs. SQLite in a new folder; PostgreSQL too where TEST_POSTGRES_URL names a server.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ITEMS = 100_000
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


def write_items(path: Path, items: int) -> None:
    chance = random.Random(0)
    syllables = ["ra", "mo", "ti", "ve", "lan", "dor", "is", "que", "pa", "sul", "en", "bré"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(5000)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(items):
            item = {
                "id": f"item-{number:06}",
                "document": " ".join(chance.choices(words, k=DOCUMENT_WORDS)),
                "instruction": "Summarise the document in one sentence.",
                "outputs": [{"id": "system-a", "text": " ".join(chance.choices(words, k=OUTPUT_WORDS))}],
            }
            file.write(json.dumps(item, ensure_ascii=False) + "\n")


def run(environment: dict[str, str], *arguments: str) -> tuple[float, float]:
    """Seconds and peak MB of a process of its own; a failure is shown as it is."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


PLAN = """
import time, django
django.setup()
from annotation.models import Slot, Study, Task
from annotation.running import prepare
study, begin = Study.objects.get(), time.perf_counter()
prepare(study, 10**6)
seconds = time.perf_counter() - begin
print(f"  planned {Task.objects.count():,} tasks, {Slot.objects.count():,} slots in {seconds:.1f} s: "
      f"{Task.objects.count() / seconds:,.0f} tasks/s")
"""


def measure(name: str, url: str, folder: Path, items: int) -> None:
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run(environment, "manage.py", "migrate", "-v0")
    start, _ = run(environment, "manage.py", "showmigrations", "-v0")
    seconds, peak = run(
        environment, "manage.py", "import_study", str(folder / "study.yaml"), "--items", str(folder / "items.jsonl")
    )
    print(
        f"  {name}: {seconds:.1f} s in all ({start:.1f} s of it to start), {items / seconds:,.0f} items/s, {peak:.0f} MB"
    )
    _, peak = run(environment, "-c", PLAN)
    print(f"  planning: {peak:.0f} MB", flush=True)


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_items(folder / "items.jsonl", items)
        (folder / "study.yaml").write_text(STUDY)
        size = (folder / "items.jsonl").stat().st_size / 1e6
        print(f"{items:,} items, {size:.0f} MB", flush=True)
        measure("SQLite", f"sqlite:///{folder / 'benchmark.sqlite3'}", folder, items)
        server = os.environ.get("TEST_POSTGRES_URL")
        if server is None:
            print("  PostgreSQL: passed over, TEST_POSTGRES_URL is not set")
            return
        name = f"interrater_benchmark_{os.getpid()}"
        subprocess.run(["psql", "-q", server, "-c", f"CREATE DATABASE {name}"], check=True)
        try:
            measure("PostgreSQL", urlunsplit(urlsplit(server)._replace(path=f"/{name}")), folder, items)
        finally:
            subprocess.run(["psql", "-q", server, "-c", f"DROP DATABASE {name}"], check=True)


if __name__ == "__main__":
    main()
