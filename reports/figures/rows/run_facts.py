"""What the finished runs of machines say beside their ratings: probes, and the outputs shown as examples."""

from django.db.models import QuerySet

from annotation.models import Item, JudgeRun, Output, Study
from judges.models import RunWork
from judges.probing import ProbeResult


def _counted_runs(study: Study) -> QuerySet[JudgeRun]:
    return JudgeRun.objects.filter(
        rater__study=study, status=JudgeRun.Status.FINISHED, replaced_by__isnull=True
    ).order_by("pk")


def probe_flips(study: Study) -> dict[int, tuple[int, int]]:
    """By a rater's primary key: judgments that injected texts turned, and judgments tried, in all its probes."""
    found: dict[int, tuple[int, int]] = {}
    works = RunWork.objects.filter(run__in=_counted_runs(study), probe__isnull=False).values_list("run__rater", "probe")
    for rater, stored in works.order_by("pk"):
        if stored is None:
            continue
        result = ProbeResult.of(stored)
        turned, tried = found.get(rater, (0, 0))
        found[rater] = (turned + result.flipped, tried + result.judged)
    return found


def example_outputs(study: Study) -> dict[tuple[int, str], set[int]]:
    """By a rater's primary key and a question: the primary keys of the outputs that its runs show as examples."""
    named: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for rater, configuration in _counted_runs(study).values_list("rater", "configuration").iterator():
        pool = ((configuration or {}).get("examples") or {}).get("pool") or {}
        for question, examples in pool.items():
            named.setdefault((rater, question), set()).update((item, output) for item, output, _ in examples)
    if not named:
        return {}
    items = {item for pairs in named.values() for item, _ in pairs}
    pks = Item.objects.filter(study=study, key__in=items).values_list("pk", flat=True)
    outputs = Output.objects.filter(item__in=list(pks)).values_list("item__key", "key", "pk")
    by_name = {(item, key): pk for item, key, pk in outputs}
    return {one: {by_name[pair] for pair in pairs if pair in by_name} for one, pairs in named.items()}
