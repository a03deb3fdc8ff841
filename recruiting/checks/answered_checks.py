"""Answers to checks, as rows that figures, rules and files read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.answers import Answer, Sheet
from annotation.models import Annotation, Question, Rater, Study, TaskOutput
from annotation.protocols import Protocol, protocols
from annotation.questions import question_types
from annotation.studies.check_draws import checks_of
from recruiting.checks.check_tables import CheckItem, CheckKind

COMPARED = frozenset({"nominal", "ordinal", "interval", "rank", "choice", "extremes"})
"""Levels of measurement whose answers can be right, or given twice."""
TIE = "tie"
LOWER_IS_BETTER = frozenset({"rank"})


@dataclass(frozen=True)
class AnsweredCheck:
    """A rater's current answer to a check's task.

    `share` is what it counts for its kind, from 0 to 1: whether gold was right, whether the damaged output was found
    worse, the share of questions answered as before. None if it cannot be said.
    """

    annotation: int
    rater: Rater
    check: CheckItem
    status: str
    answers: Mapping[str, Any]
    before: Mapping[str, Any] | None
    seconds: float | None
    at: datetime | None
    share: float | None

    @property
    def expected(self) -> Any:
        """What was expected: right values, the output that must not be preferred, or what was answered before."""
        kind = self.check.kind
        if kind == CheckKind.GOLD:
            return self.check.expected
        return {"damaged": self.check.damaged} if kind == CheckKind.TWIN else self.before


def answered_checks(study: Study, rater: Rater | None = None) -> Iterator[AnsweredCheck]:
    """The answers to checks of a study, or of one rater, in the order in which they were given."""
    about = {item.item_id: item for item in CheckItem.objects.filter(item__study=study).select_related("source")}
    mine = {"rater__study": study} if rater is None else {"rater": rater}
    rows = Annotation.objects.filter(
        **mine, task__item__check_item__isnull=False, is_current=True, status__in=Annotation.ANSWERED
    ).select_related("rater", "task").order_by("pk")  # fmt: skip
    found = list(rows)
    before = _answers_before(found, about)
    shown = _shown_keys([*found, *before.values()])
    reading = _Reading(study)
    for row in found:
        check = about[row.task.item_id]
        first = before.get(row.pk)
        yield AnsweredCheck(
            row.pk, row.rater, check, row.status, row.answers, first.answers if first else None, row.seconds,
            row.submitted_at, None if row.status != "submitted" else reading.share(check, row, first, shown),
        )  # fmt: skip


def _answers_before(rows: Sequence[Annotation], about: Mapping[int, CheckItem]) -> dict[int, Annotation]:
    """The rater's current answer to the task that each row's task was copied from, by primary key of the row."""
    wanted = {(row.rater_id, about[row.task.item_id].source_id, row.task.key): row.pk for row in rows}
    sources = {item for _, item, _ in wanted}
    given = Annotation.objects.filter(
        rater__in={row.rater_id for row in rows}, task__item__in=sources, is_current=True, status="submitted"
    ).select_related("task")
    found = {}
    for one in given:
        pk = wanted.get((one.rater_id, one.task.item_id, one.task.key))
        if pk is not None:
            found[pk] = one
    return found


def _shown_keys(rows: Sequence[Annotation]) -> dict[int, list[str]]:
    """The keys of outputs in the order shown, by annotation."""
    keys: dict[int, list[str]] = {}
    outputs = TaskOutput.objects.filter(task__in={row.task_id for row in rows}).order_by("task", "position")
    for task, key in outputs.values_list("task", "output__key"):
        keys.setdefault(task, []).append(key)
    return {row.pk: [keys[row.task_id][place] for place in row.shown] for row in rows}


class _Reading:
    """Reads answers by the study's questions and settings."""

    def __init__(self, study: Study) -> None:
        self.protocol: Protocol = protocols()[study.protocol]
        self.questions: list[Question] = list(study.questions.order_by("position"))
        checks = checks_of(study) or {}
        self.tolerance: Mapping[str, float] = checks.get("tolerance", {})
        low = {question.key for question in self.questions if question.spec.get("better") == "low"}
        self.lower = low.union((checks.get("twins") or {}).get("lower_is_better", ()))

    def share(
        self, check: CheckItem, row: Annotation, first: Annotation | None, shown: Mapping[int, list[str]]
    ) -> float | None:
        now = self._flat(row, shown[row.pk])
        before = self._flat(first, shown[first.pk]) if first is not None else {}
        if check.kind == CheckKind.GOLD:
            return self._gold(check.expected or {}, now)
        return self._twin(check.damaged, now, before) if check.kind == CheckKind.TWIN else self._repeat(now, before)

    def _flat(self, row: Annotation, keys: Sequence[str]) -> dict[tuple[Any, ...], Answer]:
        """The flat answers that can be compared, by question and output."""
        flat = self.protocol.ratings(row.answers, self.questions, Sheet.of(list(keys)))
        return {_place(one): one for one in flat if one.level in COMPARED}

    def _same(self, question: str, one: Any, other: Any) -> bool:
        if type(one) in (int, float) and type(other) in (int, float):
            return abs(one - other) <= self.tolerance.get(question, 0)
        return bool(one == other)

    def _gold(self, expected: Mapping[str, Any], now: Mapping[tuple[Any, ...], Answer]) -> float | None:
        """1 if every question that has a right answer got it."""
        found = []
        for key, right in expected.items():
            for (question, output, *_), given in now.items():
                if question != key:
                    continue
                by_output = isinstance(right, dict) and output in right and given.level not in ("rank", "extremes")
                found.append(self._same(key, given.value, right[output] if by_output else right))
            if not any(question == key for question, *_ in now) and self._is_compared(key):
                found.append(False)  # it was not answered
        return float(all(found)) if found else None

    def _is_compared(self, key: str) -> bool:
        return any(one.key == key and question_types()[one.type].level in COMPARED for one in self.questions)

    def _twin(self, damaged: str, now: Mapping[Any, Answer], before: Mapping[Any, Answer]) -> float | None:
        """1 if some question found the damaged output worse than an intact one, and none found it better."""
        signs = [sign for one in now.values() for sign in self._signs(damaged, one, now, before)]
        if not signs:
            return None
        return float(max(signs) > 0 and min(signs) >= 0)

    def _signs(
        self, damaged: str, one: Answer, now: Mapping[Any, Answer], before: Mapping[Any, Answer]
    ) -> Iterator[float]:
        """Above 0 for each comparison that the damaged output lost, 0 for ties, below 0 if it was preferred."""
        key = one.question.key
        if one.level == "choice":
            yield 0 if one.value == TIE else -1 if one.value == damaged else 1
        elif one.level == "extremes":
            yield (one.value["worst"] == damaged) - (one.value["best"] == damaged)
        elif one.level == "rank" and damaged in one.value:
            others = [rank for output, rank in one.value.items() if output != damaged]
            yield one.value[damaged] - sum(others) / len(others) if others else 0
        elif one.unit.output == damaged and one.number is not None and one.level in ("ordinal", "interval"):
            same = [other for place, other in now.items() if place[0] == key and other.unit.output != damaged]
            intact = same or [before[place] for place in (_place(one),) if place in before]
            for other in intact:
                if other.number is not None:
                    yield (one.number - other.number) * (1 if key in self.lower else -1)
        elif one.unit.output == damaged and isinstance(one.value, bool):
            earlier = before.get(_place(one))
            if earlier is not None and isinstance(earlier.value, bool):
                yield (int(one.value) - int(earlier.value)) * (1 if key in self.lower else -1)

    def _repeat(self, now: Mapping[Any, Answer], before: Mapping[Any, Answer]) -> float | None:
        """The share of questions that were answered as before."""
        both = [place for place in now if place in before]
        if not both:
            return None
        same = [self._same(place[0], now[place].value, before[place].value) for place in both]
        return sum(same) / len(same)


def _place(one: Answer) -> tuple[Any, ...]:
    pair = frozenset({one.unit.output, one.unit.other}) if one.unit.other is not None else None
    return (one.question.key, None if pair else one.unit.output, pair)
