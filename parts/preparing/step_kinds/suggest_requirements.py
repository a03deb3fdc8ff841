"""Suggested requirements for summaries of each article, from which a person picks (InstruSum 2.1, A.1)."""

from parts.preparing.list_step import ListStep
from parts.preparing.models import Suggestion


class Requirements(ListStep):
    key, label, title = "requirements", "Requirements", "Suggest requirements"
    suggests = Suggestion.Kind.REQUIREMENT.value
    source = "InstruSum, section 2.1 and appendix A.1"
    stage = "suggest"


STEP_KIND = Requirements()
