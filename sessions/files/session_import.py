"""Imports sessions and labels from the lines of files. Existing rows are never changed.

A session's line contains its user's ratings. They are imported from it unless the annotations or ratings of the same
import have them.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from annotation.models import Annotation, Item, Question, Rater, Rating, Task
from annotation.protocols import TaskPlan
from annotation.questions import question_types
from annotation.studies.planning import task_key
from config.background.rows import Status
from config.database_clock import database_now
from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, quoted
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from files.reading.rating_import import checked_value
from sessions.files.session_columns import LABELS, SESSIONS
from sessions.files.session_export import IN_SESSION_LINES, session_line
from sessions.files.session_lines import ReadSession, read_session
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.transcript import COMMENT, RATING
from sessions.turn_labels import VALUES, LabelRefusedError, check_label
from sessions.turn_variants import turn_variant
from sessions.workflow import ACTIVE, FIRST

MACHINE_KEYS = frozenset({"run", "replicate", "prompt_digest", "reply"})
LABEL_KEYS = MACHINE_KEYS | {"session", "turn", "kind", "value", "rater", "rater_kind", "revision", "at"}
LONGEST_DIGEST = 64
SUBMITTED = Annotation.Status.SUBMITTED


class SessionImport(TableImport):
    """Imports the sessions of one file."""

    typed = SESSIONS

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self.new: list[tuple[ReadSession, RevisionSession, dict[int, Turn]]] = []
        self.lines: dict[str, int] = {}
        known = RevisionSession.objects.filter(study=self.study).select_related("study", "item", "rater")
        existing = {session.key: session for session in known}
        for line, body in objects:
            with noted(self, line):
                read = read_session(line, body)
                self._check(read)
                if read.body["id"] not in existing:
                    self._add(read)
                elif canonical_json(session_line(existing[read.body["id"]])) != canonical_json(read.body):
                    raise FieldInvalidError("id", f"session {quoted(read.body['id'])} exists and is different")
        self.problems.refuse_if_any()

    def _check(self, read: ReadSession) -> None:
        key = read.body["id"]
        first = self.lines.setdefault(key, read.line)
        if first != read.line:
            raise FieldInvalidError("id", f"{quoted(key)} is already in line {first}")
        for turn in read.turns:
            for name in (RATING, COMMENT):
                if turn.get(name) is not None:
                    question = self.target.question_of[name]
                    checked_value(turn[name], question, question_types()[question.type])

    def _add(self, read: ReadSession) -> None:
        body = read.body
        rows = Item.objects.filter(study=self.study, key=body["item"])
        found = next(self.staging.read(rows, "pk", "content"), None)
        if found is None:
            raise FieldInvalidError("item", f"{quoted(body['item'])} is not an item of this study")
        item, content = found
        self._check_passages(content, body)
        session = RevisionSession(
            study_id=self.study.pk, key=body["id"], item_id=item, task_id=self._task(item, body["model"]),
            rater_id=self._rater(body["rater"]), model=body["model"], status=body.get("status") or ACTIVE,
            started_at=read.times["started_at"], ended_at=read.times["ended_at"], imported=True,
        )  # fmt: skip
        self.staging.add([session])
        self.target.note_work(item)
        now = database_now()
        first = {"number": 0, "kind": FIRST, "answer": body["initial_answer"], "passages": body.get("initial_passages")}
        turns = [_turn(session, turn, now) for turn in [first, *read.turns]]
        self.staging.add(turns)
        self.new.append((read, session, {turn.number: turn for turn in turns}))
        self.added += 1

    def _check_passages(self, content: Mapping[str, Any] | None, body: Mapping[str, Any]) -> None:
        papers = {paper["id"] for paper in (content or {})["documents"]}
        found = [("initial_passages", passage) for passage in body.get("initial_passages", ())]
        for place, turn in enumerate(body["turns"]):
            found += [(f"turns.{place}.passages", passage) for passage in turn.get("passages", ())]
        for field, passage in found:
            if passage["document"] not in papers:
                raise FieldInvalidError(field, f"{quoted(passage['document'])} is not a paper of this item")

    def _task(self, item: int, model: str) -> int:
        """Return the task of the item and a model. The study need not offer the model."""
        key = task_key(TaskPlan((), model))
        found = next(self.staging.read(Task.objects.filter(item=item, key=key), "pk"), None)
        if found is not None:
            return int(found[0])
        task = Task(item_id=item, key=key, variant=model)
        self.staging.add([task])
        return int(task.pk)

    def _rater(self, name: str) -> int:
        self.raters.name_and_kind(name, None)
        self.raters.flush()
        return self.raters.known[name][0]

    def settle(self) -> None:
        """Link the ratings that came with annotations, and add the ratings and labels that no other table had."""
        for read, session, turns in self.new:
            with noted(self, read.line):
                self._settle(read, session, turns)
        self.problems.refuse_if_any()

    def _settle(self, read: ReadSession, session: RevisionSession, turns: Mapping[int, Turn]) -> None:
        variants = {turn_variant(session.key, turn["number"]): turn["number"] for turn in read.turns}
        named = Task.objects.filter(item=session.item_id, variant__in=list(variants))
        tasks = dict(self.staging.read(named, "variant", "pk"))
        rated = Annotation.objects.filter(
            task__in=list(tasks.values()), rater=session.rater_id, is_current=True, status=SUBMITTED
        )
        own = {task: (pk, answers) for task, pk, answers in self.staging.read(rated, "task", "pk", "answers")}
        imported = self._imported_answers(session, list(variants))
        for variant, number in variants.items():
            said, turn = read.turns[number - 1], turns[number]
            turn.task_id = tasks.get(variant)
            turn.annotation_id, answers = own.get(turn.task_id or 0, (None, None))
            answers = imported.get(variant, {}) if turn.annotation_id is None else answers
            self._compare(number, said, answers)
            if turn.annotation_id is None:
                self._rate(session, variant, said, answers)
            if turn.task_id is not None:
                self.staging.change(Turn, "pk", [turn.pk], task_id=turn.task_id, annotation_id=turn.annotation_id)
            self._label(said, turn)

    def _imported_answers(self, session: RevisionSession, variants: list[str]) -> dict[str, dict[str, Any]]:
        """Return the imported ratings of the session's turns: {question: value} by variant; the newest wins."""
        keys = {question.pk: question.key for question in self.target.questions}
        rows = Rating.objects.filter(
            study=self.study, rater=session.rater_id, item=session.item_id, variant__in=variants, is_current=True
        )
        columns = ("submitted_at", "ordinal", "pk", "variant", "question", "value")
        found: dict[str, dict[str, Any]] = {}
        for *_, variant, question, value in sorted(self.staging.read(rows, *columns), key=_by_time):
            found.setdefault(variant, {})[keys[question]] = value
        return found

    def _compare(self, number: int, said: Mapping[str, Any], answers: Mapping[str, Any]) -> None:
        """Raise FieldInvalidError if the session's line contradicts the ratings or annotations."""
        for name in (RATING, COMMENT):
            if name in answers and answers[name] != said.get(name):
                field = f"turns.{number - 1}.{name}"
                raise FieldInvalidError(field, "differs from this rater's ratings or annotations")

    def _rate(self, session: RevisionSession, variant: str, said: Mapping[str, Any], known: Mapping[str, Any]) -> None:
        """Add the ratings of a turn's line that are not `known`."""
        ratings = []
        for name in (RATING, COMMENT):
            if said.get(name) is not None and name not in known:
                question: Question = self.target.question_of[name]
                kind = question_types()[question.type]
                ratings.append(Rating(
                    study_id=self.study.pk, question_id=question.pk, rater_id=session.rater_id,
                    item_id=session.item_id, variant=variant, level=kind.level, number=kind.number(said[name]),
                    value=said[name], seconds=said.get("seconds"),
                    submitted_at=line_fields.moment(said, "submitted_at"),
                ))  # fmt: skip
        self.staging.add(ratings)

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
            rater = known[0] if known else self._rater(label["rater"])
            rows = TurnLabel.objects.filter(turn=turn.pk, kind=kind, rater=rater, run="", is_current=True)
            current = next(self.staging.read(rows, "value"), None)
            if current is None:
                self.staging.add([TurnLabel(turn_id=turn.pk, kind=kind, value=label["value"], rater_id=rater)])
            elif current[0] != label["value"]:
                reason = f"differs from the labels of {quoted(label['rater'])}"
                raise FieldInvalidError(f"turns.{turn.number - 1}.{kind}", reason)


def _by_time(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sort ratings as the reader of sessions does: those without a time first."""
    submitted_at, ordinal, pk, *_ = row
    return (submitted_at is not None, submitted_at.timestamp() if submitted_at else 0.0, ordinal, pk)


def _turn(session: RevisionSession, said: Mapping[str, Any], now: datetime) -> Turn:
    submitted = line_fields.moment(said, "submitted_at")
    return Turn(
        session_id=session.pk, number=said["number"], kind=said["kind"], instruction=said.get("instruction", ""),
        previous_answer=said.get("previous_answer", ""), passages=said.get("passages"),
        searcher=said.get("searcher") or "", index=said.get("index") or "", summary=said.get("summary"),
        answer=said["answer"], edited_answer=said.get("edited_answer"), status=Status.DONE,
        ended_at=submitted or session.ended_at or now,
    )  # fmt: skip


class LabelImport(TableImport):
    """Imports the labels of one file, with all their revisions."""

    typed = LABELS

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        for line, body in objects:
            with noted(self, line):
                self._read(body)
        self.problems.refuse_if_any()

    def _read(self, body: Mapping[str, Any]) -> None:
        line_fields.only(body, LABEL_KEYS)
        name, by = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        session, number, kind, value = (body.get(key) for key in ("session", "turn", "kind", "value"))
        turn = self._turn(session, number) if isinstance(session, str) and type(number) is int else None
        if turn is None:
            raise FieldInvalidError("turn", "is not a turn of this study's sessions")
        if not isinstance(kind, str) or not isinstance(value, str):
            raise FieldInvalidError("kind" if not isinstance(kind, str) else "value", "must be text")
        if kind not in VALUES:
            raise FieldInvalidError("kind", f"must be one of {', '.join(VALUES)}, not {quoted(kind)}")
        if value not in VALUES[kind]:
            raise FieldInvalidError("value", f"must be one of: {', '.join(VALUES[kind])}")
        revision, at = line_fields.whole(body, "revision", 1) or 1, line_fields.moment(body, "at")
        said = _machine_said(body, by)
        self.raters.flush()
        rater = self.raters.known[name][0]
        self._add(TurnLabel(turn_id=turn, kind=kind, value=value, rater_id=rater, revision=revision, at=at, **said))

    def _turn(self, session: str, number: int) -> int | None:
        """Return the primary key of a turn, or None."""
        rows = RevisionSession.objects.filter(study=self.study, key=session)
        for (pk,) in self.staging.read(rows, "pk"):
            turns = Turn.objects.filter(session=pk, number=number, discarded=False)
            return next((turn for (turn,) in self.staging.read(turns, "pk")), None)
        return None

    def _add(self, label: TurnLabel) -> None:
        mine = TurnLabel.objects.filter(
            turn=label.turn_id, kind=label.kind, rater=label.rater_id, run=label.run, replicate=label.replicate
        )
        columns = ("revision", "pk", "value", "at", "prompt_digest", "reply")
        known = {revision: (pk, said) for revision, pk, *said in self.staging.read(mine, *columns)}
        if label.revision in known:
            if known[label.revision][1] != [label.value, label.at, label.prompt_digest, label.reply]:
                reason = f"{label.revision} of this rater's label exists and is different"
                raise FieldInvalidError("revision", reason)
            return
        if label.revision != len(known) + 1:
            raise FieldInvalidError("revision", f"must be {len(known) + 1}: revisions come in order")
        self.staging.change(TurnLabel, "pk", [pk for pk, _ in known.values()], is_current=False)
        self.staging.add([label])
        self.added += 1


def _machine_said(body: Mapping[str, Any], rater_kind: str) -> dict[str, Any]:
    """Return what only machines' labels say: run, rerun, prompt and reply. Raises FieldInvalidError."""
    for key in sorted(MACHINE_KEYS):
        if rater_kind == Rater.Kind.HUMAN and body.get(key) is not None:
            raise FieldInvalidError(key, "is only allowed in labels of machines")
    run = line_fields.text(body, "run", line_fields.LONGEST_RUN) or ""
    replicate = line_fields.whole(body, "replicate", 1)
    if replicate is not None and not run:
        raise FieldInvalidError("replicate", "needs a run")
    digest = line_fields.text(body, "prompt_digest", LONGEST_DIGEST) or ""
    reply = line_fields.text(body, "reply") or ""
    return {"run": run, "replicate": replicate or 1, "prompt_digest": digest, "reply": reply}


@contextmanager
def noted(table: TableImport, line: int) -> Iterator[None]:
    """Note what is wrong with a line, and continue."""
    try:
        yield
    except FieldInvalidError as problem:
        table.problems.add(line, problem.field, problem.reason)
