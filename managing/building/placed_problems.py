"""Puts the problems that the checks of study files find beside the fields that they are about."""

import re
from collections.abc import Sequence

from files.import_problems import ImportProblem
from managing.building.field_texts import named
from managing.building.spec_forms import SpecForm
from managing.building.study_form import ABOUT, OPTION, QuestionPart

OF_QUESTION = re.compile(r"questions\.([0-9]+)(?:\.(\w+))?")
OF_OPTION = re.compile(r"options\.(\w+):? ?(.*)", re.DOTALL)
WORD = re.compile(r"\w+")
COMMON = ("key", "type", "text", "help", "required", "per", "when")


def place_problems(
    problems: Sequence[ImportProblem], about: SpecForm, options: SpecForm, questions: Sequence[QuestionPart]
) -> list[str]:
    """Add each problem to its field; returns those that concern no field, as sentences."""
    return [_in_words(problem) for problem in problems if not _is_placed(problem, about, options, questions)]


def _in_words(problem: ImportProblem) -> str:
    subject = {"": "", "slug": "This study "}.get(problem.field, f"{problem.field} ")
    return _sentence(f"{subject}{problem.reason}")


def _is_placed(problem: ImportProblem, about: SpecForm, options: SpecForm, questions: Sequence[QuestionPart]) -> bool:
    whole = f"{problem.field}: {problem.reason}" if problem.field else problem.reason
    of_option = OF_OPTION.match(whole)
    if of_option:
        return options.place(named(OPTION, of_option[1]), _sentence(of_option[2]))
    of_place = OF_QUESTION.match(problem.field)
    if of_place:
        number = int(of_place[1])
        return number < len(questions) and _at(questions[number], of_place[2] or "", problem.reason)
    named_part = _part_named(whole, questions)
    if named_part:
        part, reason = named_part
        return _at(part, _key_in(part, reason), reason)
    return about.place(named(ABOUT, problem.field), _sentence(problem.reason))


def _at(part: QuestionPart, key: str, reason: str) -> bool:
    if not key or not part.form.place(named(part.start, key), _sentence(reason)):
        part.general.append(_sentence(reason))
    return True


def _part_named(whole: str, questions: Sequence[QuestionPart]) -> tuple[QuestionPart, str] | None:
    """The question that a problem names by its key, and the rest of the problem; the last one with this key."""
    found = [part for part in questions if whole.startswith(f"question {part.body.get('key')}: ")]
    if not found:
        return None
    part = max(found, key=lambda one: (len(str(one.body.get("key"))), one.number))
    return part, whole.removeprefix(f"question {part.body.get('key')}: ")


def _key_in(part: QuestionPart, reason: str) -> str:
    """The first key of the question that the problem's first words name, or "" if they name none."""
    if reason.startswith("when.equals"):
        return "when-equals"
    start = re.split(r"\b(?:must|may|cannot|names)\b", reason)[0] if reason[:4] != "must" else reason.split(",")[0]
    return next((word for word in WORD.findall(start) if word in (*part.own_keys, *COMMON)), "")


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}." if reason[-1:] not in ".!?" else reason
