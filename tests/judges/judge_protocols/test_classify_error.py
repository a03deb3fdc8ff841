import pytest

from judges.protocol import CaseTurn, ReplyInvalidError
from llm.call_errors import BadReplyError, FilteredError, RefusedError, TruncatedError
from llm.prompt_files import load_prompt
from sessions.turn_labels import VALUES
from tests.judges.judge_protocols.label_replies import bad_replies
from tests.judges.protocol_cases import ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
TURN = CaseTurn("When does it sail?", "At nine, at noon.", "Make it shorter.", "At nine.", "Too short.")
TURN_CASE = case((), None, turn=TURN)
LABELS = VALUES["error_category"]


@pytest.mark.parametrize("label", LABELS)
def test_each_category_alone_or_in_the_form_is_the_label(label):
    for reply in (label, f"{label.capitalize()}.", f"Category: {label}\n", f"**Category:** {label}"):
        assert outcome_of("classify_error", reply, TURN_CASE) == ("valid", label)


@pytest.mark.parametrize(("reply", "reason"), bad_replies("instruction is ignored", "introduced unrequested changes"))
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("classify_error", reply, TURN_CASE) == ("invalid", reason)


def test_the_whole_prompt_echoed_is_invalid():
    asker = ScriptedAsker("others")
    judged("classify_error", asker, TURN_CASE)
    assert outcome_of("classify_error", asker.prompt, TURN_CASE) == ("invalid", "text before the answer")


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        (RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered"),
        (BadReplyError(), "invalid"),
    ],
)  # fmt: skip
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("classify_error", problem, TURN_CASE) == (outcome, "")


def test_the_prompt_has_these_texts_and_no_others_and_the_reply_is_kept():
    asker = ScriptedAsker("Category: others.")
    reading = judged("classify_error", asker, TURN_CASE)
    assert reading.details == {"reply": "Category: others."}
    for text in ("Make it shorter.", "Too short."):
        assert f">\n{text}\n</" in asker.prompt
    for text in ("At nine, at noon.", "At nine.", "When does it sail?"):
        assert f">\n{text}\n</" not in asker.prompt
    assert (asker.sent[0][1].temperature, asker.sent[0][1].top_p) == (0, 1)


def test_the_prompt_defines_every_category_with_an_example():
    defined = load_prompt("judges", "classify_error").user.split("\n- ")[1:]
    assert [one.partition(":")[0] for one in defined] == list(LABELS)
    assert all("Example: " in one for one in defined)


def test_without_a_comment_nothing_is_asked():
    asker = ScriptedAsker("others")
    silent = case(
        (), None, turn=CaseTurn("When does it sail?", "At nine, at noon.", "Make it shorter.", "At nine.", " ")
    )
    with pytest.raises(ReplyInvalidError, match="the turn has no comment"):
        judged("classify_error", asker, silent)
    assert asker.sent == []
