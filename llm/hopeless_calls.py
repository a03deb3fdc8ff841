"""What to tell about work whose first calls all end in the same way, so that no more of them are made and paid for."""

from annotation.models import Study
from llm.models import Call

FIRST = 5
"""So many calls must have ended in the same way, and none in another way."""
FOR_ALL = frozenset(("rejected", "quota", "no_key", "unknown_model", "unsupported"))
"""Failures that every other call of the same work would have, too."""
CUT_OFF = (
    "{} cut off at the limit of {:,} tokens. {}In the endpoints file, write `thinking_tokens` under the model {}: so "
    "many are added to the limit of every reply. Then ask again."
)
ONE_REPLY, ALL_REPLIES = "The only reply was", "All replies so far were"
ONLY_THOUGHT = "The model had not begun to answer. "
FAILED = "The first {} calls all failed, so no more are made. {} Then resume it."


def cut_off_reason(study: Study, run: str, model: str, count: int) -> str:
    """Return a sentence about work all of whose replies, `count`, were cut off; `run` is its name in the ledger."""
    calls = Call.objects.filter(study=study, run=run, status=Call.Status.TRUNCATED)
    call = calls.order_by("-pk").first()
    given = call.parameters if call is not None else {}
    limit = given.get("max_tokens", 0) + given.get("settings", {}).get("thinking_tokens", 0)
    thought = ONLY_THOUGHT if call is not None and not call.text.strip() else ""
    return CUT_OFF.format(ONE_REPLY if count == 1 else ALL_REPLIES, limit, thought, model)
