"""Potato: `annotated_instances.jsonl` and `user_state.json` of each annotator, and the data file with the texts."""

import re
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, quoted
from annotation.importing.other_tools import OtherTool
from annotation.importing.other_tools.findings import AnswerKind, Findings, FoundAnswer, FoundRecord, texts_in
from annotation.importing.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, needed, optional

LABELS, SPANS = "label_annotations", "span_annotations"
STATE_LABELS, STATE_SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
SURVEYS = "phase_to_page_to_label_to_value"
TEXT_BOXES = frozenset({"text_box", "textbox", "free_response", "text", "textarea", "bad_text"})
SCALE = re.compile(r"(scale_|likert_|point_)?([0-9]{1,3})")
TIME = re.compile(r"Time spent: (\d+)d (\d+)h (\d+)m (\d+)s ?")
DATA = "text"


class Potato(OtherTool):
    key = "potato"
    label = "Potato (annotated_instances.jsonl, user_state.json)"

    def recognises(self, file: ToolFile) -> bool:
        return LABELS in file.first or STATE_LABELS in file.first

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                if STATE_LABELS in record.body:
                    _read_state(file, record, found)
                elif LABELS in record.body or SPANS in record.body:
                    _read_instance(file, record, found)
                else:
                    _read_text(record, found)


def _read_text(record: ToolRecord, found: Findings) -> None:
    """An item of the project's data file."""
    fields = {key: value for key, value in record.body.items() if key not in ("id", "instance_id")}
    texts, others = texts_in(fields, found.left_out)
    if not texts:
        raise FieldInvalidError("", "is neither an annotated instance nor an item with a text")
    key = identifier(record.body.get("id", record.body.get("instance_id")), "id")
    found.add_record(FoundRecord(key, texts, others))


def _read_instance(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    key = identifier(body.get("id"), "id")
    shown = optional(body, "displayed_text", str, "a text")
    if shown is not None:
        found.add_record(FoundRecord(key, {DATA: shown}), "displayed_text")
    else:
        found.records.setdefault(key, FoundRecord(key, {}))
    # The folder of the file is named for the annotator.
    rater = identifier(body.get("user_id") or file.path.absolute().parent.name, "user_id")
    answers = _Answers(file, record, found, key, rater, _seconds(body.get("behavioral_data")), None)
    answers.labels(body.get(LABELS) or {}, LABELS)
    answers.spans(body.get(SPANS) or [], SPANS)


def _read_state(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    rater = identifier(body.get("user_id") or file.path.absolute().parent.name, "user_id")
    labels = needed(body, STATE_LABELS, dict, "an object")
    spans = optional(body, STATE_SPANS, dict, "an object") or {}
    behaviour = optional(body, "instance_id_to_behavioral_data", dict, "an object") or {}
    order = optional(body, "instance_id_ordering", list, "a list") or []
    places = {str(key): place for place, key in enumerate(order, 1)}
    surveys = optional(body, SURVEYS, dict, "an object") or {}
    found.left_out["pages of surveys"] += sum(len(pages) for pages in surveys.values() if isinstance(pages, dict))
    for key in dict.fromkeys([*labels, *spans]):
        found.records.setdefault(key, FoundRecord(key, {}))
        answers = _Answers(file, record, found, key, rater, _seconds(behaviour.get(key)), places.get(key))
        answers.labels(labels.get(key) or {}, f"{STATE_LABELS}.{key}")
        answers.spans(spans.get(key) or [], f"{STATE_SPANS}.{key}")


def _seconds(behaviour: Any) -> float | None:
    """The time on an instance, as either version of the tool counts it; None if it is unknown."""
    if not isinstance(behaviour, dict):
        return None
    spent = TIME.fullmatch(str(behaviour.get("time_string")))
    if spent:
        days, hours, minutes, seconds = map(int, spent.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    total = behaviour.get("total_time_ms")
    return total / 1000 if isinstance(total, int | float) and not isinstance(total, bool) and total >= 0 else None


class _Answers:
    """The answers of one annotator about one instance."""

    def __init__(
        self, file: ToolFile, record: ToolRecord, found: Findings, key: str, rater: str, seconds: float | None,
        order: int | None,
    ) -> None:  # fmt: skip
        self.file, self.record, self.found, self.key = file, record, found, key
        self.about: dict[str, Any] = {"rater": rater, "seconds": seconds, "order": order}

    def labels(self, given: Any, place: str) -> None:
        """Labels by schema: {schema: {label: value}}, or a list of [{"schema", "name"}, value]."""
        for schema, labels in _by_schema(given, place).items():
            if set(labels) == {"labels"} and isinstance(labels["labels"], dict):
                labels = labels["labels"]
            chosen = [name for name, value in labels.items() if _is_chosen(name, value)]
            others = {name: value for name, value in labels.items() if name not in chosen and not _is_unchosen(value)}
            if len(chosen) == 1 and (step := SCALE.fullmatch(chosen[0])) and not others:
                self._add(schema, AnswerKind.STEP, int(step[2]), f"{place}.{schema}")
            elif chosen:
                self._add(schema, AnswerKind.CHOICES, chosen, f"{place}.{schema}")
            for name, value in others.items():
                question = schema if len(others) == 1 and not chosen else f"{schema} {name}"
                self._value(question, name, value, f"{place}.{schema}.{name}")

    def _value(self, question: str, name: str, value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise FieldInvalidError(place, f"has a value of an unknown shape: {quoted(value)}")
        text = str(value)
        if name in TEXT_BOXES and not isinstance(value, int | float):
            self._add(question, AnswerKind.TEXT, text, place)
        elif re.fullmatch(r"-?[0-9]{1,9}", text):
            kind = AnswerKind.NUMBER if name == "slider" else AnswerKind.STEP
            self._add(question, kind, int(text), place)
        elif isinstance(value, float):
            self._add(question, AnswerKind.NUMBER, value, place)
        else:
            self._add(question, AnswerKind.WORDS, [text], place)

    def spans(self, given: Any, place: str) -> None:
        """Spans as a list, or as {schema: list}."""
        listed = given if isinstance(given, dict) else {"spans": given}
        for schema, spans in listed.items():
            if not isinstance(spans, list):
                raise FieldInvalidError(f"{place}.{schema}", "must be a list of spans")
            found: dict[str, list[Any]] = {}
            for number, span in enumerate(spans):
                own = span[0] if isinstance(span, list) and span else span
                question, marked = _span(own, schema, f"{place}.{number}")
                found.setdefault(question, []).append(marked)
            for question, marks in found.items():
                self._add(question, AnswerKind.SPANS, marks, f"{place}.{schema}")

    def _add(self, question: str, kind: AnswerKind, value: Any, place: str) -> None:
        name = ".".join(filter(None, (self.record.name, place)))
        self.found.answers.append(
            FoundAnswer(self.file.name, self.record.line, name, self.key, question=question, kind=kind,
                        value=value, **self.about)
        )  # fmt: skip


def _by_schema(given: Any, place: str) -> dict[str, Body]:
    if isinstance(given, list):
        found: dict[str, Body] = {}
        for number, pair in enumerate(given):
            label = pair[0] if isinstance(pair, list) and len(pair) == 2 else None
            if not isinstance(label, dict) or not all(isinstance(label.get(key), str) for key in ("schema", "name")):
                raise FieldInvalidError(f"{place}.{number}", "must be [{schema, name}, value]")
            found.setdefault(label["schema"], {})[label["name"]] = pair[1]
        return found
    if not isinstance(given, dict) or not all(isinstance(labels, dict) for labels in given.values()):
        raise FieldInvalidError(place, "must be an object of objects: {schema: {label: value}}")
    return given


def _is_chosen(name: str, value: Any) -> bool:
    """Whether a label is chosen: the tool writes true, or the label again."""
    return value is True or (isinstance(value, str) and (value in ("true", "True", "on") or value == name)) or (
        (step := SCALE.fullmatch(name)) is not None and str(value) == step[2]
    )  # fmt: skip


def _is_unchosen(value: Any) -> bool:
    return value in (None, False, "false", "False", "")


def _span(span: Any, schema: str, place: str) -> tuple[str, tuple[int, int, str | None, str | None]]:
    """The question of a span and the span, in the words of either version of the tool."""
    if not isinstance(span, dict) or type(span.get("start")) is not int or type(span.get("end")) is not int:
        raise FieldInvalidError(place, "must be an object with start and end as whole numbers")
    label = next((span[key] for key in ("annotation", "name", "label") if isinstance(span.get(key), str)), None)
    said = next((span[key] for key in ("span", "text") if isinstance(span.get(key), str)), None)
    question = span["schema"] if isinstance(span.get("schema"), str) else schema
    return question, (span["start"], span["end"], label, said)


TOOL = Potato()
