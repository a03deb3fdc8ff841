"""What to tell about a run all of whose replies were cut off at their token limit."""

from annotation.models import JudgeRun
from judges.run_context import charge_name
from llm.models import Call

CUT_OFF = (
    "The first {} replies were all cut off at their limit of {:,} tokens. {}In the endpoints file, write "
    "`thinking_tokens` under the model {}: so many are added to the limit of every reply. Then ask again."
)
ONLY_THOUGHT = "The model thought until then and did not answer. "


def cut_off_reason(run: int, count: int) -> str:
    """Return a sentence about a run all of whose replies were cut off."""
    found = JudgeRun.objects.select_related("rater__study").get(pk=run)
    calls = Call.objects.filter(study=found.rater.study, run=charge_name(found), status=Call.Status.TRUNCATED)
    call = calls.order_by("-pk").first()
    given = call.parameters if call is not None else {}
    limit = given.get("max_tokens", 0) + given.get("settings", {}).get("thinking_tokens", 0)
    thought = ONLY_THOUGHT if call is not None and not call.text.strip() else ""
    return CUT_OFF.format(count, limit, thought, found.configuration["model"])
