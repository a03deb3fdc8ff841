"""A researcher's single question to one of the operator's models."""

from collections.abc import Sequence

from accounts.models import Person
from annotation.models import Study
from llm.asking import Charge, Material, Request, Source
from llm.models import Completion
from llm.prompting import prompt_for
from llm.queueing import queue

STEP = "try"


def try_model(
    study: Study, person: Person, *, model: str, question: str, paragraphs: Sequence[str], longest: int
) -> Completion:
    """Queue the question, whose row gets the reply. Raises UnknownModelError, and nothing is queued."""
    prompt = prompt_for(study, "llm", "try")
    filled = prompt.fill({"question": question, "text": "\n\n".join(paragraphs)})
    passages = tuple(Source(0, "", text) for text in paragraphs)
    material = Material("first", question, passages, language=study.language)
    request = Request(model, filled, prompt.mark, max_tokens=longest, material=material)
    return queue(request, Charge(study, person=person, step=STEP))
