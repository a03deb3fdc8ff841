"""Label Studio: tasks with annotations and predictions, as its exports have them, and the labelling configuration.

Exports name tags and sides; which field a tag showed, and on which side, only the configuration says.
"""

from typing import Any
from xml.etree.ElementTree import Element

from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.conversion_choices import SHOWS, SIDES, AskedChoice
from parts.other_tools.field_roles import readable
from parts.other_tools.findings import (
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
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import (
    Body,
    ToolFile,
    ToolRecord,
    identifier,
    needed,
    optional,
    xml_of,
)
from parts.other_tools.tools.label_studio_config import LabellingConfig, read_config, value_at
from parts.other_tools.tools.label_studio_tables import as_task, is_of_table

PLACES = ("left", "right")
CONFIG = "label_config"
GIVE = "give the project's labelling configuration (Settings, Labeling Interface, Code) as another file"
REGIONS = frozenset(
    {
        "rectanglelabels",
        "polygonlabels",
        "keypointlabels",
        "brushlabels",
        "ellipselabels",
        "timeserieslabels",
        "paragraphlabels",
        "videorectangle",
        "relation",
        "rectangle",
        "polygon",
        "ellipse",
        "keypoint",
        "brush",
        "bitmask",
        "bitmasklabels",
        "vector",
        "vectorlabels",
        "timelinelabels",
        "magicwand",
        "paragraphs",
        "audio",
        "timeseries",
        "table",
        "cube",
        "cuboid",
        "custominterface",
        "reactcode",
        "chatmessage",
        "chat",
    }
)
"""Types of results about images, sounds, paragraphs and relations, which have no counterpart."""
TEXT_REGIONS = frozenset({"labels", "hypertextlabels"})


class LabelStudio(OtherTool):
    key = "label-studio"
    label = "Label Studio (JSON)"
    reads_tables = True

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        tasks = "data" in first and ("annotations" in first or "predictions" in first)
        return tasks or is_of_table(first) or self.is_settings(file)

    def is_settings(self, file: ToolFile) -> bool:
        return isinstance(file.settings, Element) or isinstance(file.first.get(CONFIG), str)

    def read(self, file: ToolFile, found: Findings) -> None:
        config = found.of_tool(LabellingConfig)
        if isinstance(file.settings, Element):
            with file.problems_of(ToolRecord(0, "", {})):
                read_config(file.settings, config, found)
        for record in file.records:
            with file.problems_of(record):
                if isinstance(record.body.get(CONFIG), str):
                    read_config(xml_of(file.path, record.body[CONFIG]), config, found)
                elif is_of_table(record.body):
                    if not config.controls:
                        raise FieldInvalidError("", f"does not say which keys are answers: {GIVE}")
                    _Task(file, record, as_task(record.body, config, file.is_table), config, found).read()
                else:
                    _Task(file, record, record.body, config, found).read()


class _Task:
    """One task of an export."""

    def __init__(
        self, file: ToolFile, record: ToolRecord, body: Body, config: LabellingConfig, found: Findings
    ) -> None:
        self.file, self.record, self.body, self.config, self.found = file, record, body, config, found
        self.id = identifier(body.get("id"), "id")
        self.data = needed(body, "data", dict, "an object")
        self.listed: set[str] = set()
        self.in_lists: dict[str, str] = {}
        self.texts: dict[str, str] = {}

    def read(self) -> None:
        self._read_lists()
        inside = {path: value_at(self.data, path) for path in self.config.fields.values() if path not in self.data}
        self.texts, others = texts_in({**self.data, **inside}, self.found.left_out)
        others = {name: value for name, value in others.items() if name not in self.listed}
        record = FoundRecord(self.id, self.texts, others, self.in_lists)
        self.found.add_record(record, "data")
        for number, one in enumerate(optional(self.body, "annotations", list, "a list") or ()):
            self._annotation(one, f"annotations.{number}")
        for number, one in enumerate(optional(self.body, "predictions", list, "a list") or ()):
            self._prediction(one, f"predictions.{number}")
        if drafts := self.body.get("drafts"):
            self.found.left_out["drafts"] += len(drafts) if isinstance(drafts, list) else 1

    def _read_lists(self) -> None:
        """Read the texts of fields that list {"id", "title", "body"}, as a ranker shows them, by their ids."""
        for name, value in self.data.items():
            if isinstance(value, list) and value and all(isinstance(one, dict) and "id" in one for one in value):
                self.listed.add(name)
                for place, one in enumerate(value):
                    key = identifier(one["id"], f"data.{name}.{place}.id")
                    parts = [one[part] for part in ("title", "body", "text", "html") if isinstance(one.get(part), str)]
                    self.in_lists[key] = "\n".join(parts)

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
        about = {
            "rater": rater,
            "submitted_at": moment_text(at, f"{place}.updated_at"),
            "seconds": duration(one.get("lead_time"), f"{place}.lead_time"),
        }
        answered = self._results(one, place, about)
        for control in self.config.controls.values():
            is_list = control.is_multiple or control.tag in TEXT_REGIONS
            if is_list and control.is_asked_always and control.name not in answered:
                text = self._text_of(control.name, None, place)
                self._add(control.name, AnswerKind.NOTHING, [], place, {**about, "about": text})

    def _prediction(self, one: Any, place: str) -> None:
        if not isinstance(one, dict):
            raise FieldInvalidError(place, "must be an object")
        rater = identifier(one.get("model_version") or "model", f"{place}.model_version")
        self._results(one, place, {"rater": rater, "rater_kind": MODEL})

    def _results(self, one: Any, place: str, about: dict[str, Any]) -> set[str]:
        """Read the results of an annotation or a prediction; return the questions that were answered."""
        spans: dict[tuple[str, Any], list[Any]] = {}
        answered: set[str] = set()
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
            answered.add(question)
            if kind in TEXT_REGIONS:
                to = result.get("to_name") if isinstance(result.get("to_name"), str) else None
                spans.setdefault((question, to), []).extend(_spans(value, kind, f"{at}.value"))
            elif "start" in value or "x" in value:
                self.found.left_out["answers about single regions"] += 1
            else:
                self._answer(result, question, kind, value, at, about)
        for (question, to), marked in spans.items():
            text = self._text_of(question, to, place)
            self._add(question, AnswerKind.SPANS, marked, place, {**about, "about": text})
        return answered

    def _text_of(self, question: str, to: str | None, at: str) -> str | None:
        """The field that a control is about; None for the whole task, or if a person has to say it."""
        if self.config.controls:
            control, fields = self.config.controls.get(question), self.config.fields_of(question)
            if control is None:
                raise FieldInvalidError(f"{at}.from_name", f"{quoted(question)} is not in the labelling configuration")
            if to is not None and len(control.about) == 1 and to != control.about[0]:
                reason = f"{quoted(to)} is not what the labelling configuration has, {quoted(control.about[0])}"
                raise FieldInvalidError(f"{at}.to_name", reason)
            return fields[0] if fields is not None and len(fields) == 1 and fields[0] in self.texts else None
        shows, names = self.found.told.shows, readable(self.texts)
        if to is not None and (to in shows or to in self.texts):  # a tag is usually called by its field
            return shows.get(to, to)
        if len(names) > 1 and not (to in self.listed or question in shows or self.found.told.roles.outputs):
            reason = f"is about one of {len(names)} texts: name the field that is judged, or {GIVE}"
            self.found.ask(
                AskedChoice(
                    SHOWS, to or question, tuple(names), reason, self.file.name, self.record.line, self._place(at)
                )
            )
        return None

    def _answer(self, result: Any, question: str, kind: str, value: Any, at: str, about: dict[str, Any]) -> None:
        if kind == "pairwise":
            self._pairwise(question, value, at, about)
            return
        if kind == "ranker":
            self._ranking(question, value, at, about)
            return
        to = result.get("to_name") if isinstance(result.get("to_name"), str) else None
        named = {**about, "about": self._text_of(question, to, at)}
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
            case "datetime":
                self._add(question, AnswerKind.TEXT, needed(value, kind, str, "a text", at), at, named)
            case "textarea":
                text = value.get("text")
                lines = [text] if isinstance(text, str) else labels_of(text, f"{at}.value.text")
                self._add(question, AnswerKind.TEXT, "\n".join(lines), at, named)
            case _:
                raise FieldInvalidError(f"{at}.type", f"{quoted(kind)} is not a known type of result")

    def _pairwise(self, question: str, value: Any, at: str, about: dict[str, Any]) -> None:
        side = value.get("selected")
        if side not in PLACES:
            raise FieldInvalidError(f"{at}.value.selected", "must be left or right")
        pair = self._sides(question, at)
        if pair is not None:
            self._add(question, AnswerKind.PAIR, pair[PLACES.index(side)], at, {**about, "pair": pair})

    def _sides(self, question: str, at: str) -> tuple[str, str] | None:
        """The fields shown left and right; None if a person has to say it."""
        pair = self.config.fields_of(question) or self.found.told.sides.get(question)
        if self.config.controls and question not in self.config.controls:
            raise FieldInvalidError(f"{at}.from_name", f"{quoted(question)} is not in the labelling configuration")
        if pair is None:
            names = tuple(readable(self.texts))
            reason = f"compares left and right, but the export does not say which field was where: {GIVE}"
            self.found.ask(
                AskedChoice(SIDES, question, names, reason, self.file.name, self.record.line, self._place(at))
            )
            return None
        if len(pair) != 2 or (missing := [name for name in pair if name not in self.texts]):
            reason = f"must compare two texts, not {', '.join(missing) if len(pair) == 2 else len(pair)}"
            raise FieldInvalidError(f"{at}.from_name", reason)
        return pair[0], pair[1]

    def _ranking(self, question: str, value: Any, at: str, about: dict[str, Any]) -> None:
        buckets = needed(value, "ranker", dict, "an object", at)
        ranked = {name: ids for name, ids in buckets.items() if name != "_"} or buckets
        if len(ranked) != 1:
            self.found.left_out["items sorted into several buckets"] += 1
            return
        ids = next(iter(ranked.values()))
        if not isinstance(ids, list):
            raise FieldInvalidError(f"{at}.value.ranker", "must have lists of ids")
        keys = [identifier(key, f"{at}.value.ranker") for key in ids]
        self._add(question, AnswerKind.RANKING, {key: rank for rank, key in enumerate(keys, 1)}, at, about)

    def _place(self, place: str) -> str:
        return ".".join(filter(None, (self.record.name, place)))

    def _add(self, question: str, kind: AnswerKind, value: Any, place: str, about: dict[str, Any]) -> None:
        self.found.answers.append(
            FoundAnswer(
                self.file.name,
                self.record.line,
                self._place(place),
                self.id,
                question=question,
                kind=kind,
                value=value,
                **about,
            )
        )


def _spans(value: Any, kind: str, place: str) -> list[Any]:
    """A region of a text: one span per label."""
    if not isinstance(value.get("start"), int) or not isinstance(value.get("end"), int):
        raise FieldInvalidError(place, "must have whole numbers as start and end, as regions of plain texts have")
    text = optional(value, "text", str, "a text", place)
    labels: list[str | None] = [*labels_of(value.get(kind) or (), f"{place}.{kind}")]
    return [(value["start"], value["end"], label, text) for label in labels or [None]]


TOOL = LabelStudio()
