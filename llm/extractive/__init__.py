"""The extractive model: answers made of sentences quoted from the papers, so that a demo works without a key.

It is not a language model. It reads `AnswerMaterial`, not a prompt, needs no network, and returns the same bytes for
the same material. It either follows an instruction
or raises `InstructionUnsupportedError` with a sentence that says why.
"""

from llm.call_errors import InstructionUnsupportedError
from llm.extractive.composing import first_answer, summary
from llm.extractive.revising import shortened, with_information
from llm.requests import AnswerMaterial

__all__ = ["InstructionUnsupportedError", "answer", "made_up"]

MADE_UP = "This sentence was made up in a dry run."
TASKS = {"first": first_answer, "summary": summary, "information": with_information, "style": shortened}


def answer(material: AnswerMaterial) -> str:
    """Return the answer, or the summary if that is the task.

    Raises InstructionUnsupportedError if the task cannot be done by rule, and KeyError for an unknown task.
    """
    return TASKS[material.task](material)


def made_up(material: AnswerMaterial) -> str:
    """Return an answer for a dry run, to any instruction: by rule, or the previous answer with a sentence more."""
    try:
        return answer(material)
    except InstructionUnsupportedError:
        return f"{material.previous_answer} {MADE_UP}".strip()
