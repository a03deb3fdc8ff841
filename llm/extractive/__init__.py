"""The extractive model: answers made of sentences quoted from the papers, and revised by rule.

It is no language model. It reads `Material` and no prompt, needs no network, and gives the same bytes for the
same material. What it cannot do it refuses with `CannotError` and a sentence that says so: an answer is either
revised as asked or not at all.
"""

from llm.asking import Material
from llm.errors import CannotError
from llm.extractive.adding import with_information
from llm.extractive.composing import first_answer, summary
from llm.extractive.styling import restyled

__all__ = ["CannotError", "answer"]

TASKS = {"first": first_answer, "summary": summary, "information": with_information, "style": restyled}


def answer(material: Material) -> str:
    """The answer, or for the task "summary" the summary.

    Raises CannotError where it cannot be given, and KeyError for a task that there is not.
    """
    return TASKS[material.task](material)
