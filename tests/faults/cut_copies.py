"""Open the database that a power cut left, and print what is wrong with it, as JSON.

python -m tests.faults.cut_copies ACKNOWLEDGED
"""

import json
import sys
from pathlib import Path

import django

django.setup()

from django.db import connection  # noqa: E402

from annotation.models import Annotation  # noqa: E402
from operating.data_check import all_checks, run_check  # noqa: E402


def damage() -> list[str]:
    """What SQLite itself finds; PostgreSQL has recovered when it answers."""
    if connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        found = (
            cursor.execute("PRAGMA integrity_check").fetchall() + cursor.execute("PRAGMA foreign_key_check").fetchall()
        )
    return [str(row) for row in found if row != ("ok",)]


def main() -> None:
    expected = set(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    kept = {str(key) for key in Annotation.objects.values_list("client_key", flat=True)}
    findings = {check.key: run_check(check) for check in all_checks()}
    print(
        json.dumps(
            [
                *damage(),
                *(f"{key}: {found.count}" for key, found in findings.items() if found.count),
                *(f"lost: {key}" for key in sorted(expected - kept)),
            ]
        )
    )


if __name__ == "__main__":
    main()
