"""Imports `preparing.jsonl`. A line that exists already is skipped; one that contradicts it is refused."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.db.models import Model

from config.database_clock import database_now
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from parts.preparing.deciding import KINDS
from parts.preparing.file_lines import PREPARING, preparing_lines
from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)
from parts.preparing.step_configuration import StepConfiguration
from parts.preparing.step_kind import step_kinds

AT_ONCE = 500
IDENTITY = {
    "sample": ("id",), "document": ("id",), "trial": ("id",), "step": ("id",), "suggestion": ("document", "number"),
    "text": ("document", "number", "role", "id"), "call": ("step", "place"),
}  # fmt: skip
KEYS = {
    "sample": {"id", "file", "sha256", "seed", "per_source", "fewest_words", "most_words", "counts"},
    "document": {"id", "sample", "source", "text", "words", "content"},
    "trial": {"id", "evaluators", "documents", "rated_in", "result", "winner"},
    "step": {"id", "kind", "trial", "configuration", "status", "estimate", "message"},
    "suggestion": {
        "document", "number", "kind", "text", "original", "kinds", "step", "state", "reason", "item",
    },
    "text": {"document", "number", "role", "id", "text", "writer", "edited_from", "difference", "step"},
    "call": {"step", "place", "document", "number", "status", "outcome", "reason", "counts"},
}  # fmt: skip
SEEDS = 2**63 - 1
STATUSES = ("finished", "stopped", "out_of_budget")
Identity = tuple[Any, ...]
Body = Mapping[str, Any]


class PreparingImport(TableImport):
    """Imports the lines of one file. A line refers only to lines before it, and to items of the same import."""

    typed = PREPARING

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self.known = {_identity(line): canonical_json(line) for line in preparing_lines(self.study)}
        self.rows = self._existing()
        self.lines: dict[Identity, int] = {}
        self.waiting: list[Model] = []
        makers: Mapping[str, Callable[[Body], Model]] = {
            "sample": self._sample, "document": self._document, "trial": self._trial, "step": self._step,
            "suggestion": self._suggestion, "text": self._text, "call": self._call,
        }  # fmt: skip
        for line, body in objects:
            try:
                self._take(line, body, makers)
            except FieldInvalidError as problem:
                self.problems.add(line, problem.field, problem.reason)
            except TextRefusedError as problem:
                self.problems.add(line, problem.place, problem.reason)
        self._flush()
        self.problems.refuse_if_any()

    def _take(self, line: int, body: Body, makers: Mapping[str, Callable[[Body], Model]]) -> None:
        what = body.get("what")
        if not isinstance(what, str) or what not in makers:
            raise FieldInvalidError("what", f"must be one of {', '.join(makers)}")
        line_fields.only(body, frozenset(KEYS[what] | {"what"}))
        identity = _identity(body)
        first = self.lines.setdefault(identity, line)
        if first != line:
            raise FieldInvalidError("", f"repeats line {first}")
        if identity in self.known:
            if self.known[identity] != canonical_json(body):
                raise FieldInvalidError("", "exists in this study with different content")
            return
        row = makers[what](body)
        if self.waiting and (type(self.waiting[0]) is not type(row) or len(self.waiting) >= AT_ONCE):
            self._flush()
        row.pk = self.staging.next_ids(type(row), 1)[0]
        self.rows[identity] = row.pk
        self.waiting.append(row)
        self.added += 1

    def _flush(self) -> None:
        """Stage the rows that wait; all are of one model. Their keys are taken already."""
        if not self.waiting or self.problems.found:
            return
        self.staging.add(self.waiting)
        self.waiting = []

    def _existing(self) -> dict[Identity, int]:
        """Return the primary keys of the study's rows that lines can refer to."""
        found: dict[Identity, int] = {}
        for what, model in (("sample", DocumentSample), ("trial", InstructionTrial), ("step", PreparationStep)):
            rows = model._default_manager.filter(study=self.study).values_list("number", "pk")
            found.update({(what, number): pk for number, pk in rows})
        documents = SourceDocument.objects.filter(study=self.study).values_list("key", "pk")
        found.update({("document", key): pk for key, pk in documents})
        suggestions = Suggestion.objects.filter(study=self.study).values_list("document__key", "number", "pk")
        found.update({("suggestion", key, number): pk for key, number, pk in suggestions})
        texts = PreparedText.objects.filter(study=self.study)
        for key, number, role, name, pk in texts.values_list(
            "suggestion__document__key", "suggestion__number", "role", "key", "pk"
        ):
            found["text", key, number, role, name] = pk
        return found

    def _named(self, field: str, *identity: Any) -> int:
        if identity not in self.rows:
            raise FieldInvalidError(field, f"{quoted(identity[-1])} is in no line before this one")
        return self.rows[identity]

    def _step_named(self, body: Body) -> int | None:
        return None if body.get("step") is None else self._named("step", "step", body["step"])

    def _sample(self, body: Body) -> Model:
        return DocumentSample(
            study_id=self.study.pk, number=_number(body, "id", 1), file_name=_text(body, "file", 200),
            digest=_text(body, "sha256", 64), seed=_number(body, "seed", -SEEDS, SEEDS),
            per_source=_number(body, "per_source", 1), fewest_words=line_fields.whole(body, "fewest_words"),
            most_words=line_fields.whole(body, "most_words"), counts=_counts_by_source(body),
        )  # fmt: skip

    def _document(self, body: Body) -> Model:
        return SourceDocument(
            study_id=self.study.pk, sample_id=self._named("sample", "sample", body.get("sample")),
            key=check_id(body.get("id"), "id"), source=line_fields.text(body, "source", 200) or "",
            text=_text(body, "text"), words=_number(body, "words"), content=line_fields.mapping(body, "content"),
        )  # fmt: skip

    def _trial(self, body: Body) -> Model:
        documents = body.get("documents")
        if not isinstance(documents, list):
            raise FieldInvalidError("documents", "must be a list of document ids")
        for key in documents:
            self._named("documents", "document", key)
        return InstructionTrial(
            study_id=self.study.pk, number=_number(body, "id", 1), evaluators=_number(body, "evaluators", 1, 1000),
            documents=documents, rated_in=line_fields.text(body, "rated_in", 100) or "",
            result=line_fields.mapping(body, "result"), winner=line_fields.text(body, "winner", 300) or "",
        )  # fmt: skip

    def _step(self, body: Body) -> Model:
        configuration = line_fields.mapping(body, "configuration") or {}
        try:
            read = StepConfiguration.of(configuration)
        except TypeError:
            raise FieldInvalidError("configuration", "is not that of a step") from None
        kind = _one_of(body, "kind", tuple(step_kinds()))
        if read.kind != kind or canonical_json(read.as_json()) != canonical_json(configuration):
            raise FieldInvalidError("configuration", "is not that of a step of this kind")
        trial = body.get("trial")
        return PreparationStep(
            study_id=self.study.pk, number=_number(body, "id", 1), kind=kind,
            trial_id=None if trial is None else self._named("trial", "trial", trial), configuration=configuration,
            status=_one_of(body, "status", STATUSES), estimate=line_fields.mapping(body, "estimate"),
            message=line_fields.text(body, "message") or "",
        )  # fmt: skip

    def _suggestion(self, body: Body) -> Model:
        kinds, state = body.get("kinds") or [], _one_of(body, "state", tuple(Suggestion.State.values))
        if not isinstance(kinds, list) or not all(kind in KINDS for kind in kinds):
            raise FieldInvalidError("kinds", f"must be a list of {', '.join(KINDS)}")
        if body.get("item") is not None and state != Suggestion.State.ACCEPTED:
            raise FieldInvalidError("item", "must be left out, because the suggestion was not accepted")
        return Suggestion(
            study_id=self.study.pk, document_id=self._named("document", "document", body.get("document")),
            number=_number(body, "number", 1), kind=_one_of(body, "kind", tuple(Suggestion.Kind.values)),
            text=_text(body, "text"), original=line_fields.text(body, "original") or "", kinds=kinds,
            step_id=self._step_named(body), state=state, reason=line_fields.text(body, "reason") or "",
            item_id=self._item(body.get("item")),
        )  # fmt: skip

    def _item(self, key: Any) -> int | None:
        if key is None:
            return None
        found = self.target.items.find([key]) if isinstance(key, str) else {}
        if key not in found:
            raise FieldInvalidError("item", f"{quoted(key)} is not an item of this study")
        return found[key][0]

    def _suggestion_of(self, body: Body) -> int:
        return self._named("number", "suggestion", body.get("document"), body.get("number"))

    def _text(self, body: Body) -> Model:
        original, difference = body.get("edited_from"), body.get("difference")
        if difference is not None and not isinstance(difference, list):
            raise FieldInvalidError("difference", "must be a list")
        place = (body.get("document"), body.get("number"), "output")
        return PreparedText(
            study_id=self.study.pk, suggestion_id=self._suggestion_of(body),
            role=_one_of(body, "role", tuple(PreparedText.Role.values)), key=check_id(body.get("id"), "id"),
            text=_text(body, "text"), writer=_one_of(body, "writer", tuple(PreparedText.Writer.values)),
            edited_from_id=None if original is None else self._named("edited_from", "text", *place, original),
            difference=difference, step_id=self._step_named(body),
        )  # fmt: skip

    def _call(self, body: Body) -> Model:
        number, outcomes = body.get("number"), ("", *PreparationCall.Outcome.values)
        status = _one_of(body, "status", ("done", "failed", "stopped"))
        outcome = line_fields.text(body, "outcome") or ""
        if outcome not in outcomes or (status == "done" and not outcome):
            raise FieldInvalidError("outcome", "is not that of a call")
        return PreparationCall(
            step_id=self._named("step", "step", body.get("step")), place=_number(body, "place"),
            document_id=self._named("document", "document", body.get("document")),
            suggestion_id=None if number is None else self._suggestion_of(body), status=status, outcome=outcome,
            reason=line_fields.text(body, "reason") or "", reading=line_fields.counts(body, "counts"),
            ended_at=database_now(),
        )  # fmt: skip


def _identity(line: Mapping[str, Any]) -> Identity:
    identity = (line["what"], *(line.get(name) for name in IDENTITY[line["what"]]))
    if not all(isinstance(one, str | int) for one in identity):
        raise FieldInvalidError("", f"needs {' and '.join(IDENTITY[line['what']])}, each a text or whole number")
    return identity


def _number(body: Body, field: str, least: int = 0, greatest: int = line_fields.GREATEST) -> int:
    found = line_fields.whole(body, field, least, greatest)
    if found is None:
        raise FieldInvalidError(field, "is missing")
    return found


def _text(body: Body, field: str, longest: int | None = None) -> str:
    found = line_fields.text(body, field, longest)
    if found is None:
        raise FieldInvalidError(field, "is missing")
    return found


def _one_of(body: Body, field: str, allowed: tuple[str, ...]) -> str:
    value = body.get(field)
    if not isinstance(value, str) or value not in allowed:
        raise FieldInvalidError(field, f"must be one of {', '.join(allowed)}")
    return value


def _counts_by_source(body: Body) -> dict[str, Any]:
    found = line_fields.mapping(body, "counts")
    if found is None:
        raise FieldInvalidError("counts", "is missing")
    for source in found:
        line_fields.counts(found, source)
    return found
