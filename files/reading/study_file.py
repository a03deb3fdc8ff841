"""The study file: YAML 1.2 or JSON, checked completely before anything is written."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation import text_formats
from annotation.desk import skip_reasons
from annotation.models import Question
from annotation.protocols import Protocol, StudyInvalidError, protocols
from annotation.questions import COMMON_KEYS, SpecInvalidError, ValueInvalidError, question_types
from annotation.studies import assignment_plan
from annotation.studies.file_sections import FileFacts, sections_in, study_sections
from annotation.studies.slugs import RESERVED
from config.model_fields import canonical_json
from config.parts import absent_part
from config.text_validation import TextRefusedError, check_id, check_json
from config.yaml_reading import YamlInvalidError, parse_yaml
from files.entered.recruiting_settings import recruiting_problems
from files.import_problems import (
    NOT_INSTALLED,
    FieldInvalidError,
    FileProblems,
    ImportProblem,
    ImportRefusedError,
    quoted,
    refuse,
    unknown,
)
from files.line_reading import BOM, JSONInvalidError, open_regular, parse_json
from files.reading.described_systems import checked_judges, checked_systems

STUDY_KEYS = (
    "slug", "title", "description", "contact", "license", "citation", "language", "protocol", "redundancy",
    "guidelines", "questions", "options", "systems", "judges", "recruiting",
)  # fmt: skip
QUESTION_KEYS = ("key", "type", "text", "help", "required")
SLUG = re.compile(r"[a-z0-9-]{1,100}")
"""The last part of the address of the page that makes studies."""
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
LONGEST_LANGUAGE = 35
LONGEST_LICENSE = 100
LONGEST_KEY = 100
MOST_RATERS = 1000
MOST_QUESTIONS = 200
LARGEST_BATCH = 2**31 - 1


@dataclass(frozen=True)
class StudyFile:
    """A study as its file describes it; values that the file leaves out are None. Questions have no study yet."""

    name: str
    slug: str
    protocol: Protocol
    redundancy: int
    questions: tuple[Question, ...]
    title: str | None
    description: str | None
    contact: str | None
    license: str | None
    citation: str | None
    language: str | None
    guidelines: str | None
    options: Mapping[str, Any] | None
    systems: dict[str, dict[str, Any]] | None
    judges: dict[str, dict[str, Any]] | None
    recruiting: dict[str, Any] | None


def read_study_file(path: Path) -> StudyFile:
    """Read and check a study file. Raises ImportRefusedError with all problems."""
    return checked_study(_load(path), path.name)


def checked_study(body: Any, name: str) -> StudyFile:
    """Check what a study file holds, wherever it comes from; `name` is what problems call it.

    Raises ImportRefusedError with all problems.
    """
    problems = FileProblems(name)
    try:
        check_json(body)
    except TextRefusedError as problem:
        raise refuse(name, problem.reason, field=problem.place) from None
    if not isinstance(body, dict):
        raise refuse(name, "must contain a mapping of keys to values")
    known_keys = (*STUDY_KEYS, *study_sections())
    for key in body:
        if key not in known_keys:
            part = absent_part(key)
            problems.add(0, quoted(key), NOT_INSTALLED.format(part) if part else unknown("key", key, known_keys))
    checked: dict[str, Any] = {}
    for key, check in _CHECKS.items():
        try:
            checked[key] = check(body.get(key), key)
        except FieldInvalidError as problem:
            problems.add(0, problem.field, problem.reason)
    if "protocol" not in checked:
        problems.refuse_if_any()
    protocol, before = protocols()[checked["protocol"]], len(problems.found)
    questions = _questions(body.get("questions"), protocol, problems)
    options = _options(_with_sections(body, problems), protocol, problems)
    _check_sections(options or {}, protocol, questions, problems)
    recruiting = _recruiting(body.get("recruiting"), protocol, questions, problems)
    if len(problems.found) == before:
        try:
            protocol.check_study(questions, options or {})
        except StudyInvalidError as problem:
            problems.add(0, "", str(problem))
    problems.refuse_if_any()
    return StudyFile(
        name=name,
        questions=tuple(questions),
        options=options,
        recruiting=recruiting,
        **{**checked, "protocol": protocol},
    )


def readable_questions(value: Any, protocol: Protocol) -> tuple[list[Question], list[ImportProblem]]:
    """Return those questions of a body that can be asked, and the problems of the others."""
    problems = FileProblems("")
    try:
        return _questions(value, protocol, problems), problems.found
    except ImportRefusedError as refused:
        return [], list(refused.problems)


def readable_options(value: Any, questions: Sequence[Question], protocol: Protocol) -> dict[str, Any]:
    """Return the options of a body if the protocol can use them with these questions, else none."""
    problems = FileProblems("")
    options = _options(value, protocol, problems) or {}
    try:
        protocol.check_study(questions, options)
    except StudyInvalidError:
        return {}
    return {} if problems.found else options


def _load(path: Path) -> Any:
    with open_regular(path) as file:
        raw = file.read(settings.LINE_LIMIT + 1)
    return parsed_study(raw, path.name)


def parsed_study(raw: bytes, name: str) -> Any:
    """Return what the bytes of a study file called `name` hold, unchecked. Raises ImportRefusedError."""
    if len(raw) > settings.LINE_LIMIT:
        raise refuse(name, f"is longer than {settings.LINE_LIMIT} bytes")
    try:
        text = raw.removeprefix(BOM).decode()
    except UnicodeDecodeError as problem:
        raise refuse(name, f"is not UTF-8 (byte {problem.start + 1}): save it as UTF-8") from None
    try:
        # JSON is YAML as well, but much faster to read as JSON.
        return parse_json(text) if name.endswith(".json") else parse_yaml(text)
    except JSONInvalidError as problem:
        raise refuse(name, str(problem)) from None
    except YamlInvalidError as problem:
        raise refuse(name, problem.reason, problem.line, problem.field) from None


def _missing_or(value: Any, field: str) -> None:
    if value is None:
        raise FieldInvalidError(field, "is missing")


def _slug(value: Any, field: str) -> str:
    _missing_or(value, field)
    if not isinstance(value, str) or not SLUG.fullmatch(value):
        raise FieldInvalidError(field, "must be 1 to 100 lower case letters, digits and hyphens")
    if value == RESERVED:
        raise FieldInvalidError(field, f"{RESERVED} is an address of this site: choose another")
    return value


def _text(value: Any, field: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise FieldInvalidError(field, "must be text: put it in quotes")
    return value


def _license(value: Any, field: str) -> str | None:
    text = _text(value, field)
    if text is not None and (len(text) > LONGEST_LICENSE or not text.isprintable()):
        raise FieldInvalidError(field, f"must be one line of at most {LONGEST_LICENSE} characters, such as CC-BY-4.0")
    return text


def _language(value: Any, field: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > LONGEST_LANGUAGE or not LANGUAGE.fullmatch(value):
        raise FieldInvalidError(field, 'must be a language tag such as en or pt-BR; write "no" in quotes')
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
    "license": _license,
    "citation": _text,
    "language": _language,
    "protocol": _protocol,
    "redundancy": _redundancy,
    "guidelines": _text,
    "systems": checked_systems,
    "judges": checked_judges,
}


def _with_sections(body: Mapping[str, Any], problems: FileProblems) -> Any:
    """The options of a file together with its sections, which are kept among them."""
    options, sections = body.get("options"), sections_in(body)
    given = {key: value for key, value in sections.items() if value is not None}
    if not given or not (options is None or isinstance(options, dict)):
        return options
    for key in given:
        if key in (options or {}):
            problems.add(0, key, "is given twice, once among the options")
    return {**(options or {}), **given}


def _check_sections(
    options: Mapping[str, Any], protocol: Protocol, questions: Sequence[Question], problems: FileProblems
) -> None:
    facts = FileFacts(protocol, questions)
    for key, section in study_sections().items():
        for problem in section.problems(options[key], facts) if key in options else ():
            problems.add(0, problem.field, problem.reason)


def _options(value: Any, protocol: Protocol, problems: FileProblems) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.add(0, "options", "must be a mapping of keys to values")
        return None
    known = protocol.option_keys | protocol.flow.common_options | frozenset(study_sections())
    for key in value:
        if key not in known:
            offered = ", ".join(sorted(known - frozenset(study_sections())))
            problems.add(0, f"options.{key}", f"{unknown('option', key, known)}; this protocol has {offered}")
    for key, fits, must in (
        ("seed", lambda v: type(v) is int and abs(v) < 2**63, "must be a whole number"),
        (
            "lease_minutes",
            lambda v: type(v) is int and 1 <= v <= protocol.flow.longest_lease,
            f"must be a whole number from 1 to {protocol.flow.longest_lease}",
        ),
        ("same_raters", lambda v: type(v) is bool, "must be true or false"),
        ("batch_size", lambda v: type(v) is int and 1 <= v <= LARGEST_BATCH, "must be a whole number, 1 or more"),
        (
            "spot_check_share",
            lambda v: type(v) in (int, float) and 0 <= v <= 1,
            "must be a number from 0 (none) to 1 (all)",
        ),
        (skip_reasons.OPTION, skip_reasons.fits, skip_reasons.MUST),
        (text_formats.OPTION, text_formats.fits, text_formats.MUST),
        ("blind_researchers", lambda v: type(v) is bool, "must be true or false"),
    ):
        if key in value and key in known and not fits(value[key]):
            problems.add(0, f"options.{key}", must)
    if assignment_plan.OPTION in value and (problem := assignment_plan.why_not(value[assignment_plan.OPTION])):
        problems.add(0, f"options.{assignment_plan.OPTION}", problem)
    return value


def _recruiting(
    value: Any, protocol: Protocol, questions: Sequence[Question], problems: FileProblems
) -> dict[str, Any] | None:
    if value is None:
        return None
    for problem in recruiting_problems(value, protocol, questions):
        problems.add(0, problem.field, problem.reason)
    return value if isinstance(value, dict) else None


def _questions(value: Any, protocol: Protocol, problems: FileProblems) -> list[Question]:
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
            reason = unknown(f"key {quoted(name)} for a question of type {kind}", name, {*QUESTION_KEYS, *known})
            raise FieldInvalidError(place, reason)
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
    """Check a condition: it must name an earlier question and one of the values that the question allows."""
    if when is None:
        return
    if not isinstance(when, dict) or set(when) != {"question", "equals"}:
        raise FieldInvalidError(place, "when must have the keys question and equals")
    asked = next((question for question in before if question.key == when["question"]), None)
    if asked is None:
        raise FieldInvalidError(place, f"when names {quoted(when['question'])}, which is not an earlier question")
    try:
        question_types()[asked.type].check(when["equals"], asked.spec)
    except ValueInvalidError as problem:
        raise FieldInvalidError(place, f"when.equals {problem}") from None


def differences(file: StudyFile, protocol: str, questions: Sequence[Question]) -> list[ImportProblem]:
    """Return the differences between the file and an existing study that are not allowed: protocol and questions."""
    found = []
    if file.protocol.key != protocol:
        reason = f"is {file.protocol.key}, but the study has {protocol}"
        found.append(ImportProblem(file.name, 0, "protocol", f"{reason}: choose another slug"))
    there = {question.key: question for question in questions}
    given = {question.key: question for question in file.questions}
    for key in [*there, *(key for key in given if key not in there)]:
        if key not in given or key not in there:
            reason = "is missing" if key not in given else "is not a question of the study"
            found.append(ImportProblem(file.name, 0, f"question {key}", f"{reason}: questions cannot be changed"))
            continue
        old, new = _facts(there[key]), _facts(given[key])
        for name in sorted({*old, *new}):
            if old.get(name) != new.get(name):
                was, now = quoted(_short(old.get(name))), quoted(_short(new.get(name)))
                reason = f"{name} was {was} and is {now}: questions cannot be changed"
                found.append(ImportProblem(file.name, 0, f"question {key}", reason))
    return found


def _facts(question: Question) -> dict[str, Any]:
    facts = {name: getattr(question, name) for name in (*QUESTION_KEYS, "position")}
    # Compared by their JSON, in which true is not 1.
    return {**facts, **{name: canonical_json(value) for name, value in question.spec.items()}}


def _short(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else str(value)
