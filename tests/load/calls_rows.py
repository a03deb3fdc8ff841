"""The rows of `tests.load.calls`. `python -m tests.load.calls_rows queue N|waiting|compare`."""

import json
import sys
from collections import Counter

import django

django.setup()

from django.db.models import Count  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.models import Study  # noqa: E402
from config.background.rows import WAITING  # noqa: E402
from llm.asking import Charge, Message, Request  # noqa: E402
from llm.models import Budget, Call, Completion  # noqa: E402
from llm.queueing import queue  # noqa: E402
from tests.load.engine import MODEL  # noqa: E402


def put(count: int) -> dict:
    study = Study.objects.create(slug="calls", protocol="rating", redundancy=1)
    for number in range(count):
        queue(Request(MODEL, (Message("user", f"This is call {number}."),)), Charge(study, run="load"))
    return {"calls": count}


def waiting() -> dict:
    return {"waiting": Completion.objects.filter(status__in=WAITING).count()}


def compare() -> dict:
    """What the rows and the ledger say; `wrong` must be empty."""
    wrong, paid_twice = [], 0
    for row in Completion.objects.select_related("call"):
        answered = Call.objects.filter(work=f"completion:{row.pk}", status="answered").count()
        asked = row.request["messages"][0]["content"].rstrip(".")
        paid_twice += max(answered - 1, 0)  # killed between the call's end and its result
        if row.status == "done" and not (
            row.call.status == "answered" and row.call.text == row.text and asked in row.text
        ):
            wrong.append(f"completion {row.pk}: {row.call.status} in the ledger, {row.text[:50]!r}")
        if row.status == "failed" and not row.reason:
            wrong.append(f"completion {row.pk} failed without a reason")
        if row.status not in ("done", "failed"):
            wrong.append(f"completion {row.pk} is {row.status}")
    alive = Call.objects.filter(status="running", lease_until__gt=timezone.now()).count()
    budget = Budget.objects.get(run="load")
    spent = sum(Call.objects.exclude(price_charged=None).values_list("price_charged", flat=True))
    reserved = sum(Call.objects.filter(status="running").values_list("price_reserved", flat=True))
    if (budget.spent, budget.reserved) != (spent, reserved):
        wrong.append(f"the budget says {budget.spent} + {budget.reserved}, the ledger {spent} + {reserved}")
    return {
        "rows": dict(Counter(Completion.objects.values_list("status", flat=True))),
        "ledger": dict(Call.objects.values_list("status").annotate(Count("pk"))),
        "answered_twice": paid_twice,
        "begun_again": Completion.objects.filter(attempt__gt=1).count(),
        "running_calls_without_worker": alive,
        "wrong": wrong,
    }


if __name__ == "__main__":
    steps = {"queue": lambda: put(int(sys.argv[2])), "waiting": waiting, "compare": compare}
    print(json.dumps(steps[sys.argv[1]]()))
