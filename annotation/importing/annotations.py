"""Annotations with all their revisions, from the lines of a file, batch by batch.

Each gives the ratings that its submission gave. Imported annotations make the tasks that they need and fill no
slots. A revision that is there already is passed over; one that says otherwise is refused.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing import fields, tables
from annotation.importing.material import Material
from annotation.importing.problems import FieldInvalidError, Problems, quoted
from annotation.importing.raters import DEFAULT_KIND, Raters
from annotation.models import Annotation, Rating, Study
from annotation.planning import ensure_tasks, task_key
from annotation.protocols import Answer, AnswersInvalidError, Sheet, TaskPlan, protocols
from annotation.questions import question_types
from config.bulk import insert_rows, next_ids, stored_time
from config.fields import canonical_json

BATCH = 1000
LOOKUP = 500
STATUSES = frozenset(Annotation.Status.values)
SUBMITTED = Annotation.Status.SUBMITTED.value
LINE_KEYS = frozenset(tables.ANNOTATION_COLUMNS)
SAID = (
    "status", "surplus", "answers", "reason", "flag", "shown", "guidelines_version", "protocol_version", "opened_at",
    "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use", "metadata",
)  # fmt: skip
"""What an annotation says, by column; the rest is what it is about, whose it is and which revision."""
ANNOTATION_COLUMNS = (
    "id", "task_id", "rater_id", "revision", "is_current", "payload_digest", *SAID,
)  # fmt: skip
RATING_COLUMNS = (
    "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant", "annotation_id",
    "revision", "is_current", "level", "number", "value", "off_scale", "run", "ordinal", "guidelines_version",
    "protocol_version", "shown", "seconds", "submitted_at",
)  # fmt: skip
LONGEST_VARIANT = 240


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
class Placed:
    """An annotation whose item, task and rater are known rows."""

    read: ReadAnnotation
    item: int
    outputs: Mapping[str, int]
    task: int
    rater: int
    pk: int = 0
    current: bool = False


class AnnotationImport:
    """One file's annotations on their way into a study; counts what it did."""

    def __init__(self, study: Study, raters: Raters, material: Material, problems: Problems) -> None:
        self.study = study
        self.protocol = protocols()[study.protocol]
        self.questions = list(study.questions.order_by("position"))
        self.types = question_types()
        self.versions = fields.versions_of(study)
        self.raters = raters
        self.material = material
        self.problems = problems
        self.added = 0
        self._batch: list[ReadAnnotation] = []
        self._gaps: dict[tuple[int, int], tuple[int, str]] = {}

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read and write all lines; raises ImportRefusedError with what is wrong."""
        for line, body in objects:
            try:
                self._batch.append(self._read(line, body))
            except FieldInvalidError as problem:
                self.problems.add(line, problem.field, problem.reason)
                continue
            except AnswersInvalidError as problem:
                key, reason = next(iter(problem.errors.items()))
                self.problems.add(line, f"answers.{key}", reason)
                continue
            if len(self._batch) >= BATCH:
                self._flush()
        self._flush()
        for line, reason in self._gaps.values():
            self.problems.add(line, "revision", reason)
        self.problems.refuse_if_any()

    def _read(self, line: int, body: Mapping[str, Any]) -> ReadAnnotation:
        fields.only(body, LINE_KEYS, "an annotation")
        item, outputs, status = body.get("item"), fields.keys(body, "outputs"), body.get("status")
        if not isinstance(item, str):
            raise FieldInvalidError("item", "is missing" if item is None else "must be text")
        if outputs is None:
            raise FieldInvalidError("outputs", "is missing")
        if not isinstance(status, str) or status not in STATUSES:
            raise FieldInvalidError("status", f"must be one of {', '.join(sorted(STATUSES))}, not {quoted(status)}")
        revision = fields.whole(body, "revision", 1)
        if revision is None:
            raise FieldInvalidError("revision", "is missing")
        rater, kind = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        shown = fields.keys(body, "shown") or outputs
        if sorted(shown) != sorted(outputs):
            raise FieldInvalidError("shown", "must hold the task's outputs, in the order shown")
        said = self._said(body, status)
        said["shown"] = [outputs.index(key) for key in shown]
        if status == SUBMITTED:
            machine = kind != DEFAULT_KIND
            self.protocol.check_answers(said["answers"], self.questions, Sheet.of(shown), machine)
        plan = TaskPlan(tuple(outputs), fields.text(body, "variant", LONGEST_VARIANT) or "")
        return ReadAnnotation(line, item, plan, rater, revision, kind != DEFAULT_KIND, said, tuple(shown))

    def _said(self, body: Mapping[str, Any], status: str) -> dict[str, Any]:
        protocol_version, latest = fields.whole(body, "protocol_version", 1), self.protocol.version
        if protocol_version is not None and protocol_version > latest:
            raise FieldInvalidError("protocol_version", f"{protocol_version} is not known here: the latest is {latest}")
        return {
            "status": status,
            "surplus": fields.flag(body, "surplus"),
            "answers": fields.mapping(body, "answers") or {},
            "reason": fields.text(body, "reason") or "",
            "flag": fields.text(body, "flag") or "",
            "shown": [],
            "guidelines_version": fields.version(body, self.versions),
            "protocol_version": latest if protocol_version is None else protocol_version,
            "opened_at": fields.moment(body, "opened_at"),
            "submitted_at": fields.moment(body, "submitted_at"),
            "seconds": fields.seconds(body, "seconds"),
            "visible_seconds": fields.seconds(body, "visible_seconds"),
            "active_seconds": fields.seconds(body, "active_seconds"),
            "tool_use": fields.counts(body, "tool_use") or {},
            "metadata": fields.mapping(body, "metadata"),
        }

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        found = self.material.find(read.item for read in batch)
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
        for pk, one in zip(next_ids(Annotation, len(new)), new, strict=True):
            one.pk = pk
        insert_rows(Annotation, ANNOTATION_COLUMNS, [_annotation_row(one) for one in new])
        insert_rows(Rating, RATING_COLUMNS, [row for one in new for row in self._rating_rows(one)])
        self.added += len(new)

    def _exists(self, read: ReadAnnotation, found: Mapping[str, tuple[int, dict[str, int]]]) -> bool:
        item = found.get(read.item)
        if item is None:
            self.problems.add(read.line, "item", f"{quoted(read.item)} is no item of this study")
            return False
        for key in read.plan.outputs:
            if key not in item[1]:
                reason = f"{quoted(key)} is no output of item {quoted(read.item)}"
                self.problems.add(read.line, "outputs", reason)
                return False
        return True

    def _check_shown(self, batch: list[ReadAnnotation]) -> None:
        """Whether answers fit what was shown; texts are fetched only where a question's answers speak of them."""
        kinds = [self.types[question.type] for question in self.questions]
        if not any(kind.needs_outputs for kind in kinds):
            return
        about = [read for read in batch if read.said["status"] == SUBMITTED]
        sheets = self.material.sheets({read.item for read in about}, any(kind.needs_texts for kind in kinds))
        for read in about:
            sheet = sheets[read.item].only(read.shown)
            try:
                self.protocol.check_shown(read.said["answers"], self.questions, sheet, self.study.options)
            except AnswersInvalidError as problem:
                key, reason = next(iter(problem.errors.items()))
                self.problems.add(read.line, f"answers.{key}", reason)

    def _tasks(
        self, found: Mapping[str, tuple[int, dict[str, int]]], batch: list[ReadAnnotation]
    ) -> dict[tuple[int, str], int]:
        """The tasks of the items that a batch is about; those that are missing are made."""
        also: dict[int, set[TaskPlan]] = defaultdict(set)
        for read in batch:
            also[found[read.item][0]].add(read.plan)
        items = [(pk, key) for key, (pk, _) in found.items()]
        outputs = {pk: [(output, key) for key, output in named.items()] for pk, named in found.values()}
        tasks: dict[tuple[int, str], int] = {}
        for start in range(0, len(items), LOOKUP):
            tasks.update(ensure_tasks(self.study, items[start : start + LOOKUP], outputs, also)[0])
        return tasks

    def _place(
        self,
        read: ReadAnnotation,
        found: Mapping[str, tuple[int, dict[str, int]]],
        tasks: Mapping[tuple[int, str], int],
    ) -> Placed | None:
        item, outputs = found[read.item]
        task = tasks.get((item, task_key(read.plan)))
        if task is None:
            self.problems.add(read.line, "outputs", f"no task of item {quoted(read.item)} shows just these")
            return None
        return Placed(read, item, outputs, task, self.raters.known[read.rater][0])

    def _new(self, batch: list[Placed]) -> list[Placed]:
        """Those of a batch that are not there yet, the current ones among them marked."""
        there = self._revisions([one.task for one in batch])
        new: dict[tuple[int, int], list[Placed]] = defaultdict(list)
        for one in batch:
            pair, said = (one.task, one.rater), _comparable(one.read.said)
            known = there[pair].get(one.read.revision)
            if known is None:
                there[pair][one.read.revision] = (0, said)
                new[pair].append(one)
            elif known[1] != said:
                reason = f"revision {one.read.revision} of {quoted(one.read.rater)} on this task is there already"
                self.problems.add(one.read.line, "revision", f"{reason} and says otherwise")
        self._note_gaps(new, there)
        stale = []
        for pair, added in new.items():
            latest = max(there[pair])
            stale += [pk for number, (pk, _) in there[pair].items() if pk and number != latest]
            for one in added:
                one.current = one.read.revision == latest
        if not self.problems.found:
            for start in range(0, len(stale), LOOKUP):
                pks = stale[start : start + LOOKUP]
                Annotation.objects.filter(pk__in=pks, is_current=True).update(is_current=False)
                Rating.objects.filter(annotation__in=pks, is_current=True).update(is_current=False)
        return [one for added in new.values() for one in added]

    def _note_gaps(
        self,
        new: Mapping[tuple[int, int], list[Placed]],
        there: Mapping[tuple[int, int], Mapping[int, tuple[int, str]]],
    ) -> None:
        """Remember whose revisions are not 1, 2, ... yet: those that are missing may stand further on in the file."""
        for pair, added in new.items():
            missing = next(number for number in range(1, len(there[pair]) + 2) if number not in there[pair])
            if missing > max(there[pair]):
                self._gaps.pop(pair, None)
                continue
            last = max(added, key=lambda one: one.read.revision).read
            reason = f"there is no revision {missing} of {quoted(last.rater)} on this task, but a later one"
            self._gaps[pair] = (last.line, reason)

    def _revisions(self, tasks: list[int]) -> dict[tuple[int, int], dict[int, tuple[int, str]]]:
        """What is there of these tasks: by task and rater the revisions, each with key and what it says."""
        there: dict[tuple[int, int], dict[int, tuple[int, str]]] = defaultdict(dict)
        wanted = sorted(set(tasks))
        for start in range(0, len(wanted), LOOKUP):
            rows = Annotation.objects.filter(task__in=wanted[start : start + LOOKUP])
            for pk, task, rater, revision, *said in rows.values_list("pk", "task", "rater", "revision", *SAID):
                there[task, rater][revision] = (pk, _comparable(dict(zip(SAID, said, strict=True))))
        return there

    def _rating_rows(self, one: Placed) -> Iterable[tuple[Any, ...]]:
        """The flat ratings of a submitted annotation, as its submission wrote them."""
        said, shown = one.read.said, list(one.read.shown)
        if said["status"] != SUBMITTED:
            return
        shown_text, submitted_at = canonical_json(shown), stored_time(said["submitted_at"])
        answer: Answer
        for answer in self.protocol.ratings(said["answers"], self.questions, Sheet.of(shown)):
            question, unit = answer.question, answer.unit
            kind = self.types[question.type]
            off_scale = answer.off_scale or (one.read.machine and kind.off_scale(answer.value, question.spec))
            yield (
                self.study.pk, question.pk, one.rater, one.item,
                None if unit.output is None else one.outputs[unit.output],
                None if unit.other is None else one.outputs[unit.other],
                one.read.plan.variant, one.pk, one.read.revision, one.current, answer.level, answer.number,
                canonical_json(answer.value), off_scale, "", 0, said["guidelines_version"], said["protocol_version"],
                shown_text, said["seconds"], submitted_at,
            )  # fmt: skip


def _comparable(said: Mapping[str, Any]) -> str:
    """What an annotation says as one text; times by their moment, numbers by their JSON."""
    return canonical_json({key: str(value) if key.endswith("_at") else value for key, value in said.items()})


def _annotation_row(one: Placed) -> tuple[Any, ...]:
    said = dict(one.read.said)
    for key in ("answers", "shown", "tool_use", "metadata"):
        said[key] = None if said[key] is None else canonical_json(said[key])
    for key in ("opened_at", "submitted_at"):
        said[key] = stored_time(said[key])
    return (one.pk, one.task, one.rater, one.read.revision, one.current, "", *(said[key] for key in SAID))
