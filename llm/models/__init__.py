"""What is kept of language models: every call, what may be spent, who is held back, and queued calls."""

from llm.models.calls import Call, EndpointState
from llm.models.prompts import StudyPrompt
from llm.models.spending import Budget, Reservation, Stop
from llm.models.work import Completion

__all__ = ["Budget", "Call", "Completion", "EndpointState", "Reservation", "Stop", "StudyPrompt"]
