"""Imports reviews of spans and of answers, and answers to flags, from the lines of a file.

The reviewed span or answer must exist, or the answer that came with the flag. A review that exists already is skipped;
one that contradicts it is refused. Reviewers are names; unknown ones are added.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from annotation.models import Annotation, FlagAnswer, Rating, Reviewer, SpanReview, SpotCheck, Task
from annotation.protocols import TaskPlan, Unit
from annotation.studies.planning import task_key
from annotation.studies.secret_seeds import mixed
from config.bulk_insert import packed_time
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading import line_fields
from files.reading.line_import import LineImport
from files.reading.rater_lookup import DEFAULT_KIND
from files.reading.target import ImportTarget

LOOKUP = 500
SPAN, ANSWER, FLAG = "span", "answer", "flag"
OF_TASK = frozenset({"outputs", "variant", "revision"})
OF_RATING = frozenset({"submitted_at", "ordinal", "run", "replicate"})
COMMON = frozenset({"review", "item", "rater", "number", "verdict", "reviewer", "at"})
KEYS = {
    SPAN: COMMON | {"question", "index", "reason"},
    ANSWER: COMMON | {"note", "seen_at"} | OF_TASK,
    FLAG: COMMON | {"note", "seen_at", "flag"} | OF_TASK,
}
VERDICTS = {
    SPAN: frozenset(SpanReview.Verdict.values),
    ANSWER: frozenset(SpotCheck.Verdict.values),
    FLAG: frozenset(FlagAnswer.Outcome.values),
}
UNSAID = {SPAN: SpanReview.Verdict.WITHDRAWN.value, ANSWER: SpotCheck.Verdict.OK.value, FLAG: None}
"""The verdict that needs no reason."""
WHAT = {SPAN: "span", ANSWER: "answer", FLAG: "answer with the flag"}
FLAG_COLUMNS = (
    "id", "rater_id", "task_id", "number", "is_current", "outcome", "note", "by_id", "at", "flag", "seen_at",
)  # fmt: skip
CHECK_COLUMNS = ("id", "annotation_id", "number", "is_current", "verdict", "note", "by_id", "at", "seen_at")
REVIEW_COLUMNS = ("id", "rating_id", "index", "number", "is_current", "verdict", "reason", "by_id", "at")

Place = tuple[int, ...]
"""The subject of a review: an answer, or a rating and the index of a span in it."""


@dataclass(slots=True)
class ReadReview:
    """A line, checked by itself. It is about an answer if it has a `plan`, otherwise about an imported rating."""

    line: int
    kind: str
    item: str
    rater: str
    plan: TaskPlan | None
    revision: int
    unit: Unit
    apart: tuple[Any, ...]
    """Time, ordinal, run and replicate, which tell ratings of a unit apart; people's reruns are not."""
    question: int
    index: int
    number: int
    reviewer: str
    said: tuple[Any, ...]
    """Verdict, words, reviewer and time; of a flag also its own words."""
    seen_at: Any


class ReviewImport(LineImport[ReadReview]):
    """Imports the reviews of one file."""

    batch_size = 400

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.reviewers = dict(Reviewer.objects.filter(study=self.study).values_list("name", "pk"))

    def read(self, line: int, body: Mapping[str, Any]) -> ReadReview:
        kind = body.get("review")
        if not isinstance(kind, str) or kind not in KEYS:
            raise FieldInvalidError("review", f"must be {SPAN}, {ANSWER} or {FLAG}, not {quoted(kind)}")
        of_task = kind != SPAN or body.get("outputs") is not None
        about = OF_TASK if of_task else OF_RATING | self.protocol.unit_keys
        line_fields.only(body, KEYS[kind] | about)
        question = self.target.question_of.get(body["question"]) if isinstance(body.get("question"), str) else None
        if kind == SPAN and question is None:
            raise FieldInvalidError("question", "must be a question of this study")
        verdict, words = body.get("verdict"), line_fields.text(body, "reason" if kind == SPAN else "note") or ""
        if not isinstance(verdict, str) or verdict not in VERDICTS[kind]:
            raise FieldInvalidError("verdict", f"must be one of {', '.join(sorted(VERDICTS[kind]))}")
        if not words and verdict != UNSAID[kind]:
            raise FieldInvalidError("reason" if kind == SPAN else "note", "is missing")
        at, flag = line_fields.moment(body, "at"), (line_fields.text(body, "flag") or "") if kind == FLAG else None
        for field, given in (("at", at), ("flag", "absent" if flag is None else flag)):
            if not given:
                raise FieldInvalidError(field, "is missing")
        reviewer = _name(body, "reviewer")
        return ReadReview(
            line=line,
            kind=kind,
            item=_name(body, "item"),
            rater=_name(body, "rater"),
            plan=_plan(body) if of_task else None,
            revision=_whole(body, "revision", 1) if of_task and kind != FLAG else 1,
            unit=Unit() if of_task or question is None else self.protocol.read_unit(body, question),
            apart=() if of_task else _apart(body),
            question=question.pk if question else 0,
            index=_whole(body, "index", 0) if kind == SPAN else 0,
            number=_whole(body, "number", 1),
            reviewer=reviewer,
            said=(verdict, words, reviewer, at, *([] if flag is None else [flag])),
            seen_at=line_fields.moment(body, "seen_at") if kind != SPAN else None,
        )

    def stage(self, batch: list[ReadReview]) -> None:
        answers, works, ratings = self._find(batch)
        placed: dict[str, list[tuple[Any, ReadReview]]] = {SPAN: [], ANSWER: [], FLAG: []}
        for one in batch:
            about = answers.get(_answer_name(one)) if one.plan is not None else 0
            reviewed: Any
            if one.kind == FLAG:
                reviewed = works.get(_answer_name(one))
            elif one.kind == ANSWER:
                reviewed = about
            else:
                reviewed, spans = ratings.get(_rating_name(one, about), (0, 0))
                reviewed = reviewed if one.index < spans else 0
            if reviewed:
                placed[one.kind].append((reviewed, one))
            else:
                what = f"this study does not have the {WHAT[one.kind]} that this review is about"
                self.problems.add(one.line, "", what)
        if not self.problems.found:
            self._stage_reviewers(batch)
            self._stage_checks(placed[ANSWER])
            self._stage_reviews(placed[SPAN])
            self._stage_flags(placed[FLAG])

    def _find(
        self, batch: list[ReadReview]
    ) -> tuple[dict[tuple[Any, ...], int], dict[tuple[Any, ...], Place], dict[tuple[Any, ...], Any]]:
        """Return what reviews may be about, by their names.

        These are submitted answers, and raters with tasks of answers of any status, by item, task, rater and revision;
        and ratings with spans as `_rating_name` names them.
        """
        read, found = self.staging.read, self.target.items.find(one.item for one in batch)
        items = {pk: key for key, (pk, _) in found.items()}
        outputs = {pk: key for _, named in found.values() for key, pk in named.items()}
        names = {pk: name for name, (pk, _) in self.target.raters.known.items()}
        people = {pk for pk, kind in self.target.raters.known.values() if kind == DEFAULT_KIND}
        tasks = {
            pk: (items[item], key)
            for pk, item, key in read(Task.objects.filter(item__in=list(items)), "pk", "item", "key")
        }
        answers: dict[tuple[Any, ...], int] = {}
        works: dict[tuple[Any, ...], Place] = {}
        for start in range(0, len(tasks), LOOKUP):
            rows = Annotation.objects.filter(task__in=list(tasks)[start : start + LOOKUP])
            for pk, task, rater, revision, status in read(rows, "pk", "task", "rater", "revision", "status"):
                works[*tasks[task], names[rater], revision] = (rater, task)
                if status == Annotation.Status.SUBMITTED:
                    answers[*tasks[task], names[rater], revision] = pk
        ratings: dict[tuple[Any, ...], Any] = {}
        marked = Rating.objects.filter(item__in=list(items), level=Rating.Level.SPAN)
        for pk, item, answer, rater, question, output, other, at, ordinal, run, replicate, value in read(
            marked, "pk", "item", "annotation", "rater", "question", "output", "other_output", "submitted_at",
            "ordinal", "run", "replicate", "value",
        ):  # fmt: skip
            unit = Unit(outputs.get(output), outputs.get(other))
            rerun = ("", None) if rater in people else (run, replicate)
            name = (answer, question) if answer else (items[item], unit, names[rater], question, at, ordinal, *rerun)
            ratings[name] = (pk, len(value["spans"]))
        return answers, works, ratings

    def _stage_reviewers(self, batch: list[ReadReview]) -> None:
        new = sorted({one.reviewer for one in batch} - set(self.reviewers))
        named = list(zip(self.staging.next_ids(Reviewer, len(new)), new, strict=True))
        self.staging.insert(Reviewer, ("id", "study_id", "name"), [(pk, self.study.pk, name) for pk, name in named])
        self.reviewers.update({name: pk for pk, name in named})

    def _stage_checks(self, placed: list[tuple[int, ReadReview]]) -> None:
        rows = SpotCheck.objects.filter(annotation__in=sorted({answer for answer, _ in placed}))
        new, old = self._new([((answer,), one) for answer, one in placed], rows, ("annotation",), "note")
        self.staging.change(SpotCheck, "pk", old, is_current=False)
        ids = self._ids(SpotCheck, new)
        self.staging.insert(
            SpotCheck, CHECK_COLUMNS,
            [
                (
                    pk, answer, one.number, is_current, one.said[0], one.said[1], self.reviewers[one.reviewer],
                    packed_time(one.said[3]), packed_time(one.seen_at),
                )
                for pk, ((answer,), one, is_current) in zip(ids, new, strict=True)
            ],
        )  # fmt: skip

    def _stage_reviews(self, placed: list[tuple[int, ReadReview]]) -> None:
        rows = SpanReview.objects.filter(rating__in=sorted({rating for rating, _ in placed}))
        new, old = self._new(
            [((rating, one.index), one) for rating, one in placed], rows, ("rating", "index"), "reason"
        )
        self.staging.change(SpanReview, "pk", old, is_current=False)
        ids = self._ids(SpanReview, new)
        self.staging.insert(
            SpanReview, REVIEW_COLUMNS,
            [
                (
                    pk, rating, index, one.number, is_current, one.said[0], one.said[1],
                    self.reviewers[one.reviewer], packed_time(one.said[3]),
                )
                for pk, ((rating, index), one, is_current) in zip(ids, new, strict=True)
            ],
        )  # fmt: skip

    def _stage_flags(self, placed: list[tuple[Place, ReadReview]]) -> None:
        rows = FlagAnswer.objects.filter(task__in=sorted({task for (_, task), _ in placed}))
        new, old = self._new(placed, rows, ("rater", "task"), "note", ("outcome", "flag"))
        self.staging.change(FlagAnswer, "pk", old, is_current=False)
        ids = self._ids(FlagAnswer, new)
        self.staging.insert(
            FlagAnswer, FLAG_COLUMNS,
            [
                (
                    pk, *work, one.number, is_current, one.said[0], one.said[1], self.reviewers[one.reviewer],
                    packed_time(one.said[3]), one.said[4], packed_time(one.seen_at),
                )
                for pk, (work, one, is_current) in zip(ids, new, strict=True)
            ],
        )  # fmt: skip

    def _ids(self, model: type[Model], new: Sequence[tuple[Place, ReadReview, bool]]) -> list[int]:
        """Primary keys of new reviews, in a secret order: what is reviewed leads to a system."""
        about = [(0, place) for place, *_ in new]
        return mixed(self.study, model.__name__, self.staging.next_ids(model, len(new)), about)

    def _new(
        self, placed: list[tuple[Place, ReadReview]], rows: QuerySet[Any], fields: tuple[str, ...], words: str,
        verdict_and_more: tuple[str, ...] = ("verdict",),
    ) -> tuple[list[tuple[Place, ReadReview, bool]], list[int]]:  # fmt: skip
        """Return the reviews that are new, each with whether it is current, and the existing ones that they supersede.

        `rows` are the existing reviews of these subjects, which `fields` name. A contradiction is a problem.
        """
        verdict, *more = verdict_and_more
        names = {pk: name for name, pk in self.reviewers.items()}
        known: dict[Place, dict[int, tuple[int, Any]]] = defaultdict(dict)
        columns = ("pk", "number", verdict, words, "by", "at", *more, *fields)
        for pk, number, found, said, by, at, *rest in self.staging.read(rows, *columns):
            known[tuple(rest[len(more) :])][number] = (pk, (found, said, names[by], at, *rest[: len(more)]))
        new: list[tuple[Place, ReadReview]] = []
        for place, one in placed:
            same = known[place].get(one.number)
            if same is None:
                known[place][one.number] = (0, one.said)
                new.append((place, one))
            elif same[1] != one.said:
                self.problems.add(one.line, "number", f"review {one.number} exists and is different")
        self.problems.refuse_if_any()
        self.added += len(new)
        newest = {place: max(known[place]) for place, _ in new}
        old = [
            pk for place, last in newest.items() for number, (pk, _) in known[place].items() if pk and number != last
        ]
        return [(place, one, one.number == newest[place]) for place, one in new], old


def _answer_name(one: ReadReview) -> tuple[Any, ...]:
    return one.item, task_key(one.plan) if one.plan else "", one.rater, one.revision


def _rating_name(one: ReadReview, answer: int | None) -> tuple[Any, ...]:
    if one.plan is not None:
        return answer, one.question
    return one.item, one.unit, one.rater, one.question, *one.apart


def _apart(body: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        line_fields.moment(body, "submitted_at"), line_fields.whole(body, "ordinal") or 0,
        line_fields.text(body, "run", line_fields.LONGEST_RUN) or "", line_fields.whole(body, "replicate"),
    )  # fmt: skip


def _plan(body: Mapping[str, Any]) -> TaskPlan:
    outputs = line_fields.keys(body, "outputs")
    if outputs is None:
        raise FieldInvalidError("outputs", "is missing")
    return TaskPlan(tuple(outputs), line_fields.text(body, "variant") or "")


def _name(body: Mapping[str, Any], field: str) -> str:
    try:
        return check_id(body.get(field), field)
    except TextRefusedError as problem:
        raise FieldInvalidError(field, problem.reason) from None


def _whole(body: Mapping[str, Any], field: str, least: int) -> int:
    number = line_fields.whole(body, field, least)
    if number is None:
        raise FieldInvalidError(field, "is missing")
    return number
