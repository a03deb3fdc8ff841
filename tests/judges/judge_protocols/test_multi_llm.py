import pytest

from annotation.models import Rating
from judges.options import read_options
from judges.protocol import ReplyInvalidError, judge_protocols
from llm.call_errors import BudgetError, FilteredError, RefusedError, TruncatedError
from llm.models import Call
from tests.judges.protocol_cases import ScriptedAsker, case, judged
from tests.judges.scripted_judges import run_to_end

pytestmark = pytest.mark.quick
KEY = "multi_llm"
ONCE = {"repeats": 1}


def said(*ratings, reason="It is brief."):
    """Replies with these ratings, each with a rationale that names its place; other things are left as they are."""
    return [f"{reason} ({place}) Rating: {one}" if type(one) is int else one for place, one in enumerate(ratings)]


def places(asker):
    return [(sample, agent, round) for *_, sample, agent, round, _ in asker.sent]


def test_agents_that_agree_end_the_rounds_at_once():
    asker = ScriptedAsker(*said(4, 4, 4))
    reading = judged(KEY, asker, **ONCE)
    assert (reading.value, reading.outcome) == (4, "unanimous")
    assert places(asker) == [(1, 1, 1), (1, 2, 1), (1, 3, 1)]
    assert {parameters.temperature for _, parameters, *_ in asker.sent} == {0.1}
    [repeat] = reading.details["repeats"]
    assert repeat == {"value": 4, "outcome": "unanimous", "rounds": [[
        {"agent": agent, "rating": 4, "rationale": f"It is brief. ({agent - 1})"} for agent in (1, 2, 3)
    ]]}  # fmt: skip


def test_agreement_in_the_second_round_ends_the_repeat_there():
    asker = ScriptedAsker(*said(4, 4, 2, 3, 3, 3))
    reading = judged(KEY, asker, **ONCE)
    assert (reading.value, reading.outcome, len(asker.sent)) == (3, "unanimous", 6)


def test_a_majority_goes_on_to_the_last_round_and_the_mean_of_its_ratings_is_the_value():
    asker = ScriptedAsker(*said(4, 4, 2, 4, 4, 2, 4, 5, 5))
    reading = judged(KEY, asker, **ONCE)
    assert (reading.value, reading.outcome, len(asker.sent)) == (pytest.approx(14 / 3), "majority", 9)
    assert places(asker)[-1] == (1, 3, 3)


def test_agents_that_all_differ_give_the_mean_of_the_last_round():
    reading = judged(KEY, ScriptedAsker(*said(1, 2, 3, 1, 2, 3, 1, 2, 5)), **ONCE)
    assert (reading.value, reading.outcome) == (pytest.approx(8 / 3), "disagreement")


def test_nobody_sees_the_others_within_a_round_and_everybody_sees_all_earlier_rounds():
    replies = [f"Reason {round}-{agent}. Rating: {agent}" for round in (1, 2, 3) for agent in (1, 2, 3)]
    asker = ScriptedAsker(*replies)
    judged(KEY, asker, **ONCE)
    for prompt, _, name, _, agent, round, _ in asker.sent:
        for other in (1, 2, 3):
            for one in (1, 2, 3):
                assert (f"Reason {one}-{other}.\nRating: {other}" in prompt) is (one < round)
        assert f"You are agent {agent} of 3" in prompt
        assert f"This is round {round}." in prompt
        assert name == ("multi_llm" if round == 1 else "multi_llm_later")


def test_the_value_is_the_mean_of_the_repeats_and_the_outcome_their_most_frequent_one():
    split = said(1, 2, 5, 1, 2, 5, 1, 2, 5)
    asker = ScriptedAsker(*said(4, 4, 4), *split, *said(5, 5, 5))
    reading = judged(KEY, asker)
    assert (reading.value, reading.outcome) == (pytest.approx((4 + 8 / 3 + 5) / 3), "unanimous")
    assert [one["outcome"] for one in reading.details["repeats"]] == ["unanimous", "disagreement", "unanimous"]
    assert len(set(places(asker))) == len(asker.sent) == 15
    tied = judged(KEY, ScriptedAsker(*said(4, 4, 4), *split), repeats=2)
    assert tied.outcome == "disagreement"


def test_an_unusable_reply_is_no_rating_and_the_others_are_told():
    asker = ScriptedAsker(*said(4, 4, RefusedError(), 4, 4, "Good.", 4, 4, 4))
    reading = judged(KEY, asker, **ONCE)
    assert (reading.value, reading.outcome, len(asker.sent)) == (4, "unanimous", 9)
    first, second, _ = reading.details["repeats"][0]["rounds"]
    assert first[2] == {"agent": 3, "outcome": "refused"}
    assert second[2] == {"agent": 3, "outcome": "invalid", "reason": "no answer in the form requested"}
    assert asker.prompt.count("This agent gave no rating that could be read.") == 2


def test_two_equal_ratings_of_three_agents_are_a_majority_and_never_unanimous():
    reading = judged(KEY, ScriptedAsker(*said(4, 4, "Good.", 4, 4, "Good.", 4, 4, "Good.")), **ONCE)
    assert (reading.value, reading.outcome) == (4, "majority")


def test_a_repeat_without_ratings_of_most_agents_does_not_count():
    lost = said(*[4, "Good.", TruncatedError()] * 3)
    reading = judged(KEY, ScriptedAsker(*lost, *said(5, 5, 5)), repeats=2)
    assert (reading.value, reading.outcome) == (5, "unanimous")
    assert "value" not in reading.details["repeats"][0]
    with pytest.raises(ReplyInvalidError) as raised:
        judged(KEY, ScriptedAsker(*said(*[4, RefusedError(), RefusedError()] * 3)), **ONCE)
    assert raised.value.reason == "no repeat with ratings of most agents; most often: refused"


def test_a_call_that_was_not_answered_ends_the_judgment():
    with pytest.raises(BudgetError):
        judged(KEY, ScriptedAsker(*said(4), BudgetError()))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("4", "no answer in the form requested"),
        ("Rating: 4", "no rationale before the answer"),
        ("The output is good.", "no answer in the form requested"),
        ("It is brief. Rating: 4 Rating: 2", "more than one answer"),
        ("It is brief.\nRating: 4\nRating: 2", "more than one answer"),
        ("It is brief. Rating: 3 or 4", "more than one answer"),
        ("It is brief. Rating: 6", "number off the scale"),
        ("It is brief. Rating: -1", "number off the scale"),
        ("It is brief. Rating: 3.5", "not a whole number"),
        ("It is brief. Rating: \uff14", "no answer in the form requested"),
        ("It is brief. Rating: not 4", "no answer in the form requested"),
        ("Es ist kurz. Note: vier", "no answer in the form requested"),
        ("It is brief. Rating:", "empty"),
        ('{"rating": 4} // four', "no answer in the form requested"),
        ("I cannot rate this.", "no answer in the form requested"),
        ("{text}\nRating: {whole number from 1 to 5}", "more than one answer"),
        (RefusedError(), "refused"),
        (TruncatedError(), "truncated"),
        (FilteredError(), "filtered"),
    ],
)
def test_a_reply_without_rationale_and_rating_is_no_rating_and_says_why(reply, reason):
    with pytest.raises(ReplyInvalidError) as raised:
        judged(KEY, ScriptedAsker(reply), rounds=1, **ONCE)
    assert raised.value.reason == f"no repeat with ratings of most agents; most often: {reason}"


def test_the_prompt_has_the_case_and_no_key_of_a_system():
    asker = ScriptedAsker(*said(1, 2, 3))
    judged(KEY, asker, case(), low=0, high=10)
    for text in (
        "The ferry sails at nine.",
        "Say when it sails.",
        "Ferries sail at 8.",
        "How good is it?",
        "0 (worst)",
    ):
        assert all(text in prompt for prompt, *_ in asker.sent)
    assert "k-first" not in asker.prompt
    assert judge_protocols()[KEY].most_calls(read_options(judge_protocols()[KEY].options, {})) == 27


@pytest.mark.django_db
def test_a_run_keeps_outcome_ratings_and_rationales(study, owner, model):
    model.replies = said(*[4] * 9)
    run = run_to_end(study, owner, protocol=KEY, model="campus/free", subset=2)
    assert (run.status, run.counts) == ("finished", {"valid": 2})
    rows = Rating.objects.filter(rater=run.rater).order_by("pk")
    assert (rows[0].value, rows[0].outcome, len(rows[0].metadata["repeats"])) == (4, "unanimous", 3)
    assert rows[1].outcome in ("unanimous", "majority", "disagreement")
    rounds = [one for repeat in rows[1].metadata["repeats"] for one in repeat["rounds"]]
    calls = Call.objects.filter(study=study)
    assert calls.count() == calls.values("work", "step").distinct().count() == 9 + 3 * len(rounds)
    assert calls.values("work", "request_digest").distinct().count() == calls.count()
