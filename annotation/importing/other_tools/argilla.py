"""Argilla: records with responses and suggestions, as its records are written to JSON, with settings if given."""

from collections.abc import Iterator
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, quoted
from annotation.importing.other_tools import OtherTool
from annotation.importing.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    moment_text,
    texts_in,
)
from annotation.importing.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, optional

RESPONSES, USERS, STATUS, SUGGESTION, AGENT = ".responses", ".users", ".status", ".suggestion", ".agent"
ABOUT_RECORD = frozenset({"id", "status", "_server_id", "inserted_at", "updated_at", "external_id"})
KINDS = {
    "label_selection": AnswerKind.CHOICES, "multi_label_selection": AnswerKind.CHOICES, "rating": AnswerKind.STEP,
    "text": AnswerKind.TEXT, "ranking": AnswerKind.RANKING, "span": AnswerKind.SPANS,
}  # fmt: skip


class Argilla(OtherTool):
    key = "argilla"
    label = "Argilla (records)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        nested = isinstance(first.get("fields"), dict) and ("responses" in first or "suggestions" in first)
        return nested or any(key.endswith(RESPONSES) for key in first) or _is_settings(first)

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                if _is_settings(record.body):
                    _read_settings(record.body, found)
                elif isinstance(record.body.get("fields"), dict):
                    _Record(file, record, found).read_nested()
                else:
                    _Record(file, record, found).read_flat()


def _is_settings(body: Body) -> bool:
    return isinstance(body.get("questions"), list) and "responses" not in body


def _read_settings(body: Body, found: Findings) -> None:
    """The types of questions, with their choices and scales."""
    for number, question in enumerate(body["questions"]):
        place = f"questions.{number}"
        settings = question.get("settings") if isinstance(question, dict) else None
        if not isinstance(settings, dict) or not isinstance(question.get("name"), str):
            raise FieldInvalidError(place, "must be an object with name and settings")
        kind = KINDS.get(str(settings.get("type")))
        if kind is None:
            raise FieldInvalidError(f"{place}.settings.type", f"{quoted(settings.get('type'))} is not a known type")
        found.kinds[question["name"]] = kind
        values = [one["value"] for one in settings.get("options") or () if isinstance(one, dict) and "value" in one]
        if kind in (AnswerKind.CHOICES, AnswerKind.SPANS):
            found.choices[question["name"]] = [value for value in values if isinstance(value, str)]
        elif kind is AnswerKind.STEP and values and all(type(value) is int for value in values):
            found.scales[question["name"]] = min(values), max(values)


class _Record:
    """One record."""

    def __init__(self, file: ToolFile, record: ToolRecord, found: Findings) -> None:
        self.file, self.record, self.found = file, record, found
        self.id = identifier(record.body.get("id") or record.body.get("external_id"), "id")

    def read_nested(self) -> None:
        body = self.record.body
        self._texts(body["fields"], optional(body, "metadata", dict, "an object") or {})
        responses = body.get("responses") or {}
        if isinstance(responses, list):  # one object per user, as the server's API gives them
            self._by_user(responses)
        elif isinstance(responses, dict):
            for question, listed in responses.items():
                for number, one in enumerate(self._list(listed, f"responses.{question}")):
                    place = f"responses.{question}.{number}"
                    self._response(question, one, identifier(one.get("user_id"), f"{place}.user_id"), place, one)
        else:
            raise FieldInvalidError("responses", "must be an object or a list")
        suggestions = body.get("suggestions") or {}
        if not isinstance(suggestions, dict):
            raise FieldInvalidError("suggestions", "must be an object")
        for question, one in suggestions.items():
            if not isinstance(one, dict):
                raise FieldInvalidError(f"suggestions.{question}", "must be an object")
            self._suggestion(question, one.get("value"), one.get("agent"))

    def read_flat(self) -> None:
        """A record whose fields and answers are columns, as a data set of `datasets` has them."""
        body = self.record.body
        questions = [key.removesuffix(RESPONSES) for key in body if key.endswith(RESPONSES)]
        asked = tuple(f"{question}." for question in questions)
        fields = {
            key: value
            for key, value in body.items()
            if key not in ABOUT_RECORD and not key.startswith(asked) and SUGGESTION not in key
            and not key.startswith("metadata.")
        }  # fmt: skip
        metadata = {key.removeprefix("metadata."): value for key, value in body.items() if key.startswith("metadata.")}
        self._texts(fields, metadata)
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
                self._response(question, one, identifier(users[number], f"{at}.user"), at, {})
        for key in body:
            if key.endswith(SUGGESTION):
                self._suggestion(key.removesuffix(SUGGESTION), body[key], body.get(f"{key}{AGENT}"))

    def _column(self, key: str) -> list[Any]:
        value = self.record.body.get(key)
        if value is not None and not isinstance(value, list):
            raise FieldInvalidError(key, "must be a list")
        return value or []

    def _texts(self, fields: Body, metadata: Body) -> None:
        texts, others = texts_in(fields, self.found.left_out)
        more = {key: value for key, value in {**others, **metadata}.items() if value is not None}
        self.found.add_record(FoundRecord(self.id, texts, more), "fields")

    def _list(self, value: Any, place: str) -> Iterator[Body]:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise FieldInvalidError(place, "must be a list of objects")
        yield from value

    def _by_user(self, responses: list[Any]) -> None:
        for number, one in enumerate(self._list(responses, "responses")):
            values, place = one.get("values") or {}, f"responses.{number}"
            if not isinstance(values, dict):
                raise FieldInvalidError(f"{place}.values", "must be an object")
            user = identifier(one.get("user_id"), f"{place}.user_id")
            for question, value in values.items():
                if not isinstance(value, dict):
                    raise FieldInvalidError(f"{place}.values.{question}", "must be an object")
                self._response(question, {**value, "status": one.get("status")}, user, place, one)

    def _response(self, question: str, one: Body, user: str, place: str, times: Body) -> None:
        if one.get("status") in ("discarded", "draft"):
            self.found.left_out[f"{one['status']} responses"] += 1
        elif one.get("value") is not None:
            at = moment_text(times.get("updated_at") or times.get("inserted_at"), f"{place}.updated_at")
            self._add(question, one["value"], place, rater=user, rater_kind=HUMAN, submitted_at=at)

    def _suggestion(self, question: str, value: Any, agent: Any) -> None:
        if value is not None:
            rater = identifier(agent or "suggestions", f"{question}.agent")
            self._add(question, value, f"suggestions.{question}", rater=rater, rater_kind=MODEL)

    def _add(self, question: str, value: Any, place: str, **about: Any) -> None:
        kind, read = _answer(value, place)
        name = ".".join(filter(None, (self.record.name, place)))
        self.found.answers.append(
            FoundAnswer(
                self.file.name, self.record.line, name, self.id, question=question, kind=kind, value=read, **about
            )
        )


def _answer(value: Any, place: str) -> tuple[AnswerKind, Any]:
    """The kind of a response by its value, and the value as answers have it."""
    if isinstance(value, str):
        return AnswerKind.WORDS, [value]
    if type(value) is int:
        return AnswerKind.STEP, value
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
    return [(one["start"], one["end"], one.get("label"), None) for one in value]


TOOL = Argilla()
