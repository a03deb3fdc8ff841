"""What the form of a new run offers: models that can judge, questions, writers of references, and systems."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.blinding import names_of
from annotation.machine_shapes import TEXT
from annotation.models import Item, Output, Question, Study
from annotation.questions import question_types
from judges.configuration import RunConfiguration, question_refusal
from judges.options import read_options
from judges.protocol import JudgeProtocol
from llm.call_errors import CallError
from llm.endpoints import find_model
from llm.page_data import model_choices

ITEMS_READ = 1000
"""The study's first items, whose outputs and references say which systems and writers it has."""
AT_ONCE = 200


@dataclass(frozen=True)
class RunChoices:
    """What a run may be made of. `refused` are (question key, reason) of those that this judge cannot answer."""

    models: list[tuple[str, str]]
    questions: Sequence[Question]
    refused: Sequence[tuple[str, str]]
    writers: Sequence[str]
    systems: Sequence[tuple[str, str]]
    """Systems by what they are called on pages, each with its name."""


def run_choices(study: Study, protocol: JudgeProtocol | None) -> RunChoices:
    """Return what a run of a protocol, or (None) of a metric, may be made of in this study."""
    if protocol is None:
        asked = Question.objects.filter(study=study).order_by("position")
        scored = [one for one in asked if question_types()[one.type].level != TEXT]
        return RunChoices([], scored, [], writers_of(study), [])
    questions, refused = [], []
    for question in () if protocol.label_kind else Question.objects.filter(study=study).order_by("position"):
        reason = refusal(question, protocol)
        if reason:
            refused.append((question.key, reason))
        else:
            questions.append(question)
    systems = systems_of(study) if protocol.unit == "pair" else []
    return RunChoices(judging_models(), questions, refused, writers_of(study), systems)


def refusal(question: Question, protocol: JudgeProtocol) -> str:
    """Return why a protocol with its default options cannot answer a question, or ""."""
    options = read_options(protocol.options, {})
    return question_refusal(question, RunConfiguration(protocol.key, "", (question.key,), options))


def judging_models() -> list[tuple[str, str]]:
    """Return (name, name for people) of the models that can judge: all but the built-in one."""
    return [(name, words) for name, words in model_choices() if _is_language_model(name)]


def _is_language_model(name: str) -> bool:
    try:
        return not find_model(name)[0].built_in
    except CallError:  # the operator has just removed it
        return False


def writers_of(study: Study) -> list[str]:
    """Return who wrote references of the study's first items."""
    rows = (
        Item.objects.filter(study=study, references__isnull=False).order_by("pk").values_list("references", flat=True)
    )
    read = rows[:ITEMS_READ].iterator(AT_ONCE)
    found = {one.get("writer", "") for given in read for one in given or ()}
    return sorted(writer for writer in found if writer)


def systems_of(study: Study) -> list[tuple[str, str]]:
    """Return what the systems of the study's first items are called, each with its name."""
    items = list(Item.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)[:ITEMS_READ])
    keys = set(Output.objects.filter(item__in=items).order_by().values_list("key", flat=True).distinct())
    shown = names_of(study).shown
    return sorted((shown(key), key) for key in keys)
