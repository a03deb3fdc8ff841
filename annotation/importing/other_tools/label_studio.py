"""Label Studio: tasks with annotations and predictions, as its JSON export has them."""

from typing import Any

from annotation.importing.import_problems import FieldInvalidError, quoted
from annotation.importing.other_tools import OtherTool
from annotation.importing.other_tools.findings import (
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    duration,
    labels_of,
    moment_text,
    texts_in,
)
from annotation.importing.other_tools.tool_files import ToolFile, ToolRecord, identifier, needed, optional

SIDES = ("left", "right")
REGIONS = frozenset({
    "rectanglelabels", "polygonlabels", "keypointlabels", "brushlabels", "ellipselabels", "timeserieslabels",
    "paragraphlabels", "videorectangle", "relation", "rectangle", "polygon", "ellipse", "keypoint", "brush",
})  # fmt: skip
"""Types of results about images, sounds, paragraphs and relations, which have no counterpart."""
TEXT_REGIONS = frozenset({"labels", "hypertextlabels"})


class LabelStudio(OtherTool):
    key = "label-studio"
    label = "Label Studio (JSON)"

    def recognises(self, file: ToolFile) -> bool:
        return "data" in file.first and ("annotations" in file.first or "predictions" in file.first)

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                _Task(file, record, found).read()


class _Task:
    """One task of an export."""

    def __init__(self, file: ToolFile, record: ToolRecord, found: Findings) -> None:
        self.file, self.record, self.found = file, record, found
        self.id = identifier(record.body.get("id"), "id")
        self.data = needed(record.body, "data", dict, "an object")

    def read(self) -> None:
        listed = self._with_lists()
        texts, others = texts_in({**self.data, **listed}, self.found.left_out)
        others = {name: value for name, value in others.items() if name not in self.listed}
        self.found.add_record(FoundRecord(self.id, texts, others), "data")
        for number, one in enumerate(optional(self.record.body, "annotations", list, "a list") or ()):
            self._annotation(one, f"annotations.{number}")
        for number, one in enumerate(optional(self.record.body, "predictions", list, "a list") or ()):
            self._prediction(one, f"predictions.{number}")
        if drafts := self.record.body.get("drafts"):
            self.found.left_out["drafts"] += len(drafts) if isinstance(drafts, list) else 1

    def _with_lists(self) -> dict[str, str]:
        """The texts of a field that lists {"id", "title", "body"}, as a ranker shows them, by their ids."""
        self.listed: set[str] = set()
        texts: dict[str, str] = {}
        for name, value in self.data.items():
            if isinstance(value, list) and value and all(isinstance(one, dict) and "id" in one for one in value):
                self.listed.add(name)
                for place, one in enumerate(value):
                    key = identifier(one["id"], f"data.{name}.{place}.id")
                    said = [one[part] for part in ("title", "body", "text", "html") if isinstance(one.get(part), str)]
                    texts[key] = "\n".join(said)
        return texts

    def _annotation(self, one: Any, place: str) -> None:
        if not isinstance(one, dict):
            raise FieldInvalidError(place, "must be an object")
        if one.get("was_cancelled"):
            self.found.left_out["skipped answers"] += 1
            return
        if reviews := one.get("reviews"):
            self.found.left_out["reviews of answers"] += len(reviews) if isinstance(reviews, list) else 1
        by = one.get("completed_by")
        rater = f"user-{identifier(by.get('id') if isinstance(by, dict) else by, f'{place}.completed_by')}"
        at = one.get("updated_at") or one.get("created_at")
        self._results(
            one, place, rater=rater, submitted_at=moment_text(at, f"{place}.updated_at"),
            seconds=duration(one.get("lead_time"), f"{place}.lead_time"),
        )  # fmt: skip

    def _prediction(self, one: Any, place: str) -> None:
        if not isinstance(one, dict):
            raise FieldInvalidError(place, "must be an object")
        rater = identifier(one.get("model_version") or "model", f"{place}.model_version")
        self._results(one, place, rater=rater, rater_kind=MODEL)

    def _results(self, one: Any, place: str, **about: Any) -> None:
        spans: dict[str, list[Any]] = {}
        for number, result in enumerate(needed(one, "result", list, "a list", place)):
            at = f"{place}.result.{number}"
            if not isinstance(result, dict):
                raise FieldInvalidError(at, "must be an object")
            kind = needed(result, "type", str, "a text", at)
            if kind in REGIONS:
                self.found.left_out[f"results of type {kind}"] += 1
                continue
            value = needed(result, "value", dict, "an object", at)
            question = needed(result, "from_name", str, "a text", at)
            if kind in TEXT_REGIONS:
                spans.setdefault(question, []).extend(_spans(value, kind, f"{at}.value"))
            elif "start" in value or "x" in value:
                self.found.left_out["answers about single regions"] += 1
            else:
                self._answer(result, question, kind, value, at, about)
        for question, marked in spans.items():
            self._add(question, AnswerKind.SPANS, marked, place, about)

    def _answer(self, result: Any, question: str, kind: str, value: Any, at: str, about: Any) -> None:
        to = result.get("to_name")
        named = {**about, "about": to} if isinstance(to, str) and to in self._texts else about
        match kind:
            case "choices":
                self._add(question, AnswerKind.CHOICES, labels_of(value.get(kind), f"{at}.value"), at, named)
            case "taxonomy":
                paths = needed(value, kind, list, "a list of paths", at)
                if not all(isinstance(path, list) and all(isinstance(one, str) for one in path) for path in paths):
                    raise FieldInvalidError(f"{at}.value.{kind}", "must be a list of paths")
                self._add(question, AnswerKind.CHOICES, [" / ".join(path) for path in paths], at, named)
            case "rating":
                self._add(question, AnswerKind.STEP, needed(value, kind, int, "a whole number", at), at, named)
            case "number":
                self._add(question, AnswerKind.NUMBER, needed(value, kind, (int, float), "a number", at), at, named)
            case "textarea":
                said = value.get("text")
                lines = [said] if isinstance(said, str) else labels_of(said, f"{at}.value.text")
                self._add(question, AnswerKind.TEXT, "\n".join(lines), at, named)
            case "pairwise":
                self._pairwise(question, value, at, about)
            case "ranker":
                self._ranking(question, value, at, about)
            case _:
                raise FieldInvalidError(f"{at}.type", f"{quoted(kind)} is not a known type of result")

    @property
    def _texts(self) -> dict[str, str]:
        return self.found.records[self.id].texts

    def _pairwise(self, question: str, value: Any, at: str, about: Any) -> None:
        side = value.get("selected")
        if side not in SIDES:
            raise FieldInvalidError(f"{at}.value.selected", "must be left or right")
        self._add(question, AnswerKind.PAIR, side, at, about)

    def _ranking(self, question: str, value: Any, at: str, about: Any) -> None:
        buckets = needed(value, "ranker", dict, "an object", at)
        ranked = {name: ids for name, ids in buckets.items() if name != "_"} or buckets
        if len(ranked) != 1:
            self.found.left_out["items sorted into several buckets"] += 1
            return
        ids = labels_of(next(iter(ranked.values())), f"{at}.value.ranker")
        self._add(question, AnswerKind.RANKING, {key: rank for rank, key in enumerate(ids, 1)}, at, about)

    def _add(self, question: str, kind: AnswerKind, value: Any, place: str, about: Any) -> None:
        self.found.answers.append(
            FoundAnswer(
                self.file.name, self.record.line, ".".join(filter(None, (self.record.name, place))), self.id,
                question=question, kind=kind, value=value, **about,
            )
        )  # fmt: skip


def _spans(value: Any, kind: str, place: str) -> list[Any]:
    """A region of a text: one span per label."""
    if not isinstance(value.get("start"), int) or not isinstance(value.get("end"), int):
        raise FieldInvalidError(place, "must have whole numbers as start and end, as regions of plain texts have")
    text = optional(value, "text", str, "a text", place)
    labels: list[str | None] = [*labels_of(value.get(kind) or (), f"{place}.{kind}")]
    return [(value["start"], value["end"], label, text) for label in labels or [None]]


TOOL = LabelStudio()
