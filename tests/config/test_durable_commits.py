"""A commit is on the disk before an answer is acknowledged. Tests run without that, so this asks a process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.house import ROOT

ASK = """
import django
django.setup()
from django.db import connection
with connection.cursor() as cursor:
    for name in ("journal_mode", "synchronous"):
        print(cursor.execute(f"PRAGMA {name}").fetchone()[0])
"""


def test_a_commit_to_a_file_of_sqlite_waits_for_the_disk(tmp_path: Path):
    mine = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SQLITE_SYNCHRONOUS")}
    done = subprocess.run(
        [sys.executable, "-c", ASK], cwd=ROOT, env={**mine, "VAR": str(tmp_path)}, capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["wal", "2"]  # 2 is FULL: each commit is flushed
