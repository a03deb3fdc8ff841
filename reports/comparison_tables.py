"""What parts add to a comparison of judges with people: tables, and questions about which a reader may want them."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from config.parts import parts


class ComparisonQuestion(NamedTuple):
    """A reader's choice of one of the study's questions: its name as a parameter, and its texts.

    A page says "`label` …", and `default` for no choice; the command and the API say `help_text`.
    """

    name: str
    label: str
    default: str
    help_text: str

    @property
    def sentence(self) -> str:
        """The help as a sentence."""
        return f"{self.help_text[0].upper()}{self.help_text[1:]}."


class ComparisonTables(NamedTuple):
    """The function of a `StudyAnswers` that makes a part's tables by key, and the questions that it asks for.

    It is given by its dotted name: web processes must not load it. What a reader chose is in `RaterComparison`.
    """

    function: str
    questions: Sequence[ComparisonQuestion] = ()


def comparison_tables() -> tuple[ComparisonTables, ...]:
    """Return what the parts that are installed make of comparisons."""
    return tuple(part.comparison_tables for part in parts() if part.comparison_tables is not None)


@cache
def comparison_questions() -> tuple[ComparisonQuestion, ...]:
    """Return the questions that their tables ask for."""
    return tuple(question for tables in comparison_tables() for question in tables.questions)
