"""A synthetic rater of a dry run, as parts see them that ask something of raters before their tasks."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Protocol

from annotation.answers import Form, Sheet
from annotation.models import Question


class SyntheticVisitor(Protocol):
    """Sends what a browser sends; `accuracy` is how often they are right, from 0 to 1."""

    accuracy: float

    def get(self, address: str) -> None:
        """Open a page."""

    def post(self, address: str, fields: Mapping[str, object]) -> object:
        """Send a form whose response leads to another page."""

    def random(self, occasion: str) -> Random:
        """Return random numbers that are the same at every call for this occasion."""

    def answers(self, item: str, questions: Sequence[Question], sheet: Sheet, known: Mapping[str, Any]) -> Form:
        """Return the form with which they answer questions about an item; `known` has answers that are not made up."""
