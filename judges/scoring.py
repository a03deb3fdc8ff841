"""Runs of metrics: one job that computes the scores of a study's outputs in chunks and writes them as ratings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from annotation.answers import Unit
from annotation.machine_ratings import MachineRating, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.models import Item, JudgeRun, Output, Question, Rating, Study
from annotation.protocols import UnitInvalidError, protocols
from annotation.questions import ValueInvalidError
from config.background.claiming import Claim
from judges.metric_configuration import MetricConfiguration
from judges.metrics import Metric, MetricError, MetricInput, Scored, metrics
from judges.models import RunWork
from judges.unit import PlannedUnit
from judges.units import output_units, part_of

CHUNK = 500
"""Outputs that are computed and written together; a killed job repeats at most so many."""
VALID, LACKING = "valid", "without_reference"


def score_run(claim: Claim) -> None:
    """Compute what a claimed run has not computed yet. Raises MetricError, and what a claim raises."""
    work: RunWork = claim.row
    run = JudgeRun.objects.select_related("rater__study").get(pk=work.run_id)
    configuration, study = MetricConfiguration.of(run.configuration), run.rater.study
    metric, counts, done = metrics()[configuration.metric], Counter[str](), 0
    questions = list(Question.objects.filter(study=study, key__in=configuration.questions))
    units = _units(claim, study, configuration)
    while chunk := list(islice(units, CHUNK)):
        with claim.kept_alive():
            known = _scored_before(run, chunk, len(questions))
            new = [unit for unit in chunk if unit.output not in known]
            found = _scored(metric, configuration, new) if new else []
            write_machine_ratings(study, list(_ratings(run, study, questions, new, found)))
        done += len(chunk)
        counts[VALID] += len(known) + sum(one is not None for one in found)
        counts[LACKING] += sum(one is None for one in found)
        claim.update(planned=done)
    JudgeRun.objects.filter(pk=run.pk).update(counts={name: n for name, n in sorted(counts.items()) if n})


def _units(claim: Claim, study: Study, configuration: MetricConfiguration) -> Iterator[PlannedUnit]:
    """Yield the outputs that the run scores; a part of them is drawn once, so that later items do not change it."""
    if configuration.subset is None:
        return output_units(study)
    drawn = (claim.row.estimate or {}).get("outputs")
    if drawn is None:
        part = list(part_of(output_units(study), configuration.subset, configuration.seed))
        claim.update(estimate={"outputs": [unit.output for unit in part]})
        return iter(part)
    chosen = set(drawn)
    return (unit for unit in output_units(study) if unit.output in chosen)


def _scored_before(run: JudgeRun, chunk: Sequence[PlannedUnit], questions: int) -> set[int]:
    """Return the outputs that the run has scored for all its questions, before its job was killed or stopped."""
    rows = Rating.objects.filter(rater=run.rater_id, run=run.name, output__in=[unit.output for unit in chunk])
    counted = Counter(rows.values_list("output", flat=True))
    return {output for output, count in counted.items() if output is not None and count == questions}


def _scored(metric: Metric, configuration: MetricConfiguration, chunk: Sequence[PlannedUnit]) -> list[Scored | None]:
    """Return the scores of outputs; None for those that lack what the metric needs."""
    items = Item.objects.in_bulk({unit.item for unit in chunk})
    texts = dict(Output.objects.filter(pk__in=[unit.output for unit in chunk]).values_list("pk", "text"))
    need, named = metric.needed(configuration.options), set(configuration.references)
    inputs: dict[int, MetricInput] = {}
    for place, unit in enumerate(chunk):
        item = items[unit.item]
        references = tuple(one["text"] for one in item.references or () if one["writer"] in named or one["id"] in named)
        if (need == "references" and not references) or (need == "document" and not item.document.strip()):
            continue
        inputs[place] = MetricInput(texts[unit.output or 0], item.document, references, item.instruction)
    scored = metric.scores(list(inputs.values()), configuration.options)
    by_place = dict(zip(inputs, scored, strict=True))
    return [by_place.get(place) for place in range(len(chunk))]


def _ratings(
    run: JudgeRun,
    study: Study,
    questions: Sequence[Question],
    chunk: Sequence[PlannedUnit],
    scored: Sequence[Scored | None],
) -> Iterator[MachineRating]:
    for unit, found in zip(chunk, scored, strict=True):
        if found is None:
            continue
        for question in questions:
            try:
                answer = checked_answer(question, protocols()[study.protocol], Unit(unit.order[0]), found.value)
            except (UnitInvalidError, ValueInvalidError) as problem:
                raise MetricError(f"{question.key}: a score {problem}") from None
            yield MachineRating(
                answer, run.rater_id, unit.item, unit.output, run=run.name,
                metadata={"truncated": found.truncated} if found.truncated else None,
            )  # fmt: skip
