"""Models for language models: the ledger of calls, budgets, limits of endpoints, queued calls and prompts."""

from llm.models.calls import Call, EndpointState, ModelState
from llm.models.completions import Completion
from llm.models.prompt_versions import StudyPrompt
from llm.models.spending import Budget, Reservation, Stop

__all__ = ["Budget", "Call", "Completion", "EndpointState", "ModelState", "Reservation", "Stop", "StudyPrompt"]
