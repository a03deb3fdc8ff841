"""Reviews of spans and of answers, from the lines of a file, batch by batch.

What a review is about must be there. A review that is there already is passed over; one that says otherwise is
refused. Reviewers are names, and are made on first sight.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing import fields
from annotation.importing.material import Material
from annotation.importing.problems import FieldInvalidError, Problems, quoted
from annotation.importing.raters import Raters
from annotation.models import Annotation, Rating, Reviewer, SpanReview, SpotCheck, Study, Task
from annotation.planning import task_key
from annotation.protocols import TaskPlan, Unit, UnitInvalidError, protocols
from annotation.text import TextRefusedError, check_id

BATCH = 400
SPAN, ANSWER = "span", "answer"
OF_TASK = frozenset({"outputs", "variant", "revision"})
OF_RATING = frozenset({"submitted_at", "ordinal"})
COMMON = frozenset({"review", "item", "rater", "number", "verdict", "reviewer", "at"})
KEYS = {SPAN: COMMON | {"question", "index", "reason"}, ANSWER: COMMON | {"note", "seen_at"} | OF_TASK}
VERDICTS = {SPAN: frozenset(SpanReview.Verdict.values), ANSWER: frozenset(SpotCheck.Verdict.values)}
UNSAID = {SPAN: SpanReview.Verdict.WITHDRAWN.value, ANSWER: SpotCheck.Verdict.OK.value}
"""The verdict that needs no words."""


@dataclass(slots=True)
class ReadReview:
    """A line, checked by itself: about an answer (`plan`), or, where that is None, about an imported rating."""

    line: int
    kind: str
    item: str
    rater: str
    plan: TaskPlan | None
    revision: int
    unit: Unit
    submitted_at: Any
    ordinal: int
    question: int
    index: int
    number: int
    reviewer: str
    said: tuple[Any, ...]
    """Verdict, words, reviewer, time."""
    seen_at: Any


class ReviewImport:
    """One file's reviews on their way into a study; counts what it did."""

    def __init__(self, study: Study, raters: Raters, material: Material, problems: Problems) -> None:
        self.study = study
        self.protocol = protocols()[study.protocol]
        self.questions = {question.key: question for question in study.questions.all()}
        self.raters = raters
        self.material = material
        self.problems = problems
        self.reviewers = dict(Reviewer.objects.filter(study=study).values_list("name", "pk"))
        self.added = 0
        self._batch: list[ReadReview] = []

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read and write all lines; raises ImportRefusedError with what is wrong."""
        for line, body in objects:
            try:
                self._batch.append(self._read(line, body))
            except (FieldInvalidError, UnitInvalidError) as problem:
                self.problems.add(line, problem.field, problem.reason)
                continue
            if len(self._batch) >= BATCH:
                self._flush()
        self._flush()
        self.problems.refuse_if_any()

    def _read(self, line: int, body: Mapping[str, Any]) -> ReadReview:
        kind = body.get("review")
        if not isinstance(kind, str) or kind not in KEYS:
            raise FieldInvalidError("review", f"must be {SPAN} or {ANSWER}, not {quoted(kind)}")
        of_task = kind == ANSWER or body.get("outputs") is not None
        about = OF_TASK if of_task else OF_RATING | self.protocol.unit_keys
        fields.only(body, KEYS[kind] | about, f"a review of {'a span' if kind == SPAN else 'an answer'}")
        question = self.questions.get(body["question"]) if isinstance(body.get("question"), str) else None
        if kind == SPAN and question is None:
            raise FieldInvalidError("question", "must be a question of this study")
        verdict, words = body.get("verdict"), fields.text(body, "reason" if kind == SPAN else "note") or ""
        if not isinstance(verdict, str) or verdict not in VERDICTS[kind]:
            raise FieldInvalidError("verdict", f"must be one of {', '.join(sorted(VERDICTS[kind]))}")
        if not words and verdict != UNSAID[kind]:
            raise FieldInvalidError("reason" if kind == SPAN else "note", "is missing")
        at = fields.moment(body, "at")
        if at is None:
            raise FieldInvalidError("at", "is missing")
        reviewer = _name(body, "reviewer")
        return ReadReview(
            line=line,
            kind=kind,
            item=_name(body, "item"),
            rater=_name(body, "rater"),
            plan=_plan(body) if of_task else None,
            revision=_whole(body, "revision", 1) if of_task else 1,
            unit=Unit() if of_task or question is None else self.protocol.read_unit(body, question),
            submitted_at=None if of_task else fields.moment(body, "submitted_at"),
            ordinal=0 if of_task else fields.whole(body, "ordinal") or 0,
            question=question.pk if question else 0,
            index=_whole(body, "index", 0) if kind == SPAN else 0,
            number=_whole(body, "number", 1),
            reviewer=reviewer,
            said=(verdict, words, reviewer, at),
            seen_at=fields.moment(body, "seen_at") if kind == ANSWER else None,
        )

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        answers, ratings = self._find(batch)
        placed: dict[str, list[tuple[int, ReadReview]]] = {SPAN: [], ANSWER: []}
        for one in batch:
            about = answers.get(_answer_name(one)) if one.plan is not None else 0
            if one.kind == ANSWER:
                target = about
            else:
                target, spans = ratings.get(_rating_name(one, about), (0, 0))
                target = target if one.index < spans else 0
            if target:
                placed[one.kind].append((target, one))
            else:
                what = "answer" if one.kind == ANSWER else "span"
                self.problems.add(one.line, "", f"is about no {what} that this study has")
        if not self.problems.found:
            self._name_reviewers(batch)
            self._write_checks(placed[ANSWER])
            self._write_reviews(placed[SPAN])

    def _find(self, batch: list[ReadReview]) -> tuple[dict[tuple[Any, ...], int], dict[tuple[Any, ...], Any]]:
        """Answers by item, task, rater and revision; ratings with spans by answer or by what tells them apart."""
        items = {pk: key for key, (pk, _) in self.material.find(one.item for one in batch).items()}
        names = {pk: name for name, (pk, _) in self.raters.known.items()}
        tasks = {
            pk: (items[item], key)
            for pk, item, key in Task.objects.filter(item__in=items).values_list("pk", "item", "key")
        }
        rows = Annotation.objects.filter(task__item__in=items, status="submitted")
        answers = {
            (*tasks[task], names[rater], revision): pk
            for pk, task, rater, revision in rows.values_list("pk", "task", "rater", "revision")
        }
        ratings: dict[tuple[Any, ...], Any] = {}
        marked = Rating.objects.filter(item__in=items, level=Rating.Level.SPAN)
        named = ("pk", "item", "annotation", "rater", "question", "output__key", "other_output__key", "submitted_at")
        for pk, item, answer, rater, question, output, other, at, ordinal, value in marked.values_list(
            *named, "ordinal", "value"
        ):
            name = (answer, question) if answer else (
                items[item], Unit(output, other), names[rater], question, at, ordinal
            )  # fmt: skip
            ratings[name] = (pk, len(value["spans"]))
        return answers, ratings

    def _name_reviewers(self, batch: list[ReadReview]) -> None:
        new = sorted({one.reviewer for one in batch} - set(self.reviewers))
        Reviewer.objects.bulk_create(Reviewer(study=self.study, name=name) for name in new)
        self.reviewers = dict(Reviewer.objects.filter(study=self.study).values_list("name", "pk"))

    def _write_checks(self, placed: list[tuple[int, ReadReview]]) -> None:
        rows = SpotCheck.objects.filter(annotation__in={target for target, _ in placed})
        there: dict[tuple[int, ...], dict[int, Any]] = defaultdict(dict)
        for target, number, *said in rows.values_list("annotation", "number", "verdict", "note", "by__name", "at"):
            there[(target,)][number] = tuple(said)
        new = self._new([((target,), one) for target, one in placed], there)
        for (target,), one in new:
            if one.number == max(there[(target,)]):
                SpotCheck.objects.filter(annotation=target, is_current=True).update(is_current=False)
        SpotCheck.objects.bulk_create(
            SpotCheck(
                annotation_id=target, number=one.number, is_current=one.number == max(there[(target,)]),
                verdict=one.said[0], note=one.said[1], by_id=self.reviewers[one.reviewer], at=one.said[3],
                seen_at=one.seen_at,
            )
            for (target,), one in new
        )  # fmt: skip

    def _write_reviews(self, placed: list[tuple[int, ReadReview]]) -> None:
        rows = SpanReview.objects.filter(rating__in={target for target, _ in placed})
        there: dict[tuple[int, ...], dict[int, Any]] = defaultdict(dict)
        named = ("rating", "index", "number", "verdict", "reason", "by__name", "at")
        for target, index, number, *said in rows.values_list(*named):
            there[target, index][number] = tuple(said)
        new = self._new([((target, one.index), one) for target, one in placed], there)
        for (target, index), one in new:
            if one.number == max(there[target, index]):
                SpanReview.objects.filter(rating=target, index=index, is_current=True).update(is_current=False)
        SpanReview.objects.bulk_create(
            SpanReview(
                rating_id=target, index=index, number=one.number, is_current=one.number == max(there[target, index]),
                verdict=one.said[0], reason=one.said[1], by_id=self.reviewers[one.reviewer], at=one.said[3],
            )
            for (target, index), one in new
        )  # fmt: skip

    def _new(
        self, placed: list[tuple[tuple[int, ...], ReadReview]], there: dict[tuple[int, ...], dict[int, Any]]
    ) -> list[tuple[tuple[int, ...], ReadReview]]:
        """Those that are not there yet; `there` then has them too. A problem for each that says otherwise."""
        new = []
        for target, one in placed:
            known = there[target].get(one.number)
            if known is None:
                there[target][one.number] = one.said
                new.append((target, one))
            elif known != one.said:
                self.problems.add(one.line, "number", f"review {one.number} is there already and says otherwise")
        self.problems.refuse_if_any()
        self.added += len(new)
        return new


def _answer_name(one: ReadReview) -> tuple[Any, ...]:
    return one.item, task_key(one.plan) if one.plan else "", one.rater, one.revision


def _rating_name(one: ReadReview, answer: int | None) -> tuple[Any, ...]:
    if one.plan is not None:
        return answer, one.question
    return one.item, one.unit, one.rater, one.question, one.submitted_at, one.ordinal


def _plan(body: Mapping[str, Any]) -> TaskPlan:
    outputs = fields.keys(body, "outputs")
    if outputs is None:
        raise FieldInvalidError("outputs", "is missing")
    return TaskPlan(tuple(outputs), fields.text(body, "variant") or "")


def _name(body: Mapping[str, Any], field: str) -> str:
    try:
        return check_id(body.get(field), field)
    except TextRefusedError as problem:
        raise FieldInvalidError(field, problem.reason) from None


def _whole(body: Mapping[str, Any], field: str, least: int) -> int:
    number = fields.whole(body, field, least)
    if number is None:
        raise FieldInvalidError(field, "is missing")
    return number
