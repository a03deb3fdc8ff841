"""Potato: instances, states or exports of annotators, with the data file and `config.yaml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from annotation.questions.preference import TIE
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.conversion_choices import RATER, AskedChoice
from parts.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    texts_in,
)
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, needed, optional
from parts.other_tools.tools.potato_comparisons import Comparisons
from parts.other_tools.tools.potato_config import (
    EXTREMES,
    PAIRWISE,
    RANKING,
    PotatoProject,
    data_files,
    is_config,
    read_config,
)
from parts.other_tools.tools.potato_tables import from_columns, is_export

LABELS, SPANS = "label_annotations", "span_annotations"
STATE_LABELS, STATE_SPANS = "instance_id_to_label_to_value", "instance_id_to_span_to_value"
STATE_ORDERS, STATE_BEHAVIOUR = "instance_id_to_presentation_order", "instance_id_to_behavioral_data"
SURVEYS = "phase_to_page_to_label_to_value"
TEXT_BOXES = frozenset({"text_box", "textbox", "free_response", "text", "textarea", "bad_text", "justification"})
SCALE = re.compile(r"(scale_|likert_|point_)?([0-9]{1,3})")
TIME = re.compile(r"Time spent: (\d+)d (\d+)h (\d+)m (\d+)s ?")
DATA = "text"
TUPLE = "_bws_items"
SELECTION, DEGREE, ORDER, SIDES = "selection", "scale_value", "rank_order", frozenset({"best", "worst"})
"""The labels under which comparisons are stored."""


class Potato(OtherTool):
    key = "potato"
    label = "Potato (annotated_instances.jsonl, user_state.json)"
    reads_tables = True

    def recognises(self, file: ToolFile) -> bool:
        return _has_answers(file) or is_config(file.settings)

    def is_settings(self, file: ToolFile) -> bool:
        return not _has_answers(file)

    def belongs(self, file: ToolFile, others: Sequence[ToolFile]) -> bool:
        """Return whether to read it: the state of each person, or else exports; the configuration; and the items."""
        if _has_answers(file):
            return STATE_LABELS in file.first or not any(STATE_LABELS in other.first for other in others)
        configs = [other.settings for other in others if is_config(other.settings)]
        named = [PurePosixPath(name).parts for config in configs for name in data_files(config)]
        parts = file.path.parts
        if named:
            return is_config(file.settings) or any(
                parts[-len(name) :] == name or parts[-1:] == name[-1:] for name in named
            )
        return "id" in file.first and any(isinstance(value, str) for value in file.first.values()) and not is_log(file)

    def read(self, file: ToolFile, found: Findings) -> None:
        project = found.of_tool(PotatoProject)
        if is_config(file.settings):
            read_config(file.settings, project, found)
        before = len(found.answers)
        for record in file.records:
            with file.problems_of(record):
                if STATE_LABELS in record.body:
                    _read_state(file, record, found)
                elif LABELS in record.body or SPANS in record.body:
                    _read_instance(file, record, found)
                elif is_export(record.body):
                    _read_export(file, record, found)
                else:
                    _read_item(record, project, found)
        _choose_by_degree(found, before)


def _has_answers(file: ToolFile) -> bool:
    return bool({LABELS, STATE_LABELS} & file.first.keys()) or is_export(file.first)


def is_log(file: ToolFile) -> bool:
    """Return whether a file logs what people did."""
    return "action_id" in file.first or "action_type" in file.first


def _choose_by_degree(found: Findings, before: int) -> None:
    """Add the choices that follow from how much better one text is, if a file has no other choices between two."""
    answers = found.answers[before:]
    if any(answer.kind is AnswerKind.PAIR for answer in answers):
        return
    for answer in answers:
        if answer.pair is not None and answer.kind in (AnswerKind.STEP, AnswerKind.NUMBER):
            first, second = found.told.sides.get(answer.question) or sorted(answer.pair)
            better = TIE if answer.value == 0 else first if answer.value < 0 else second
            name = f"{answer.question} choice"
            found.answers.append(replace(answer, question=name, kind=AnswerKind.PAIR, value=better))
            found.left_out["choices that follow from a scale between two texts"] += 1


def _read_item(record: ToolRecord, project: PotatoProject, found: Findings) -> None:
    """An item of the project's data file; the texts of a list are called by its key and their places."""
    body = record.body
    key = identifier(body.get(project.id_key, body.get("id", body.get("instance_id"))), project.id_key)
    own = {project.id_key, "id", "instance_id", TUPLE}
    texts, others = texts_in({name: value for name, value in body.items() if name not in own}, found.left_out)
    lists = project.lists.setdefault(key, {})
    for name, value in list(others.items()):
        if isinstance(value, list) and len(value) > 1 and all(isinstance(one, str) for one in value):
            lists[name] = [f"{name}-{place}" for place in range(1, len(value) + 1)]
            texts |= dict(zip(lists[name], value, strict=True))
            del others[name]
    outputs = {}
    for one in body.get(TUPLE) or () if isinstance(body.get(TUPLE), list) else ():
        if isinstance(one, dict) and isinstance(one.get("text"), str):
            outputs[identifier(one.get("source_id"), f"{TUPLE}.source_id")] = one["text"]
    if outputs:
        lists[TUPLE] = list(outputs)
    if not texts and not outputs:
        raise FieldInvalidError("", "is neither an annotated instance nor an item with a text")
    found.add_record(FoundRecord(key, texts, others, outputs))


def _read_instance(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    key = identifier(body.get("id"), "id")
    shown = optional(body, "displayed_text", str, "a text")
    known = found.records.setdefault(key, FoundRecord(key))
    if shown is not None and not known.texts:
        found.add_record(FoundRecord(key, {DATA: shown}), "displayed_text")
    seconds = _seconds(body.get("behavioral_data"))
    answers = _Answers(file, record, found, key, _origin(body), seconds, None, None)
    answers.labels(body.get(LABELS) or {}, LABELS)
    answers.spans(body.get(SPANS) or [], SPANS)


def _read_export(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    """A line of one of the tool's exports."""
    body, project = record.body, found.of_tool(PotatoProject)
    line = from_columns(body, project.schemes) if file.is_table else body
    key = identifier(line.get("instance_id"), "instance_id")
    found.records.setdefault(key, FoundRecord(key))
    answers = _Answers(file, replace(record, body=line), found, key, _origin(body), None, None, None)
    answers.labels(line.get("labels") or {}, "labels")
    answers.spans(line.get("spans") or {}, "spans")


def _read_state(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    labels = needed(body, STATE_LABELS, dict, "an object")
    spans = optional(body, STATE_SPANS, dict, "an object") or {}
    behaviour = optional(body, STATE_BEHAVIOUR, dict, "an object") or {}
    orders = optional(body, STATE_ORDERS, dict, "an object") or {}
    order = optional(body, "instance_id_ordering", list, "a list") or []
    places = {str(key): place for place, key in enumerate(order, 1)}
    surveys = optional(body, SURVEYS, dict, "an object") or {}
    found.left_out["pages of surveys"] += sum(len(pages) for pages in surveys.values() if isinstance(pages, dict))
    for key in dict.fromkeys([*labels, *spans]):
        found.records.setdefault(key, FoundRecord(key))
        shown = orders.get(key) if isinstance(orders.get(key), dict) else {}
        answers = _Answers(
            file, record, found, key, _origin(body), _seconds(behaviour.get(key)), places.get(key), shown
        )
        answers.labels(labels.get(key) or {}, f"{STATE_LABELS}.{key}")
        answers.spans(spans.get(key) or [], f"{STATE_SPANS}.{key}")


def _origin(body: Body) -> str:
    """Whether a person or a machine answered; without a declaration it was a person."""
    origin = body.get("annotator_origin", body.get("origin"))
    kind = origin.get("kind", HUMAN) if isinstance(origin, Mapping) else origin
    return HUMAN if kind in (None, "", HUMAN) else MODEL


def _seconds(behaviour: Any) -> float | None:
    """The time on an instance, as either version of the tool counts it; None if it is unknown."""
    if not isinstance(behaviour, dict):
        return None
    spent = TIME.fullmatch(str(behaviour.get("time_string")))
    if spent:
        days, hours, minutes, seconds = map(int, spent.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    total = behaviour.get("total_time_ms")
    # 0 is written before the page was left for the first time.
    return total / 1000 if isinstance(total, int | float) and not isinstance(total, bool) and total > 0 else None


class _Answers:
    """The answers of one annotator about one instance."""

    def __init__(
        self,
        file: ToolFile,
        record: ToolRecord,
        found: Findings,
        key: str,
        rater_kind: str,
        seconds: float | None,
        order: int | None,
        shown: Mapping[str, Any] | None,
    ) -> None:
        self.file, self.record, self.found, self.key = file, record, found, key
        self.project = found.of_tool(PotatoProject)
        rater = self._rater()
        self.about: dict[str, Any] = {
            "rater": rater or "",
            "rater_kind": rater_kind,
            "seconds": seconds,
            "order": order,
        }
        self.compared = Comparisons(self.project, found, key, shown, (file.name, record.line, record.name))

    def _rater(self) -> str | None:
        """Who answered: the file says it, or its folder, which is called by the annotator; or a person has to."""
        body, told = self.record.body, self.found.told.raters.get(self.file.name)
        named = body.get("user_id") or told or self.file.folder
        if named is None:
            reason = "does not say who answered: name the annotator"
            self.found.ask(
                AskedChoice(RATER, self.file.name, (), reason, self.file.name, self.record.line, self.record.name)
            )
            return None
        return identifier(named, "user_id")

    def labels(self, given: Any, place: str) -> None:
        """Labels by schema: {schema: {label: value}}, or a list of [{"schema", "name"}, value]."""
        for schema, labels in _by_schema(given, place).items():
            if set(labels) == {"labels"} and isinstance(labels["labels"], dict):
                labels = labels["labels"]
            labels = self._without_comparisons(schema, labels, f"{place}.{schema}")
            chosen = [name for name, value in labels.items() if _is_chosen(name, value)]
            others = {name: value for name, value in labels.items() if name not in chosen and not _is_unchosen(value)}
            if len(chosen) == 1 and (step := SCALE.fullmatch(chosen[0])) and not others:
                self._add(schema, AnswerKind.STEP, int(step[2]), f"{place}.{schema}")
            elif chosen:
                self._add(schema, AnswerKind.CHOICES, chosen, f"{place}.{schema}")
            for name, value in others.items():
                question = schema if len(others) == 1 and not chosen and name in labels else f"{schema} {name}"
                self._value(question, name, value, f"{place}.{schema}.{name}")

    def _without_comparisons(self, schema: str, labels: Body, place: str) -> Body:
        """Add the answers that compare texts; return the other labels of a scheme."""
        scheme, compared = self.project.schemes.get(schema), self.compared
        kind = scheme.type if scheme is not None else _kind_of(labels)
        values = {name: value for name, value in labels.items() if not _is_unchosen(value)}
        if kind == RANKING and ORDER in values:
            ranks = compared.ranking(schema, values.pop(ORDER), place)
            self._add(schema, AnswerKind.RANKING, ranks, place)
        elif kind == EXTREMES and values.keys() & SIDES:
            found = compared.extremes(values, place)
            values = {name: value for name, value in values.items() if name not in SIDES}
            if found is not None:
                self._add(schema, AnswerKind.EXTREMES, found, place)
        elif kind == PAIRWISE:
            several = scheme is not None and scheme.mode == "multi_dimension"
            for name in [name for name in values if name == SELECTION or (several and name not in TEXT_BOXES)]:
                choice = compared.chosen(schema, values.pop(name), place)
                if choice is not None:
                    question = schema if name == SELECTION else f"{schema} {name}"
                    self._add(question, AnswerKind.PAIR, choice[0], place, pair=choice[1])
            if DEGREE in values:
                self._degree(schema, values.pop(DEGREE), place)
            return {f"{schema} {name}" if name in TEXT_BOXES else name: value for name, value in values.items()}
        else:
            return labels
        return values

    def _degree(self, schema: str, value: Any, place: str) -> None:
        degree = self.compared.degree(schema, value, place)
        if degree is None:
            return
        number, pair = degree
        if self.project.schemes.get(schema) is None:
            most = max(abs(int(number)), self.found.scales.get(schema, (0, 3))[1])
            self.found.scales[schema] = -most, most
        if number.is_integer():
            self._add(schema, AnswerKind.STEP, int(number), place, pair=pair)
        else:
            self._add(schema, AnswerKind.NUMBER, number, place, pair=pair)

    def _value(self, question: str, name: str, value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise FieldInvalidError(place, f"has a value of an unknown shape: {quoted(value)}")
        text = str(value)
        if name.rpartition(" ")[2] in TEXT_BOXES and not isinstance(value, int | float):
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
            found: dict[tuple[str, str | None], list[Any]] = {}
            for number, span in enumerate(spans):
                own = span[0] if isinstance(span, list) and span else span
                question, marked = _span(own, schema, f"{place}.{number}")
                found.setdefault((question, self._field(own)), []).append(marked)
            for (question, about), marks in found.items():
                self._add(question, AnswerKind.SPANS, marks, f"{place}.{schema}", about=about)

    def _field(self, span: Any) -> str | None:
        """The field that a span is in: the one that it names, or the one that the project calls its text."""
        texts = self.found.records[self.key].texts
        named = span.get("target_field") if isinstance(span, dict) else None
        if isinstance(named, str) and named:
            return named if named in texts else None
        return self.project.text_key if self.project.has_config and self.project.text_key in texts else None

    def _add(self, question: str, kind: AnswerKind, value: Any, place: str, **more: Any) -> None:
        name = ".".join(filter(None, (self.record.name, place)))
        self.found.answers.append(
            FoundAnswer(
                self.file.name,
                self.record.line,
                name,
                self.key,
                question=question,
                kind=kind,
                value=value,
                **self.about,
                **more,
            )
        )


def _kind_of(labels: Body) -> str:
    """The type of a scheme by the names of its labels, if no configuration says it."""
    if SELECTION in labels or DEGREE in labels:
        return PAIRWISE
    if ORDER in labels:
        return RANKING
    letters = all(isinstance(value, str) and re.fullmatch("[A-Z]", value) for value in labels.values())
    return EXTREMES if labels and labels.keys() <= SIDES and letters else ""


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
    return (
        value is True
        or (isinstance(value, str) and (value in ("true", "True", "on") or value == name))
        or ((step := SCALE.fullmatch(name)) is not None and str(value) == step[2])
    )


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
