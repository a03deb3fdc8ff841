"""The study file: YAML 1.2 or JSON, checked whole before anything is written."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent

from annotation.importing.problems import FieldInvalidError, Problem, Problems, quoted, refuse
from annotation.importing.reading import BOM, JSONInvalidError, open_regular, parse_json
from annotation.models import Question
from annotation.protocols import Protocol, StudyInvalidError, protocols
from annotation.questions import COMMON_KEYS, SpecInvalidError, ValueInvalidError, question_types
from annotation.text import DEEPEST, TextRefusedError, check_id, check_json
from config.fields import canonical_json

STUDY_KEYS = (
    "slug", "title", "description", "contact", "language", "protocol", "redundancy", "guidelines", "questions",
    "options",
)  # fmt: skip
QUESTION_KEYS = ("key", "type", "text", "help", "required")
SLUG = re.compile(r"[a-z0-9-]{1,100}")
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
LONGEST_LANGUAGE = 35
LONGEST_KEY = 100
MOST_RATERS = 1000
MOST_QUESTIONS = 200
LARGEST_BATCH = 2**31 - 1


@dataclass(frozen=True)
class StudyFile:
    """A study as its file describes it; what the file leaves out is None. Questions have no study yet."""

    name: str
    slug: str
    protocol: Protocol
    redundancy: int
    questions: tuple[Question, ...]
    title: str | None
    description: str | None
    contact: str | None
    language: str | None
    guidelines: str | None
    options: Mapping[str, Any] | None


def read_study_file(path: Path) -> StudyFile:
    """Read and check a study file; raises ImportRefusedError with all that is wrong."""
    body = _load(path)
    problems = Problems(path.name)
    if not isinstance(body, dict):
        raise refuse(path.name, "must hold a mapping of keys to values")
    for key in body:
        if key not in STUDY_KEYS:
            problems.add(0, quoted(key), "is no key of a study")
    checked: dict[str, Any] = {}
    for key, check in _CHECKS.items():
        try:
            checked[key] = check(body.get(key), key)
        except FieldInvalidError as problem:
            problems.add(0, problem.field, problem.reason)
    problems.refuse_if_any()
    protocol = protocols()[checked["protocol"]]
    questions = _questions(body.get("questions"), protocol, problems)
    options = _options(body.get("options"), protocol, problems)
    problems.refuse_if_any()
    try:
        protocol.check_study(questions, options or {})
    except StudyInvalidError as problem:
        raise refuse(path.name, str(problem)) from None
    return StudyFile(name=path.name, questions=tuple(questions), options=options, **{**checked, "protocol": protocol})


def _load(path: Path) -> Any:
    with open_regular(path) as file:
        raw = file.read(settings.LINE_LIMIT + 1)
    if len(raw) > settings.LINE_LIMIT:
        raise refuse(path.name, f"is longer than {settings.LINE_LIMIT} bytes")
    try:
        text = raw.removeprefix(BOM).decode()
    except UnicodeDecodeError as problem:
        raise refuse(path.name, f"is not UTF-8 (byte {problem.start + 1}): save it as UTF-8") from None
    try:
        # A JSON file is YAML too, but the other way round JSON is read much faster and names no merge keys.
        body = parse_json(text) if path.suffix == ".json" else _parse_yaml(path.name, text)
        return check_json(_plain(body))
    except JSONInvalidError as problem:
        raise refuse(path.name, str(problem)) from None
    except TextRefusedError as problem:
        raise refuse(path.name, problem.reason, field=problem.place) from None
    except FieldInvalidError as problem:
        raise refuse(path.name, problem.reason, field=problem.field) from None


def _parse_yaml(name: str, text: str) -> Any:
    """YAML 1.2 without aliases: a few of them can stand for gigabytes."""
    depth = 0
    try:
        # Events come as the text is read, and take the longer the deeper they lie: it is stopped at the limit.
        for event in YAML(typ="safe", pure=True).parse(text):
            if isinstance(event, AliasEvent):
                raise refuse(name, "uses an alias (*), which study files may not", event.start_mark.line + 1)
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > DEEPEST:
                raise refuse(name, f"is nested deeper than {DEEPEST} levels", event.start_mark.line + 1)
        return YAML(typ="safe", pure=True).load(text)
    except MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 0
        reason = " ".join(str(problem.problem or problem.context).split("\n")[0].split())
        raise refuse(name, f"is not right as YAML ({reason})", line) from None
    except YAMLError as problem:
        raise refuse(name, f"is not right as YAML ({str(problem).splitlines()[0]})") from None
    except RecursionError:
        raise refuse(name, "is nested too deep") from None
    except (ValueError, OverflowError, TypeError, KeyError, AttributeError) as problem:
        # What the parser's constructors let through for odd numbers, dates and tags.
        raise refuse(name, f"holds a value that cannot be read ({type(problem).__name__})") from None


def _plain(value: Any, field: str = "", depth: int = 0) -> Any:
    """The value in JSON's types; truth values as keys become texts, as JSON writes them."""
    if isinstance(value, dict):
        made = {}
        for key, inner in value.items():
            if isinstance(key, bool):
                key = "true" if key else "false"
            if not isinstance(key, str):
                raise FieldInvalidError(field, f"has the key {quoted(key)}, which is no text: put it in quotes")
            if key in made:
                raise FieldInvalidError(field, f"has the key {quoted(key)} twice")
            made[key] = _plain(inner, f"{field}.{key}" if field else key, depth + 1)
        return made
    if isinstance(value, list):
        return [_plain(inner, f"{field}.{number}", depth + 1) for number, inner in enumerate(value)]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise FieldInvalidError(field, f"is a {type(value).__name__}: put it in quotes to make it a text")


def _missing_or(value: Any, field: str) -> None:
    if value is None:
        raise FieldInvalidError(field, "is missing")


def _slug(value: Any, field: str) -> str:
    _missing_or(value, field)
    if not isinstance(value, str) or not SLUG.fullmatch(value):
        raise FieldInvalidError(field, "must be 1 to 100 lower case letters, digits and hyphens")
    return value


def _text(value: Any, field: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise FieldInvalidError(field, "must be text: put it in quotes")
    return value


def _language(value: Any, field: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_LANGUAGE or not LANGUAGE.fullmatch(value):
        raise FieldInvalidError(field, "must be a language tag such as en or pt-BR (in quotes, if it is no)")
    return value


def _protocol(value: Any, field: str) -> str:
    _missing_or(value, field)
    if not isinstance(value, str) or value not in protocols():
        raise FieldInvalidError(field, f"must be one of {', '.join(protocols())}, not {quoted(value)}")
    return value


def _redundancy(value: Any, field: str) -> int:
    _missing_or(value, field)
    if type(value) is not int or not 1 <= value <= MOST_RATERS:
        raise FieldInvalidError(field, f"must be a whole number from 1 to {MOST_RATERS}")
    return value


_CHECKS = {
    "slug": _slug,
    "title": _text,
    "description": _text,
    "contact": _text,
    "language": _language,
    "protocol": _protocol,
    "redundancy": _redundancy,
    "guidelines": _text,
}


def _options(value: Any, protocol: Protocol, problems: Problems) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.add(0, "options", "must be a mapping of keys to values")
        return None
    known = protocol.option_keys | protocol.common_options
    for key in value:
        if key not in known:
            problems.add(0, f"options.{key}", f"is no option of this protocol, which has: {', '.join(sorted(known))}")
    for key, fits, must in (
        ("seed", lambda v: type(v) is int and abs(v) < 2**63, "must be a whole number"),
        (
            "lease_minutes",
            lambda v: type(v) is int and 1 <= v <= protocol.longest_lease,
            f"must be a whole number from 1 to {protocol.longest_lease}",
        ),
        ("same_raters", lambda v: type(v) is bool, "must be true or false"),
        ("batch_size", lambda v: type(v) is int and 1 <= v <= LARGEST_BATCH, "must be a whole number from 1 on"),
        (
            "spot_check_share",
            lambda v: type(v) in (int, float) and 0 <= v <= 1,
            "must be a number from 0 (none) to 1 (all)",
        ),
    ):
        if key in value and key in known and not fits(value[key]):
            problems.add(0, f"options.{key}", must)
    return value


def _questions(value: Any, protocol: Protocol, problems: Problems) -> list[Question]:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_QUESTIONS:
        problems.add(0, "questions", f"must be a list of 1 to {MOST_QUESTIONS} questions")
        return []
    questions: list[Question] = []
    for position, body in enumerate(value):
        try:
            questions.append(_question(body, position, protocol, questions))
        except FieldInvalidError as problem:
            problems.add(0, problem.field, problem.reason)
    return questions


def _question(body: Any, position: int, protocol: Protocol, before: Sequence[Question]) -> Question:
    place = f"questions.{position}"
    if not isinstance(body, dict):
        raise FieldInvalidError(place, "must be a mapping of keys to values")
    try:
        key = check_id(body.get("key"), f"{place}.key")
    except TextRefusedError as problem:
        raise FieldInvalidError(problem.place, problem.reason) from None
    place = f"question {key}"
    if len(key) > LONGEST_KEY:
        raise FieldInvalidError(place, f"key must have at most {LONGEST_KEY} characters")
    if any(key == question.key for question in before):
        raise FieldInvalidError(place, "has the key of another question")
    kind, offer = body.get("type"), [name for name, one in question_types().items() if protocol.asks(one)]
    if not isinstance(kind, str) or kind not in offer:
        offered = ", ".join(offer)
        raise FieldInvalidError(place, f"type must be one of {offered}, not {quoted(kind)}")
    known = question_types()[kind].spec_keys | COMMON_KEYS
    for name in body:
        if name not in QUESTION_KEYS and name not in known:
            raise FieldInvalidError(place, f"{quoted(name)} is no key of a {kind} question")
    required = body.get("required")
    if required is not None and not isinstance(required, bool):
        raise FieldInvalidError(place, "required must be true or false")
    spec = {name: body[name] for name in sorted(known) if body.get(name) is not None}
    try:
        question_types()[kind].check_spec(spec)
    except SpecInvalidError as problem:
        raise FieldInvalidError(place, str(problem)) from None
    _check_when(spec.get("when"), place, before)
    return Question(
        position=position, key=key, type=kind, text=_text(body.get("text"), f"{place}: text") or "",
        help=_text(body.get("help"), f"{place}: help") or "", required=required is not False,
        spec=json.loads(canonical_json(spec)),
    )  # fmt: skip


def _check_when(when: Any, place: str, before: Sequence[Question]) -> None:
    """A condition names a question asked earlier and a value that it may take."""
    if when is None:
        return
    if not isinstance(when, dict) or set(when) != {"question", "equals"}:
        raise FieldInvalidError(place, "when must have the keys question and equals")
    asked = next((question for question in before if question.key == when["question"]), None)
    if asked is None:
        raise FieldInvalidError(place, f"when names {quoted(when['question'])}, which is no question asked before")
    try:
        question_types()[asked.type].check(when["equals"], asked.spec)
    except ValueInvalidError as problem:
        raise FieldInvalidError(place, f"when.equals {problem}") from None


def differences(file: StudyFile, protocol: str, questions: Sequence[Question]) -> list[Problem]:
    """How the file differs from a study that exists in what must never change: protocol and questions."""
    found = []
    if file.protocol.key != protocol:
        reason = f"is {file.protocol.key}, but the study has {protocol}"
        found.append(Problem(file.name, 0, "protocol", f"{reason}: choose another slug"))
    there = {question.key: question for question in questions}
    given = {question.key: question for question in file.questions}
    for key in [*there, *(key for key in given if key not in there)]:
        if key not in given or key not in there:
            reason = "is missing" if key not in given else "is not among those that the study has"
            found.append(Problem(file.name, 0, f"question {key}", f"{reason}: questions cannot be changed"))
            continue
        old, new = _facts(there[key]), _facts(given[key])
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                was, now = quoted(_short(old.get(name))), quoted(_short(new.get(name)))
                reason = f"{name} was {was} and is {now}: questions cannot be changed"
                found.append(Problem(file.name, 0, f"question {key}", reason))
    return found


def _facts(question: Question) -> dict[str, Any]:
    facts = {name: getattr(question, name) for name in (*QUESTION_KEYS, "position")}
    # Told apart by their JSON: true is not 1.
    return {**facts, **{name: canonical_json(value) for name, value in question.spec.items()}}


def _short(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else str(value)
