"""What a machine's judgments cost and how long they took, over its finished runs."""

from typing import Any

from annotation.models import JudgeRun, Study

MILLION = 1_000_000
THOUSAND = 1000


def run_costs(study: Study) -> dict[int, dict[str, Any]]:
    """By a rater's primary key: judgments with an outcome, and price and seconds per 1,000 of them.

    `price_per_1000` is in the currency of the endpoints' prices, None if a run has no price; `seconds_per_1000` is by
    the clock from a run's start to its end, so it depends on how many calls were made at once.
    """
    found: dict[int, dict[str, Any]] = {}
    finished = JudgeRun.objects.filter(rater__study=study, status=JudgeRun.Status.FINISHED)
    for run in finished.filter(replaced_by__isnull=True):
        judged = sum(run.counts.values()) if run.counts else 0
        total = found.setdefault(run.rater_id, {"judgments": 0, "price": 0, "seconds": 0.0})
        total["judgments"] += judged
        if run.price is None or total["price"] is None:
            total["price"] = None
        else:
            total["price"] += run.price
        if run.started_at is None or run.ended_at is None or total["seconds"] is None:
            total["seconds"] = None
        else:
            total["seconds"] += (run.ended_at - run.started_at).total_seconds()
    return {rater: _per_thousand(**total) for rater, total in found.items() if total["judgments"]}


def _per_thousand(judgments: int, price: int | None, seconds: float | None) -> dict[str, Any]:
    return {
        "judgments": judgments,
        "price_per_1000": None if price is None else price / MILLION / judgments * THOUSAND,
        "seconds_per_1000": None if seconds is None else seconds / judgments * THOUSAND,
    }
