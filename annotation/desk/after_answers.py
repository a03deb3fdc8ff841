"""What other apps do with each submitted answer, in its transaction.

An app binds `AFTER_ANSWER` in a module `answer_steps`: a function of the study, as the desk has read it, and the new
annotation. It decides by the study's options whether there is anything to do, so that other studies have no query more.
"""

from collections.abc import Callable
from functools import cache

from annotation.models import Annotation, Study
from config.registry import bound


@cache
def answer_steps() -> tuple[Callable[[Study, Annotation], None], ...]:
    """The functions of all apps."""
    return bound("answer_steps", "AFTER_ANSWER")
