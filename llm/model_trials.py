"""Trials: single questions of researchers to a model."""

from collections.abc import Sequence

from accounts.models import Person
from annotation.models import Study
from llm.completions import queue_completion
from llm.models import Completion
from llm.prompt_files import prompt_for
from llm.requests import AnswerMaterial, Charge, Request, SourcePassage

STEP = "try"


def try_model(
    study: Study, person: Person, *, model: str, question: str, paragraphs: Sequence[str], longest: int
) -> Completion:
    """Queue the question and return its row, which will hold the reply. Raises UnknownModelError."""
    prompt = prompt_for(study, "llm", "try")
    filled = prompt.fill({"question": question, "text": "\n\n".join(paragraphs)})
    passages = tuple(SourcePassage(0, "", text) for text in paragraphs)
    material = AnswerMaterial("first", question, passages, language=study.language)
    request = Request(model, filled, prompt.reference, max_tokens=longest, material=material)
    return queue_completion(request, Charge(study, person=person, step=STEP))
