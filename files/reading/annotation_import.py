"""Imports annotations with all their revisions from the lines of a file.

Each annotation adds the same ratings as its submission did. Imported annotations add the tasks that they need, and
planning fills places with them (`annotation.studies.imported_places`). A revision that exists already is skipped; one
that contradicts it is refused.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.machine_ratings import MachineRatingWriter, machine_key
from annotation.machine_shapes import own_level
from annotation.models import Annotation, Rating
from annotation.protocols import Answer, AnswersInvalidError, Sheet, TaskPlan
from annotation.studies.planning import ensure_tasks, task_key
from annotation.studies.secret_seeds import mixed, mixed_ratings
from config.bulk_insert import packed_time
from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading import line_fields
from files.reading.line_import import LineImport
from files.reading.rater_lookup import DEFAULT_KIND
from files.reading.target import ImportTarget
from files.tables.typed_tables import ANNOTATIONS

LOOKUP = 500
STATUSES = frozenset(Annotation.Status.values)
SUBMITTED = Annotation.Status.SUBMITTED.value
LINE_KEYS = frozenset(column.name for column in ANNOTATIONS.columns)
SAID = (
    "status", "surplus", "third_rater", "answers", "reason", "flag", "shown", "guidelines_version", "protocol_version",
    "opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use", "device",
    "metadata",
)  # fmt: skip
"""The columns with an annotation's content; the others name its task, its rater and its revision."""
ANNOTATION_COLUMNS = (
    "id", "task_id", "rater_id", "revision", "is_current", "payload_digest", *SAID,
)  # fmt: skip
RATING_COLUMNS = (
    "id", "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant",
    "annotation_id", "revision", "is_current", "level", "number", "value", "off_scale", "third_rater", "run",
    "machine_key", "ordinal", "guidelines_version", "protocol_version", "shown", "seconds", "submitted_at", "outcome",
    "prompt_digest",
)  # fmt: skip
LONGEST_VARIANT = 240
LONGEST_DEVICE = 80


@dataclass(slots=True)
class ReadAnnotation:
    """A line, checked by itself: `said` is in the order of SAID, answers and shown as values, times as datetimes."""

    line: int
    item: str
    plan: TaskPlan
    rater: str
    revision: int
    machine: bool
    said: dict[str, Any]
    shown: tuple[str, ...]


@dataclass(slots=True)
class PlacedAnnotation:
    """An annotation whose item, task and rater are known rows."""

    read: ReadAnnotation
    item: int
    outputs: Mapping[str, int]
    task: int
    rater: int
    pk: int = 0
    current: bool = False


class AnnotationImport(LineImport[ReadAnnotation]):
    """Imports the annotations of one file."""

    batch_size = 1000

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.questions, self.types, self.raters = target.questions, target.types, target.raters
        self.machines = MachineRatingWriter(self.study, self.staging)
        self._gaps: dict[tuple[int, int], tuple[int, str]] = {}

    def finish(self) -> None:
        for line, reason in self._gaps.values():
            self.problems.add(line, "revision", reason)

    def read(self, line: int, body: Mapping[str, Any]) -> ReadAnnotation:
        line_fields.only(body, LINE_KEYS)
        item, outputs, status = body.get("item"), line_fields.keys(body, "outputs"), body.get("status")
        if not isinstance(item, str):
            raise FieldInvalidError("item", "is missing" if item is None else "must be text")
        if outputs is None:
            raise FieldInvalidError("outputs", "is missing")
        if not isinstance(status, str) or status not in STATUSES:
            raise FieldInvalidError("status", f"must be one of {', '.join(sorted(STATUSES))}, not {quoted(status)}")
        revision = line_fields.whole(body, "revision", 1)
        if revision is None:
            raise FieldInvalidError("revision", "is missing")
        rater, kind = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        shown = line_fields.keys(body, "shown") or outputs
        if sorted(shown) != sorted(outputs):
            raise FieldInvalidError("shown", "must list the task's outputs in the order shown")
        said = self._said(body, status)
        said["shown"] = [outputs.index(key) for key in shown]
        machine = kind != DEFAULT_KIND
        if status == SUBMITTED:
            try:
                self.protocol.check_answers(said["answers"], self.questions, Sheet.of(shown), machine)
            except AnswersInvalidError as problem:
                raise _first_of(problem) from None
        plan = TaskPlan(tuple(outputs), line_fields.text(body, "variant", LONGEST_VARIANT) or "")
        return ReadAnnotation(line, item, plan, rater, revision, machine, said, tuple(shown))

    def _said(self, body: Mapping[str, Any], status: str) -> dict[str, Any]:
        protocol_version, latest = line_fields.whole(body, "protocol_version", 1), self.protocol.version
        if protocol_version is not None and protocol_version > latest:
            raise FieldInvalidError("protocol_version", f"{protocol_version} is unknown: the latest is {latest}")
        return {
            "status": status,
            "surplus": line_fields.flag(body, "surplus"),
            "third_rater": line_fields.flag(body, "third_rater"),
            "answers": line_fields.mapping(body, "answers") or {},
            "reason": line_fields.text(body, "reason") or "",
            "flag": line_fields.text(body, "flag") or "",
            "shown": [],
            "guidelines_version": line_fields.version(body, self.target.guidelines),
            "protocol_version": latest if protocol_version is None else protocol_version,
            "opened_at": line_fields.moment(body, "opened_at"),
            "submitted_at": line_fields.moment(body, "submitted_at"),
            "seconds": line_fields.seconds(body, "seconds"),
            "visible_seconds": line_fields.seconds(body, "visible_seconds"),
            "active_seconds": line_fields.seconds(body, "active_seconds"),
            "tool_use": line_fields.counts(body, "tool_use") or {},
            "device": line_fields.text(body, "device", LONGEST_DEVICE) or "",
            "metadata": line_fields.mapping(body, "metadata"),
        }

    def stage(self, batch: list[ReadAnnotation]) -> None:
        found = self.target.items.find(read.item for read in batch)
        batch = [read for read in batch if self._exists(read, found)]
        self._check_shown(batch)
        if self.problems.found:
            return
        self.raters.flush()
        tasks = self._tasks(found, batch)
        placed = [one for read in batch if (one := self._place(read, found, tasks))]
        new = self._new(placed)
        if self.problems.found:
            return
        about = [(one.item, (one.task, one.rater)) for one in new]
        ids = mixed(self.study, "annotations", self.staging.next_ids(Annotation, len(new)), about)
        for pk, one in zip(ids, new, strict=True):
            one.pk = pk
            if not one.read.machine:
                self.target.note_work(one.item)
        self.staging.insert(Annotation, ANNOTATION_COLUMNS, [_annotation_row(one) for one in new])
        ratings = [row for one in new for row in self._rating_rows(one)]
        ids = mixed_ratings(self.study, self.staging.next_ids(Rating, len(ratings)), ratings)
        self.staging.insert(Rating, RATING_COLUMNS, [(pk, *row) for pk, row in zip(ids, ratings, strict=True)])
        self.added += len(new)

    def _exists(self, read: ReadAnnotation, found: Mapping[str, tuple[int, dict[str, int]]]) -> bool:
        """Return whether the item and outputs of a line exist. Notes a problem if not."""
        item = found.get(read.item)
        if item is None:
            self.problems.add(read.line, "item", f"{quoted(read.item)} is not an item of this study")
            return False
        for key in read.plan.outputs:
            if key not in item[1]:
                reason = f"{quoted(key)} is not an output of item {quoted(read.item)}"
                self.problems.add(read.line, "outputs", reason)
                return False
        return True

    def _check_shown(self, batch: list[ReadAnnotation]) -> None:
        """Check that answers fit the outputs shown; texts are read only for questions that need them."""
        kinds = [self.types[question.type] for question in self.questions]
        if not any(kind.needs_outputs for kind in kinds):
            return
        about = [read for read in batch if read.said["status"] == SUBMITTED]
        sheets = self.target.items.sheets({read.item for read in about}, any(kind.needs_texts for kind in kinds))
        for read in about:
            sheet = sheets[read.item].only(read.shown)
            try:
                self.protocol.check_shown(read.said["answers"], self.questions, sheet, self.study.options)
            except AnswersInvalidError as problem:
                first = _first_of(problem)
                self.problems.add(read.line, first.field, first.reason)

    def _tasks(
        self, found: Mapping[str, tuple[int, dict[str, int]]], batch: list[ReadAnnotation]
    ) -> dict[tuple[int, str], int]:
        """Return the tasks of the items that a batch is about. Missing ones are staged."""
        also: dict[int, set[TaskPlan]] = defaultdict(set)
        for read in batch:
            also[found[read.item][0]].add(read.plan)
        items = [pk for pk, _ in found.values()]
        outputs = {pk: [(output, key) for key, output in named.items()] for pk, named in found.values()}
        tasks: dict[tuple[int, str], int] = {}
        for start in range(0, len(items), LOOKUP):
            some = items[start : start + LOOKUP]
            tasks.update(ensure_tasks(self.study, some, outputs, also, self.staging))
        return tasks

    def _place(
        self,
        read: ReadAnnotation,
        found: Mapping[str, tuple[int, dict[str, int]]],
        tasks: Mapping[tuple[int, str], int],
    ) -> PlacedAnnotation | None:
        item, outputs = found[read.item]
        task = tasks.get((item, task_key(read.plan)))
        if task is None:
            self.problems.add(read.line, "outputs", f"item {quoted(read.item)} has no task with exactly these outputs")
            return None
        return PlacedAnnotation(read, item, outputs, task, self.raters.known[read.rater][0])

    def _new(self, batch: list[PlacedAnnotation]) -> list[PlacedAnnotation]:
        """Return the annotations of a batch that do not exist yet, and mark the current ones."""
        known = self._revisions([one.task for one in batch])
        new: dict[tuple[int, int], list[PlacedAnnotation]] = defaultdict(list)
        for one in batch:
            pair, said = (one.task, one.rater), _comparable(one.read.said)
            same = known[pair].get(one.read.revision)
            if same is None:
                known[pair][one.read.revision] = (0, said)
                new[pair].append(one)
            elif same[1] != said:
                reason = f"revision {one.read.revision} of {quoted(one.read.rater)} on this task exists"
                self.problems.add(one.read.line, "revision", f"{reason} and is different")
        self._note_gaps(new, known)
        stale: list[int] = []
        for pair, added in new.items():
            latest = max(known[pair])
            stale += [pk for number, (pk, _) in known[pair].items() if pk and number != latest]
            for one in added:
                one.current = one.read.revision == latest
                if one.current:
                    self._note_withdrawal(pair, one.read.said["status"])
        if not self.problems.found:
            self._supersede(stale)
        return [one for added in new.values() for one in added]

    def _note_withdrawal(self, pair: tuple[int, int], status: str) -> None:
        if status == SUBMITTED:
            self.target.withdrawn.discard(pair)
        else:
            self.target.withdrawn.add(pair)

    def _supersede(self, annotations: list[int]) -> None:
        """Mark these annotations and their ratings as no longer current."""
        self.staging.change(Annotation, "pk", annotations, is_current=False)
        self.staging.change(Rating, "annotation", annotations, is_current=False)

    def _note_gaps(
        self,
        new: Mapping[tuple[int, int], list[PlacedAnnotation]],
        known: Mapping[tuple[int, int], Mapping[int, tuple[int, str]]],
    ) -> None:
        """Note annotations whose revisions are not 1, 2, ... so far; the missing ones may come later in the file."""
        for pair, added in new.items():
            missing = next(number for number in range(1, len(known[pair]) + 2) if number not in known[pair])
            if missing > max(known[pair]):
                self._gaps.pop(pair, None)
                continue
            last = max(added, key=lambda one: one.read.revision).read
            reason = f"revision {missing} of {quoted(last.rater)} on this task is missing, but a later one exists"
            self._gaps[pair] = (last.line, reason)

    def _revisions(self, tasks: list[int]) -> dict[tuple[int, int], dict[int, tuple[int, str]]]:
        """Return the existing revisions by task and rater, each with its primary key and content."""
        known: dict[tuple[int, int], dict[int, tuple[int, str]]] = defaultdict(dict)
        wanted = sorted(set(tasks))
        for start in range(0, len(wanted), LOOKUP):
            rows = Annotation.objects.filter(task__in=wanted[start : start + LOOKUP])
            for pk, task, rater, revision, *said in self.staging.read(rows, "pk", "task", "rater", "revision", *SAID):
                known[task, rater][revision] = (pk, _comparable(dict(zip(SAID, said, strict=True))))
        return known

    def _rating_rows(self, one: PlacedAnnotation) -> Iterable[tuple[Any, ...]]:
        """Return the flat ratings of a submitted annotation, as its submission wrote them."""
        said, shown = one.read.said, list(one.read.shown)
        if said["status"] != SUBMITTED:
            return
        shown_text, submitted_at = canonical_json(shown), packed_time(said["submitted_at"])
        answer: Answer
        for answer in self.protocol.ratings(said["answers"], self.questions, Sheet.of(shown)):
            question, unit = answer.question, answer.unit
            output = None if unit.output is None else one.outputs[unit.output]
            other = None if unit.other is None else one.outputs[unit.other]
            level, key, ordinal, off_scale = answer.level, None, 0, answer.off_scale
            if one.read.machine:
                variant = one.read.plan.variant
                key = machine_key(question.pk, one.rater, one.item, (output, other), variant, shown)
                [ordinal] = self.machines.next_ordinals([key])
                level = own_level(question)
                off_scale = off_scale or self.types[question.type].off_scale(answer.value, question.spec)
            yield (
                self.study.pk, question.pk, one.rater, one.item, output, other, one.read.plan.variant, one.pk,
                one.read.revision, one.current, level, answer.number, canonical_json(answer.value), off_scale,
                said["third_rater"], "", key, ordinal, said["guidelines_version"], said["protocol_version"],
                shown_text, said["seconds"], submitted_at, "", "",
            )  # fmt: skip


def _comparable(said: Mapping[str, Any]) -> str:
    """Return an annotation's content as one text, in which equal times and equal JSON numbers are equal."""
    return canonical_json({key: str(value) if key.endswith("_at") else value for key, value in said.items()})


def _annotation_row(one: PlacedAnnotation) -> tuple[Any, ...]:
    said = dict(one.read.said)
    for key in ("answers", "shown", "tool_use", "metadata"):
        said[key] = None if said[key] is None else canonical_json(said[key])
    for key in ("opened_at", "submitted_at"):
        said[key] = packed_time(said[key])
    return (one.pk, one.task, one.rater, one.read.revision, one.current, "", *(said[key] for key in SAID))


def _first_of(problem: AnswersInvalidError) -> FieldInvalidError:
    """Return the first of the answers' errors as a problem of the line."""
    key, reason = next(iter(problem.errors.items()))
    return FieldInvalidError(f"answers.{key}", reason)
