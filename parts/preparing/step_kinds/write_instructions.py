"""Instructions for each document, by one model (riSum 2.1)."""

from parts.preparing.list_step import ListStep
from parts.preparing.models import Suggestion


class Instructions(ListStep):
    key, label, title = "instructions", "Instructions", "Write instructions"
    suggests = Suggestion.Kind.INSTRUCTION.value
    source = "riSum, section 2.1 and figure 6"
    stage = "write"


STEP_KIND = Instructions()
