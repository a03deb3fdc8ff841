"""Answers to checks, as rows that figures, rules and files read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any

from annotation.answers import Answer, Sheet
from annotation.models import Annotation, Question, Rater, Study, TaskOutput
from annotation.protocols import Protocol, protocols
from annotation.questions import question_types
from annotation.studies.rater_forms import COMPARED
from parts.checks.models import CheckItem, CheckKind, FiledCheck
from parts.checks.settings import checks_of

TIE = "tie"


@dataclass(frozen=True)
class AnsweredCheck:
    """A rater's current answer to a check's task.

    `share` is what it counts for its kind, from 0 to 1: whether gold was right, whether the damaged output was found
    worse than the rater found it before, the share of questions answered as before. None if it cannot be said.
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


def outputs_that_can_fall(study: Study, row: Annotation) -> set[str]:
    """The keys of the outputs of a submitted answer that its rater could find worse than they did."""
    keys = _shown_keys([row])[row.pk]
    return {key for key in keys if _Reading(study).can_fall(key, row, keys)}


def _answers_before(rows: Sequence[Annotation], about: Mapping[int, CheckItem]) -> dict[int, Annotation]:
    """The rater's answer to the task that each row's task was copied from, by primary key of the row.

    It is the one that stood when the rater first answered the check: what they change later is no first answer.
    """
    raters = {row.rater_id for row in rows}
    answered = Annotation.objects.filter(rater__in=raters, status="submitted")
    checks = answered.filter(task__in={row.task_id for row in rows}).order_by("-pk")
    since = {(rater, task): pk for rater, task, pk in checks.values_list("rater", "task", "pk")}
    wanted = {(row.rater_id, about[row.task.item_id].source_id, row.task.key): row for row in rows}
    given = answered.filter(task__item__in={item for _, item, _ in wanted}).select_related("task")
    found = {}
    for one in given.order_by("pk"):
        row = wanted.get((one.rater_id, one.task.item_id, one.task.key))
        if row is not None and one.pk < since.get((row.rater_id, row.task_id), row.pk):
            found[row.pk] = one
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
        checks = checks_of(study)
        self.tolerance: Mapping[str, float] = checks.tolerance if checks else {}
        low = {question.key for question in self.questions if question.spec.get("better") == "low"}
        twins = checks.twins if checks else None
        self.lower = low.union(twins.lower_is_better if twins else ())
        self.telling = frozenset(twins.questions) if twins and twins.questions else None

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
        """1 if some question found the output worse than the rater did before it was damaged, and none better.

        None without an earlier answer, or if no question that tells could have found it worse than then.
        """
        signs = []
        for place, one in now.items():
            if place not in before or not self._tells(one):
                continue
            then, after = (self._liking(damaged, given) for given in (before[place], one))
            if then is None or after is None or (after == then and self._is_lowest(then, one)):
                continue
            signs.append(then - after)
        if not signs:
            return None
        return float(max(signs) > 0 and min(signs) >= 0)

    def _liking(self, damaged: str, one: Answer) -> float | None:
        """How well the rater found the output by this answer; None if the answer does not say."""
        if one.level == "choice":
            return 0.5 if one.value == TIE else float(one.value == damaged)
        if one.level == "extremes":
            return float((one.value["best"] == damaged) - (one.value["worst"] == damaged))
        if one.level == "rank":
            return float(-one.value[damaged]) if damaged in one.value else None
        if one.unit.output != damaged:
            return None
        if isinstance(one.value, bool) or (one.number is not None and one.level in ("ordinal", "interval")):
            number = float(one.value) if one.number is None else one.number
            return -number if one.question.key in self.lower else number
        return None

    def can_fall(self, key: str, row: Annotation, shown: Sequence[str]) -> bool:
        """Whether a question that tells has another answer than the lowest about this output."""
        likings = [(self._liking(key, one), one) for one in self._flat(row, shown).values() if self._tells(one)]
        return any(liking is not None and not self._is_lowest(liking, one) for liking, one in likings)

    def _tells(self, one: Answer) -> bool:
        return self.telling is None or one.question.key in self.telling

    def _is_lowest(self, liking: float, one: Answer) -> bool:
        return liking <= self._least(one)

    def _least(self, one: Answer) -> float:
        """What `_liking` is at least for such an answer: who found the output that bad cannot find it worse."""
        if one.level in ("choice", "extremes"):
            return 0.0 if one.level == "choice" else -1.0
        if one.level == "rank":
            last = max(one.value.values())  # of several in the last place, one can be found worse than the others
            return float(-last) if list(one.value.values()).count(last) == 1 else -inf
        low, high = question_types()[one.question.type].scale(one.question.spec) or (-inf, inf)
        return -high if one.question.key in self.lower else low

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


def shares_by_kind(study: Study) -> Iterator[tuple[int, str, float]]:
    """The rater, the kind of check and what it counts for, of each answer that counts: from files, then given here."""
    for rater, line in FiledCheck.objects.filter(study=study).order_by("pk").values_list("rater", "line"):
        if line.get("share") is not None:
            yield rater, line["kind"], line["share"]
    for answer in answered_checks(study):
        if answer.share is not None:
            yield answer.rater.pk, answer.check.kind, answer.share
