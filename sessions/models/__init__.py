"""Sessions in which a person has a model revise an answer turn by turn, and labels of the turns."""

from sessions.models.labels import TurnLabel
from sessions.models.turns import RevisionSession, Turn

__all__ = ["RevisionSession", "Turn", "TurnLabel"]
