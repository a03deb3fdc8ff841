"""How long it takes to erase a study, and how long other writers wait meanwhile.

    python -m benchmarks.erasing [ITEMS]

Three annotations with two ratings each per item: 20,000 items have 120,000 ratings. Another process writes a row 50
times per second. It runs on SQLite in a new folder, and on PostgreSQL too if TEST_POSTGRES_URL names a server.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.importing import RATERS, ROOT, STUDY, annotations, items, measure_on_both, run, write

ITEMS = 20_000
WRITER = """
import sys, time, django
django.setup()
from accounts.models import BrowserSession
from django.utils import timezone
waits, number = [], 0
print("writing", flush=True)
import threading
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.wait(0.02):
    begin, number = time.perf_counter(), number + 1
    BrowserSession.objects.create(session_key=f"benchmark-{number}", session_data="", expire_date=timezone.now())
    waits.append(time.perf_counter() - begin)
print(f"{max(waits):.2f} s, the longest of {len(waits):,} writes")
"""


def measure(name: str, url: str, folder: Path, count: int) -> None:
    environment = {"DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}
    run(environment, "manage.py", "migrate", "-v0")
    study = ("manage.py", "import_study", str(folder / "study.yaml"))
    run(environment, *study, "--items", str(folder / "items.jsonl"), "--annotations", str(folder / "annotations.jsonl"))
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER], cwd=ROOT, env={**os.environ, **environment}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert writer.stdout is not None
    writer.stdout.readline()
    seconds, peak = run(environment, "manage.py", "erase_study", "benchmark", "--confirm", "benchmark")
    waited = writer.communicate()[0].strip()
    print(f"{name}: {count * RATERS * 2:,} ratings erased in {seconds:.1f} s ({peak:.0f} MB); others waited {waited}")


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
