"""Compare the ledgers with the database and the export: each has every acknowledged submission exactly once.

    python -m tests.load.compare STUDY LEDGERS EXPORT

If there is no folder EXPORT yet, looks for contradictions that races can leave, and exports the study into it.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db.models import Count  # noqa: E402

from annotation.models import Annotation, Assignment, Rating, Slot  # noqa: E402
from tests.consistency import RACES  # noqa: E402


def main() -> None:
    slug, ledgers, export = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if not export.exists():
        call_command("checkdata", *sorted(RACES), stdout=sys.stderr)
        call_command("export_study", slug, "--out", str(export), "--data-only", stdout=sys.stderr)
    acknowledged = Counter(
        json.loads(line)["client_key"] for file in ledgers.glob("*.jsonl") for line in file.read_text().splitlines()
    )
    kept = Annotation.objects.filter(rater__study__slug=slug)
    stored = Counter(str(key) for key in kept.values_list("client_key", flat=True))
    exported = [json.loads(line) for line in (export / "annotations.jsonl").read_text().splitlines()]
    ratings = (export / "ratings.jsonl").read_text().splitlines()
    slots = Slot.objects.filter(study__slug=slug)
    twice = kept.filter(is_current=True).values("task", "rater").annotate(n=Count("pk")).filter(n__gt=1).count()
    per_task = Counter(slots.filter(state="filled").values_list("task", flat=True))
    print(
        json.dumps(
            {
                "acknowledged": sum(acknowledged.values()),
                "stored": sum(stored.values()),
                "exported": len(exported),
                "lost": len(acknowledged - stored),
                "unacknowledged": len(stored - acknowledged),
                "ratings_stored": Rating.objects.filter(study__slug=slug, is_current=True).count(),
                "ratings_exported": len(ratings),
                "slots": slots.count(),
                "filled": slots.filter(state="filled").count(),
                "surplus": kept.filter(surplus=True).count(),
                "rater_twice_on_a_task": twice,
                "raters_per_task": sorted(set(per_task.values())),
                "assignments": Assignment.objects.filter(rater__study__slug=slug).count(),
            }
        )
    )


if __name__ == "__main__":
    main()
