"""Argilla: records with responses and suggestions, nested or as columns, with settings if given.

Columns mix the fields that raters saw with metadata. Which are which, only the settings or a person can say.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from files.import_problems import FieldInvalidError, quoted
from files.line_reading import JSONInvalidError, parse_json
from parts.other_tools.conversion_choices import RATER, SHOWS, AskedChoice
from parts.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    moment_text,
    texts_in,
)
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, optional
from parts.other_tools.tools.argilla_settings import DataSetFields, is_settings, read_settings

RESPONSES, USERS, STATUS, SUGGESTION, AGENT = ".responses", ".users", ".status", ".suggestion", ".agent"
SUGGESTION_1, ABOUT_SUGGESTION_1 = "-suggestion", "-suggestion-metadata"
"""What ends the names of columns that version 1 writes beside those of questions."""
ABOUT_RECORD = frozenset({"id", "status", "_server_id", "inserted_at", "updated_at", "external_id", "vectors"})
LEFT_OUT = ("discarded", "draft")


class Argilla(OtherTool):
    key = "argilla"
    label = "Argilla (records)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        nested = isinstance(first.get("fields"), dict) and ("responses" in first or "suggestions" in first)
        columns = any(key.endswith(RESPONSES) for key in first) or bool(_questions_of_version_1(first))
        return nested or columns or self.is_settings(file)

    def is_settings(self, file: ToolFile) -> bool:
        return is_settings(file.settings) or is_settings(file.first)

    def read(self, file: ToolFile, found: Findings) -> None:
        if is_settings(file.settings):
            read_settings(file.settings, found)
        for record in file.records:
            with file.problems_of(record):
                if is_settings(record.body):
                    read_settings(record.body, found)
                elif isinstance(record.body.get("fields"), dict):
                    _Record(file, record, found).read_nested()
                elif questions := _questions_of_version_1(record.body):
                    _Record(file, record, found).read_version_1(questions)
                else:
                    _Record(file, record, found).read_flat()
        _leave_out_numbered_labels(found)


def _questions_of_version_1(body: Body) -> list[str]:
    """The questions of a record whose columns are as version 1 writes them."""
    names = (key.removesuffix(SUGGESTION_1) for key in body if key.endswith(SUGGESTION_1))
    return [name for name in names if isinstance(body.get(name), list)]


def _leave_out_numbered_labels(found: Findings) -> None:
    """Leave out suggestions that are the number of a label: what the labels are, the file does not say."""
    people = {answer.question: answer.kind for answer in found.answers if answer.rater_kind == HUMAN}
    kinds = {**people, **found.kinds}
    words = (AnswerKind.WORDS, AnswerKind.CHOICES)
    kept = [
        answer
        for answer in found.answers
        if answer.rater_kind == HUMAN or answer.kind is not AnswerKind.STEP or kinds.get(answer.question) not in words
    ]
    found.left_out["suggestions that are numbers of labels"] += len(found.answers) - len(kept)
    found.answers = kept


class _Record:
    """One record."""

    def __init__(self, file: ToolFile, record: ToolRecord, found: Findings) -> None:
        self.file, self.record, self.found = file, record, found
        self.fields = found.of_tool(DataSetFields)
        self.texts: dict[str, str] = {}
        body = record.body
        given = next((body[key] for key in ("id", "external_id") if body.get(key) is not None), None)
        # Version 1 writes no id unless somebody gave one.
        self.id = identifier(given if given is not None else _own_name(record), "id")

    def read_nested(self) -> None:
        body = self.record.body
        self._add_record(body["fields"], optional(body, "metadata", dict, "an object") or {})
        responses = body.get("responses") or {}
        if isinstance(responses, list):  # one object per user, as version 1 and the server's API give them
            self._by_user(responses)
        elif isinstance(responses, dict):
            for question, listed in responses.items():
                for number, one in enumerate(self._list(listed, f"responses.{question}")):
                    place = f"responses.{question}.{number}"
                    self._response(question, one, self._user(one.get("user_id"), f"{place}.user_id"), place, one)
        else:
            raise FieldInvalidError("responses", "must be an object or a list")
        for question, one in self._suggestions(body.get("suggestions") or {}):
            self._suggestion(question, one.get("value"), one.get("agent"))

    def _suggestions(self, value: Any) -> Iterator[tuple[str, Body]]:
        """Yield each question with its suggestion: an object by question, or a list, as version 1 has it."""
        if isinstance(value, list):
            for one in self._list(value, "suggestions"):
                name = one.get("question_name") or one.get("question")
                if not isinstance(name, str):
                    raise FieldInvalidError("suggestions", "must have a question_name each")
                yield name, one
        elif isinstance(value, dict):
            for question, one in value.items():
                if not isinstance(one, dict):
                    raise FieldInvalidError(f"suggestions.{question}", "must be an object")
                yield question, one
        else:
            raise FieldInvalidError("suggestions", "must be an object")

    def read_version_1(self, questions: list[str]) -> None:
        """A record whose answers are columns, as version 1 writes a data set of `datasets`."""
        body = self.record.body
        more = {f"{name}{end}" for name in questions for end in (SUGGESTION_1, ABOUT_SUGGESTION_1)}
        known = {*questions, *more, *ABOUT_RECORD, "metadata"}
        self._add_record({key: value for key, value in body.items() if key not in known}, _metadata(body))
        for question in questions:
            for number, one in enumerate(self._list(body[question], question)):
                place = f"{question}.{number}"
                self._response(question, one, self._user(one.get("user_id"), f"{place}.user_id"), place, one)
            about = body.get(f"{question}{ABOUT_SUGGESTION_1}")
            agent = about.get("agent") if isinstance(about, dict) else None
            self._suggestion(question, body.get(f"{question}{SUGGESTION_1}"), agent)

    def read_flat(self) -> None:
        """A record whose fields and answers are columns, as a data set of `datasets` has them."""
        body = self.record.body
        questions = [key.removesuffix(RESPONSES) for key in body if key.endswith(RESPONSES)]
        asked = tuple(f"{question}." for question in questions)
        fields = {
            key: value
            for key, value in body.items()
            if key not in ABOUT_RECORD
            and not key.startswith(asked)
            and SUGGESTION not in key
            and not key.startswith("metadata.")
        }
        metadata = {key.removeprefix("metadata."): value for key, value in body.items() if key.startswith("metadata.")}
        self._add_record(fields, metadata)
        for question in questions:
            place = f"{question}{RESPONSES}"
            values = self._column(place)
            users, statuses = self._column(f"{place}{USERS}"), self._column(f"{place}{STATUS}")
            if len(users) != len(values):
                raise FieldInvalidError(f"{place}{USERS}", "must name one user per response")
            for number, value in enumerate(values):
                status = statuses[number] if number < len(statuses) else None
                one = {"value": value, "status": status}
                at = f"{place}.{number}"
                self._response(question, one, self._user(users[number], f"{at}.user"), at, {})
        for key in body:
            if key.endswith(SUGGESTION):
                self._suggestion(key.removesuffix(SUGGESTION), body[key], body.get(f"{key}{AGENT}"))

    def _column(self, key: str) -> list[Any]:
        value = self.record.body.get(key)
        if value is not None and not isinstance(value, list):
            raise FieldInvalidError(key, "must be a list")
        return value or []

    def _add_record(self, fields: Body, metadata: Body) -> None:
        """Add the record with the texts that raters saw; without settings, all columns may be such."""
        texts, others = texts_in(fields, self.found.left_out)
        if self.fields.shown:
            others |= {name: text for name, text in texts.items() if name not in self.fields.shown}
            texts = {name: text for name, text in texts.items() if name in self.fields.shown}
        self.texts = texts
        more = {key: value for key, value in {**others, **metadata}.items() if value is not None}
        self.found.add_record(FoundRecord(self.id, texts, more), "fields")

    def _list(self, value: Any, place: str) -> Iterator[Body]:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise FieldInvalidError(place, "must be a list of objects")
        yield from value

    def _user(self, value: Any, place: str) -> str | None:
        """Who answered; None if the file does not say it and a person has to."""
        if value is not None:
            return identifier(value, place)
        told = self.found.told.raters.get(self.file.name)
        if told is None:
            reason = "is missing: say who answered in this file"
            self.found.ask(
                AskedChoice(RATER, self.file.name, (), reason, self.file.name, self.record.line, self._place(place))
            )
        return told

    def _by_user(self, responses: list[Any]) -> None:
        for number, one in enumerate(self._list(responses, "responses")):
            values, place = one.get("values") or {}, f"responses.{number}"
            if not isinstance(values, dict):
                raise FieldInvalidError(f"{place}.values", "must be an object")
            user = self._user(one.get("user_id"), f"{place}.user_id")
            for question, value in values.items():
                if not isinstance(value, dict):
                    raise FieldInvalidError(f"{place}.values.{question}", "must be an object")
                self._response(question, {**value, "status": one.get("status")}, user, place, one)

    def _response(self, question: str, one: Body, user: str | None, place: str, times: Body) -> None:
        if one.get("status") in LEFT_OUT:
            self.found.left_out[f"{one['status']} responses"] += 1
        elif one.get("value") is not None and user is not None:
            at = moment_text(times.get("updated_at") or times.get("inserted_at"), f"{place}.updated_at")
            self._add(question, one["value"], place, rater=user, rater_kind=HUMAN, submitted_at=at)

    def _suggestion(self, question: str, value: Any, agent: Any) -> None:
        if value is not None and value != []:
            rater = identifier(agent or "suggestions", f"{question}.agent")
            self._add(question, value, f"suggestions.{question}", rater=rater, rater_kind=MODEL)

    def _add(self, question: str, value: Any, place: str, **about: Any) -> None:
        kind, read = _answer(_as_list(value), place)
        if kind is AnswerKind.RANKING:
            read = {self._ranked(name, place): rank for name, rank in read.items()}
        elif kind in (AnswerKind.SPANS, AnswerKind.NOTHING):
            about["about"] = self._field_of_spans(question, read)
        self.found.answers.append(
            FoundAnswer(
                self.file.name,
                self.record.line,
                self._place(place),
                self.id,
                question=question,
                kind=kind,
                value=read,
                **about,
            )
        )

    def _ranked(self, name: str, place: str) -> str:
        """The field that a ranked name stands for; if none has this name, a person has to say it."""
        shown = self.found.told.shows.get(name, name)
        if shown not in self.texts:
            reason = f"ranks {quoted(name)}, which is no text of the record: name the field that it stands for"
            self.found.ask(
                AskedChoice(
                    SHOWS, name, tuple(self.texts), reason, self.file.name, self.record.line, self._place(place)
                )
            )
        return shown

    def _field_of_spans(self, question: str, spans: list[Any]) -> str | None:
        """The field in which spans are: that of the settings, or the only one that has the texts they quote."""
        known = self.fields.of_spans.get(question)
        if known is not None:
            return known if known in self.texts else None
        if not spans or any(quote is None for *_, quote in spans):
            return None
        fits = [
            name for name, text in self.texts.items() if all(text[start:end] == quote for start, end, _, quote in spans)
        ]
        return fits[0] if len(fits) == 1 else None

    def _place(self, place: str) -> str:
        return ".".join(filter(None, (self.record.name, place)))


def _own_name(record: ToolRecord) -> str:
    return f"line-{record.line}" if record.line else record.name.replace(" ", "-")


def _metadata(body: Body) -> Body:
    """The metadata of a record; version 1 writes them as JSON."""
    value = body.get("metadata")
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except JSONInvalidError:
            return {"metadata": value}
    return value if isinstance(value, dict) else {}


def _as_list(value: Any) -> Any:
    """A list of objects, for an object of lists, as `datasets` writes sequences of objects."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(column, list) for column in value.values()):
        return value
    if len({len(column) for column in value.values()}) != 1:
        return value
    return [dict(zip(value, row, strict=True)) for row in zip(*value.values(), strict=True)]


def _answer(value: Any, place: str) -> tuple[AnswerKind, Any]:
    """The kind of a response by its value, and the value as answers have it."""
    if isinstance(value, str):
        return AnswerKind.WORDS, [value]
    if type(value) is int:
        return AnswerKind.STEP, value
    if value == []:
        return AnswerKind.NOTHING, value
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return AnswerKind.CHOICES, list(dict.fromkeys(value))
    if isinstance(value, list) and all(isinstance(one, dict) for one in value):
        if all("rank" in one for one in value) and value:
            return AnswerKind.RANKING, _ranks(value, place)
        if all("start" in one and "end" in one for one in value):
            return AnswerKind.SPANS, _spans(value, place)
    raise FieldInvalidError(place, f"has a value of an unknown shape: {quoted(value)}")


def _ranks(value: list[Body], place: str) -> dict[str, int]:
    ranks: dict[str, int] = {}
    for one in value:
        if not isinstance(one.get("value"), str) or type(one["rank"]) is not int:
            raise FieldInvalidError(place, "must have a text as value and a whole number as rank")
        ranks[one["value"]] = one["rank"]
    return ranks


def _spans(value: list[Body], place: str) -> list[Any]:
    if not all(type(one["start"]) is int and type(one["end"]) is int for one in value):
        raise FieldInvalidError(place, "must have whole numbers as start and end")
    quotes = [one["text"] if isinstance(one.get("text"), str) else None for one in value]
    return [(one["start"], one["end"], one.get("label"), quote) for one, quote in zip(value, quotes, strict=True)]


TOOL = Argilla()
