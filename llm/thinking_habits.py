"""Remembers which models think without a mark of the beginning, so that nothing of it is shown while they write.

The prompt of such a model has the mark already: until the mark of the end comes, its thinking looks like an answer.
Names do not tell which models think, so the first reply of every model is shown when it is complete. From then on its
replies say whether that is necessary; a model of a family that is known to think may think in one reply and not in the
next, so only its marked thinking says so. A change of the model's settings in the endpoints file begins this again.
"""

import hashlib
import re

from config.model_fields import canonical_json
from config.prepared_sql import fetch_one, insert
from llm.endpoints import Endpoint, Model
from llm.models import ModelState
from llm.requests import Outcome

FIND = "SELECT unopened FROM llm_modelstate WHERE digest = %s"
THINKING_FAMILIES = re.compile(
    r"think|reason|deepseek|qwq|qwen-?3|magistral|glm-?[45]|nemotron|hunyuan|exaone|phi-?4|kimi|minimax|ernie|seed-|step-?3"
    r"|\br1\b",
    re.IGNORECASE,
)
"""Names of models that think, or can be switched to it, as their providers write them."""


def may_be_unmarked(endpoint: Endpoint, model: Model) -> bool:
    """Return whether the model may think without marking the beginning."""
    found = fetch_one(FIND, [_digest(endpoint, model)])
    return found is None or bool(found[0])


def note(endpoint: Endpoint, model: Model, outcome: Outcome) -> None:
    """Write what a complete reply shows of its model; once its thinking had no beginning, that stays."""
    if not outcome.marks and not outcome.thinking and THINKING_FAMILIES.search(model.asked):
        return
    unopened, digest = outcome.marks == "unopened", _digest(endpoint, model)
    if not insert(ModelState(digest=digest, unopened=unopened), if_new=True) and unopened:
        ModelState.objects.filter(digest=digest, unopened=False).update(unopened=True)


def _digest(endpoint: Endpoint, model: Model) -> str:
    said = {"address": endpoint.base_url, "asked": model.asked, "api": model.api, "settings": model.settings()}
    return hashlib.sha256(canonical_json(said).encode()).hexdigest()
