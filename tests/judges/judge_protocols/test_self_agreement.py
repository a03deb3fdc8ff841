import pytest

from annotation.models import Rating
from judges.models import Judgment
from judges.options import read_options
from judges.protocol import CaseOutput, CaseQuestion, Example, ReplyInvalidError, judge_protocols
from llm.call_errors import BudgetError, FilteredError, RefusedError, TruncatedError
from llm.models import Call
from tests.judges.protocol_cases import QUESTION, YES_OR_NO, ScriptedAsker, case, judged, outcome_of
from tests.judges.scripted_judges import run_to_end

KEY = "self_agreement"
ALONE = {"examples": "none"}
WHY = {**ALONE, "rationale": True}
EXAMPLES = tuple(
    Example(value, "Trams run at ten.", "Say when.", (CaseOutput("k-other", f"At {value}."),), "It is brief.")
    for value in (5, 2.5)
)


def refusal(question=QUESTION, **options):
    protocol = judge_protocols()[KEY]
    return protocol.refuses(question, read_options(protocol.options, options))


def test_the_value_is_the_unrounded_mean_of_seven_samples():
    asker = ScriptedAsker("4", "Rating: 5", "4", "3", "4", "4", "5")
    reading = judged(KEY, asker, **ALONE)
    assert reading.value == pytest.approx(29 / 7)
    assert [one["value"] for one in reading.details["samples"]] == [4, 5, 4, 3, 4, 4, 5]
    assert [sample for *_, sample, _, _, _ in asker.sent] == [1, 2, 3, 4, 5, 6, 7]
    assert {parameters.temperature for _, parameters, *_ in asker.sent} == {0.1}
    assert len({prompt for prompt, *_ in asker.sent}) == 1


def test_samples_that_cannot_be_read_are_kept_apart_and_do_not_count():
    asker = ScriptedAsker("4", "Good.", RefusedError(), TruncatedError(), "9", "1")
    reading = judged(KEY, asker, n=6, **ALONE)
    assert reading.value == 2.5
    assert reading.details["samples"] == [
        {"outcome": "valid", "value": 4},
        {"outcome": "invalid", "reason": "no answer in the form requested"},
        {"outcome": "refused"},
        {"outcome": "truncated"},
        {"outcome": "invalid", "reason": "number off the scale"},
        {"outcome": "valid", "value": 1},
    ]


def test_only_a_judgment_without_any_valid_sample_is_invalid():
    asker = ScriptedAsker("Good.", RefusedError(), FilteredError(), RefusedError())
    with pytest.raises(ReplyInvalidError) as raised:
        judged(KEY, asker, n=4, **ALONE)
    assert raised.value.reason == "no valid sample; most often: refused"


def test_a_call_that_was_not_answered_ends_the_judgment():
    with pytest.raises(BudgetError):
        judged(KEY, ScriptedAsker("4", BudgetError()), **ALONE)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("The output is good.", "no answer in the form requested"),
        ("Rating: 4\nRating: 2", "more than one answer"),
        ("Rating: 3 or 4", "more than one answer"),
        ("Rating: 6", "number off the scale"),
        ("Rating: 0", "number off the scale"),
        ("Rating: 3.5", "not a whole number"),
        ("Rating: \uff14", "no answer in the form requested"),
        ("Rating: not 4", "no answer in the form requested"),
        ("Bewertung: vier", "no answer in the form requested"),
        ("Rating:", "empty"),
        ('{"rating": 4} // four', "no answer in the form requested"),
        ("I cannot rate this.", "no answer in the form requested"),
        ("Rating: {whole number from 1 to 5}", "more than one answer"),
    ],
)
def test_a_reply_that_is_no_rating_is_invalid_and_says_why(reply, reason):
    assert outcome_of(KEY, reply, **ALONE) == ("invalid", f"no valid sample; most often: {reason}")


@pytest.mark.parametrize(
    "reply",
    ["Rationale: It is brief.\nRating: 4", "It is brief. Rating: 4.", "**Rationale:** It is brief.\n\n**Rating:** 4"],
)
def test_a_rationale_comes_before_the_rating(reply):
    asker = ScriptedAsker(reply)
    reading = judged(KEY, asker, n=2, **WHY)
    assert (reading.value, reading.explanation) == (4, "It is brief.")
    assert reading.details["samples"][1] == {"outcome": "valid", "value": 4, "rationale": "It is brief."}
    assert "Rationale: {text}" in asker.prompt


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("4", "no answer in the form requested"),
        ("Rating: 4", "no rationale before the answer"),
        ("Rationale:\nRating: 4", "no rationale before the answer"),
        ("Rationale: It is brief.", "no answer in the form requested"),
        ("Rationale: It is brief.\nRating: 4\nSo be it.", "text after the answer"),
        ("Rationale: It is brief.\nRating: 7", "number off the scale"),
        ("Rationale: It is brief.\nRating: 4 of 5", "more than one answer"),
        ("Rationale: A rating: 4 would be kind.\nRating: 3", "more than one answer"),
        ("Rationale: It is brief.\nRating: \u0664", "no answer in the form requested"),
        ("Begr\u00fcndung: Es ist kurz.\nNote: 4", "no answer in the form requested"),
        ("Rationale: It is brief.\nRating: not 4", "no answer in the form requested"),
        ('{"rationale": "It is brief.", "rating": 4} // four', "no answer in the form requested"),
        ("Rationale: {text}\nRating: {whole number from 1 to 5}", "more than one answer"),
    ],
)
def test_a_reply_without_rationale_and_rating_is_invalid_and_says_why(reply, reason):
    assert outcome_of(KEY, reply, **WHY) == ("invalid", f"no valid sample; most often: {reason}")


@pytest.mark.parametrize("intro", [True, False])
@pytest.mark.parametrize("rationale", [True, False])
def test_introduction_rationale_and_examples_combine_freely(intro, rationale):
    asker = ScriptedAsker("It is brief. Rating: 4" if rationale else "4")
    reading = judged(KEY, asker, case(examples=EXAMPLES), intro=intro, rationale=rationale, n=1)
    assert reading.value == 4
    assert ("How good is it?" in asker.prompt) is intro
    assert ("Rationale: It is brief.\nRating: 5" in asker.prompt) is rationale
    for text in ("Rating: 5", "Rating: 3", "At 2.5.", "Trams run at ten.", "Ferries sail at 8.", "Say when it sails."):
        assert text in asker.prompt
    assert "k-first" not in asker.prompt
    assert "k-other" not in asker.prompt
    assert asker.prompt.index("At 5.") < asker.prompt.index("The examples end here.") < asker.prompt.index("[form]")


def test_examples_need_the_scale_on_which_they_are_shown():
    assert refusal() == ""
    assert "Choose this scale for the judge too" in refusal(high=7)
    assert "no scale on which examples" in refusal(YES_OR_NO)
    assert "no scale on which examples" in refusal(CaseQuestion("why", "text", "Why?"))
    assert refusal(YES_OR_NO, **ALONE) == ""
    assert refusal(low=5, high=5) == "The lowest rating must be below the highest."
    assert "needs examples" in refusal(intro=False, **ALONE)


@pytest.mark.django_db
def test_a_run_takes_seven_calls_a_judgment_and_keeps_their_mean(study, owner, model):
    model.replies = ["2", "Good.", RefusedError(), "3", "3", "3", "3"]
    run = run_to_end(study, owner, protocol=KEY, options={**ALONE}, subset=2)
    assert (run.status, run.counts) == ("finished", {"valid": 2})
    first, second = Judgment.objects.filter(run=run).order_by("place")
    assert first.reading["value"] == pytest.approx(14 / 5)
    row = Rating.objects.get(rater=run.rater, output=second.output)
    assert row.value == pytest.approx(sum(one["value"] for one in row.metadata["samples"]) / 7)
    calls = Call.objects.filter(study=study)
    assert calls.count() == calls.values("work", "step").distinct().count() == 14
    assert calls.values("work", "request_digest").distinct().count() == 14
