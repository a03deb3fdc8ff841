"""Sessions and labels from the lines of files: all of a file or nothing, and nothing that is there is changed.

A session brings its user's ratings with it: where neither annotations nor ratings in the same import have them,
they are made of the session's own line.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone

from annotation.importing import fields
from annotation.importing.own_tables import TableImport
from annotation.importing.problems import FieldInvalidError, quoted
from annotation.importing.ratings import checked_value
from annotation.models import Annotation, Item, Question, Rater, Rating, Task
from annotation.planning import task_key
from annotation.protocols import TaskPlan
from annotation.questions import question_types
from config.background.rows import Status
from config.fields import canonical_json
from sessions.history import COMMENT, RATING, imported_answers
from sessions.items import paper_ids
from sessions.labelling import VALUES, LabelRefusedError, check_label
from sessions.lines import IN_SESSION_LINES, session_line
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.reading import ReadSession, read_session
from sessions.variants import turn_variant
from sessions.workflow import ACTIVE, FIRST

LABEL_KEYS = frozenset({"session", "turn", "kind", "value", "rater", "rater_kind", "revision", "at"})
SUBMITTED = Annotation.Status.SUBMITTED


class SessionImport(TableImport):
    """One file's sessions on their way into a study."""

    table: ClassVar[str] = "sessions"

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self.questions = {question.key: question for question in self.study.questions.all()}
        self.made: list[tuple[ReadSession, RevisionSession]] = []
        self.lines: dict[str, int] = {}
        there = {session.key: session for session in self._known()}
        for line, body in objects:
            with _noted(self, line):
                read = read_session(line, body)
                self._check(read)
                if read.body["id"] not in there:
                    self._make(read)
                elif canonical_json(session_line(there[read.body["id"]])) != canonical_json(read.body):
                    raise FieldInvalidError("id", f"session {quoted(read.body['id'])} is there and says otherwise")
        self.problems.refuse_if_any()

    def _known(self) -> Iterable[RevisionSession]:
        return RevisionSession.objects.filter(study=self.study).select_related("study", "item", "rater")

    def _check(self, read: ReadSession) -> None:
        key = read.body["id"]
        first = self.lines.setdefault(key, read.line)
        if first != read.line:
            raise FieldInvalidError("id", f"{quoted(key)} stands in line {first} already")
        for turn in read.turns:
            for name in (RATING, COMMENT):
                if turn.get(name) is not None:
                    question = self.questions[name]
                    checked_value(turn[name], question, question_types()[question.type], machine=False)

    def _make(self, read: ReadSession) -> None:
        body = read.body
        item = Item.objects.filter(study=self.study, key=body["item"]).first()
        if item is None:
            raise FieldInvalidError("item", f"{quoted(body['item'])} is no item of this study")
        self._check_passages(item, body)
        task = Task.objects.filter(item=item, variant=body["model"], outputs=None).first()
        session = RevisionSession.objects.create(
            study=self.study, key=body["id"], item=item, task=task or self._task(item, body["model"]),
            rater=self._rater(body["rater"]), model=body["model"], status=body.get("status") or ACTIVE,
            started_at=read.times["started_at"], ended_at=read.times["ended_at"], imported=True,
        )  # fmt: skip
        now = timezone.now()
        first = {"number": 0, "kind": FIRST, "answer": body["initial_answer"], "passages": body.get("initial_passages")}
        Turn.objects.bulk_create(_turn_row(session, turn, now) for turn in [first, *read.turns])
        self.made.append((read, session))
        self.added += 1

    def _check_passages(self, item: Item, body: Mapping[str, Any]) -> None:
        papers = paper_ids(item)
        found = [("initial_passages", passage) for passage in body.get("initial_passages", ())]
        for place, turn in enumerate(body["turns"]):
            found += [(f"turns.{place}.passages", passage) for passage in turn.get("passages", ())]
        for field, passage in found:
            if passage["document"] not in papers:
                raise FieldInvalidError(field, f"{quoted(passage['document'])} is no paper of this item")

    def _task(self, item: Item, model: str) -> Task:
        """The task of the item and a model, also of one that the study does not offer."""
        plan = TaskPlan((), model)
        return Task.objects.create(item=item, key=task_key(plan), variant=model)

    def _rater(self, name: str) -> Rater:
        self.raters.name_and_kind(name, None)
        self.raters.flush()
        return Rater.objects.get(pk=self.raters.known[name][0])

    def settle(self) -> None:
        """Link the ratings that annotations brought, make those that nothing brought, and the labels too."""
        for read, session in self.made:
            with _noted(self, read.line):
                self._settle(read, session)
        self.problems.refuse_if_any()

    def _settle(self, read: ReadSession, session: RevisionSession) -> None:
        turns = {turn.number: turn for turn in session.turns.all()}
        variants = {turn_variant(session.key, turn["number"]): turn["number"] for turn in read.turns}
        tasks = dict(Task.objects.filter(item=session.item, variant__in=list(variants)).values_list("variant", "pk"))
        own = {
            annotation.task_id: annotation
            for annotation in Annotation.objects.filter(
                task__in=list(tasks.values()), rater=session.rater, is_current=True, status=SUBMITTED
            )
        }
        rated = imported_answers(session, [turn["number"] for turn in read.turns])
        for variant, number in variants.items():
            said, turn = read.turns[number - 1], turns[number]
            turn.task_id = tasks.get(variant)
            turn.annotation = own.get(turn.task_id or 0)
            there = rated.get(number)
            if turn.annotation is not None or there is not None:
                self._compare(number, said, turn, there)
            if turn.annotation is None:
                self._rate(session, variant, said, {} if there is None else there["answers"])
            turn.save(update_fields=["task", "annotation"])
            self._label(said, turn)

    def _compare(self, number: int, said: Mapping[str, Any], turn: Turn, there: Mapping[str, Any] | None) -> None:
        """Refuse where the session's line and the ratings, or annotations, contradict each other."""
        answers = turn.annotation.answers if turn.annotation is not None else (there or {})["answers"]
        for name in (RATING, COMMENT):
            if name in answers and answers[name] != said.get(name):
                field = f"turns.{number - 1}.{name}"
                raise FieldInvalidError(field, "is not what the ratings, or annotations, of this rater say")

    def _rate(self, session: RevisionSession, variant: str, said: Mapping[str, Any], there: Mapping[str, Any]) -> None:
        """The ratings that a turn's line gives, but for those that are there."""
        for name in (RATING, COMMENT):
            if said.get(name) is not None and name not in there:
                question: Question = self.questions[name]
                kind = question_types()[question.type]
                Rating.objects.create(
                    study=self.study, question=question, rater=session.rater, item=session.item, variant=variant,
                    level=kind.level, number=kind.number(said[name]), value=said[name], seconds=said.get("seconds"),
                    submitted_at=fields.moment(said, "submitted_at"),
                )  # fmt: skip

    def _label(self, said: Mapping[str, Any], turn: Turn) -> None:
        for kind in IN_SESSION_LINES:
            label = said.get(kind)
            if label is None:
                continue
            try:
                check_label(turn, said.get(RATING), kind, label["value"])
            except LabelRefusedError as problem:
                raise FieldInvalidError(f"turns.{turn.number - 1}.{kind}", str(problem)) from None
            known = self.raters.known.get(label["rater"])
            rater = Rater.objects.get(pk=known[0]) if known else self._rater(label["rater"])
            current = turn.labels.filter(kind=kind, rater=rater, is_current=True).first()
            if current is None:
                TurnLabel.objects.create(turn=turn, kind=kind, value=label["value"], rater=rater)
            elif current.value != label["value"]:
                reason = f"is not what the labels of {quoted(label['rater'])} say"
                raise FieldInvalidError(f"turns.{turn.number - 1}.{kind}", reason)


def _turn_row(session: RevisionSession, said: Mapping[str, Any], now: datetime) -> Turn:
    submitted = fields.moment(said, "submitted_at")
    return Turn(
        session=session, number=said["number"], kind=said["kind"], instruction=said.get("instruction", ""),
        previous_answer=said.get("previous_answer", ""), passages=said.get("passages"),
        searcher=said.get("searcher") or "", index=said.get("index") or "", summary=said.get("summary"),
        answer=said["answer"], edited_answer=said.get("edited_answer"), status=Status.DONE,
        ended_at=submitted or session.ended_at or now,
    )  # fmt: skip


class LabelImport(TableImport):
    """One file's labels of turns, with all their revisions."""

    table: ClassVar[str] = "labels"

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        for line, body in objects:
            with _noted(self, line):
                self._read(body)
        self.problems.refuse_if_any()

    def _read(self, body: Mapping[str, Any]) -> None:
        fields.only(body, LABEL_KEYS, "a label")
        name, _ = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        session, number, kind, value = (body.get(key) for key in ("session", "turn", "kind", "value"))
        turn = None
        if isinstance(session, str) and type(number) is int:
            turns = Turn.objects.filter(session__study=self.study, session__key=session, discarded=False)
            turn = turns.filter(number=number).first()
        if turn is None:
            raise FieldInvalidError("turn", "names no turn of this study's sessions")
        if not isinstance(kind, str) or not isinstance(value, str):
            raise FieldInvalidError("kind" if not isinstance(kind, str) else "value", "must be text")
        if kind not in VALUES or value not in VALUES[kind]:
            raise FieldInvalidError("value", "is no label of this kind")
        revision, at = fields.whole(body, "revision", 1) or 1, fields.moment(body, "at")
        self.raters.flush()
        self._add(turn, kind, value, Rater.objects.get(pk=self.raters.known[name][0]), revision, at)

    def _add(self, turn: Turn, kind: str, value: str, rater: Rater, revision: int, at: datetime | None) -> None:
        mine = turn.labels.filter(kind=kind, rater=rater).order_by("revision")
        there = {label.revision: (label.value, label.at) for label in mine}
        if revision in there:
            if there[revision] != (value, at):
                raise FieldInvalidError("revision", f"{revision} of this rater's label is there and says otherwise")
            return
        if revision != len(there) + 1:
            raise FieldInvalidError("revision", f"must be {len(there) + 1}: revisions come in order")
        mine.filter(is_current=True).update(is_current=False)
        TurnLabel.objects.create(turn=turn, kind=kind, value=value, rater=rater, revision=revision, at=at)
        self.added += 1


@contextmanager
def _noted(table: TableImport, line: int) -> Iterator[None]:
    """Note what is wrong with a line, and go on."""
    try:
        yield
    except FieldInvalidError as problem:
        table.problems.add(line, problem.field, problem.reason)
