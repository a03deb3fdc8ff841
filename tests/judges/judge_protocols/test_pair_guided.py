from dataclasses import replace

import pytest

from judges.options import read_options
from judges.protocol import CaseOutput, CaseReference, Example, ExampleChoice, ReplyInvalidError, judge_protocols
from llm.call_errors import FilteredError, RefusedError, TruncatedError
from tests.judges.protocol_cases import OUTPUTS, QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
PROTOCOL = judge_protocols()["pair_guided"]
GOLD = CaseReference("gold", "human", "REFERENCE: at nine.")
BIRDS = (CaseOutput("k-emu", "An emu."), CaseOutput("k-swan", "A swan."))
EXAMPLE = Example("k-swan", "Birds fly.", "Name one.", BIRDS, "Only one of them flies.")
PAIR = case(OUTPUTS, guidelines="GUIDELINES: be strict.", examples=(EXAMPLE,))
GUIDED = {"examples": "none"}
NO_ANSWER = "no answer in the form requested"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Better: 1", "k-first"),
        ("**Better:** 2.\n", "k-second"),
        ("better: Tie", "tie"),
        ("2", "k-second"),
        ('"tie"', "tie"),
    ],
)
def test_the_better_one_or_a_tie_is_the_value(reply, value):
    assert outcome_of("pair_guided", reply, PAIR) == ("valid", value)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("The first one.", NO_ANSWER),
        ("Better: 1\nBetter: 2", "more than one answer"),
        ("Better: 1 or 2", "more than one answer"),
        ("Better: 3", NO_ANSWER),
        ("Better: \uff12", NO_ANSWER),
        ("Better: not 1", NO_ANSWER),
        ("Better:", NO_ANSWER),
        ("Besser: 1", NO_ANSWER),
        ("It is short.\nBetter: 1", "text before the answer"),
        ("Better: 1\nIt is short.", "text after the answer"),
        ('{"better": "1"} // first', NO_ANSWER),
        ("I cannot say which is better.", NO_ANSWER),
        ("Better: {one of: 1 | 2 | tie}", "more than one answer"),
        ("1\n2", "text after the answer"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("pair_guided", reply, PAIR) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("pair_guided", problem, PAIR) == (outcome, "")


@pytest.mark.parametrize(
    ("guidelines", "examples", "shown"),
    [
        ("own", "own", {"GUIDELINES", "Only one of them flies."}),
        ("own", "other", {"GUIDELINES", "Ostrich"}),
        ("own", "none", {"GUIDELINES"}),
        ("other", "other", {"most people", "Ostrich"}),
    ],
)
def test_the_four_prompts_differ_in_guidelines_and_examples(guidelines, examples, shown):
    asker = ScriptedAsker("Better: 1")
    judged("pair_guided", asker, PAIR, guidelines=guidelines, examples=examples)
    every = ("GUIDELINES", "most people", "Only one of them flies.", "Ostrich")
    assert {text for text in every if text in asker.prompt} == shown
    options = read_options(PROTOCOL.options, {"guidelines": guidelines, "examples": examples, "k": 3})
    assert PROTOCOL.shows_guidelines(options) is (guidelines == "own")
    assert PROTOCOL.examples(options) == (ExampleChoice("written", 3) if examples == "own" else None)


def test_a_written_example_is_shown_with_its_choice_in_the_form_of_the_reply():
    asker = ScriptedAsker("Better: 1")
    judged("pair_guided", asker, PAIR)
    assert "Only one of them flies.\n\nBetter: 2\n</example 1" in asker.prompt
    assert asker.prompt.index("An emu.") < asker.prompt.index("A swan.") < asker.prompt.index("Ferries sail at 8.")
    assert "k-" not in asker.prompt
    asker = ScriptedAsker('{"better": "1"}')
    judged("pair_guided", asker, PAIR, schema=True)
    assert '{"better": "2"}\n</example 1' in asker.prompt
    tied = replace(PAIR, examples=(replace(EXAMPLE, value="tie"),))
    judged("pair_guided", asker := ScriptedAsker("Better: 1"), tied)
    assert "Better: tie\n</example 1" in asker.prompt


@pytest.mark.parametrize("example", [replace(EXAMPLE, value=4), replace(EXAMPLE, outputs=BIRDS[:1])])
def test_no_model_is_asked_with_an_example_that_has_no_choice(example):
    asker = ScriptedAsker("Better: 1")
    with pytest.raises(ReplyInvalidError, match="a worked example has no choice between two outputs"):
        judged("pair_guided", asker, replace(PAIR, examples=(example,)))
    assert asker.sent == []


def test_a_question_without_ties_neither_offers_nor_accepts_one():
    forced = case(OUTPUTS, replace(QUESTION, takes_ties=False), guidelines="Be strict.")
    asker = ScriptedAsker("Better: 1")
    judged("pair_guided", asker, forced, **GUIDED)
    assert "{one of: 1 | 2}" in asker.prompt
    assert outcome_of("pair_guided", "Better: tie", forced, **GUIDED) == ("invalid", NO_ANSWER)


def test_a_reference_is_context_only_if_told_so():
    given = case(OUTPUTS, guidelines="Be strict.", references=(GOLD, replace(GOLD, key="other", text="By bus.")))
    asker = ScriptedAsker("Better: 1")
    assert judged("pair_guided", asker, given, **GUIDED).details == {}
    assert "REFERENCE" not in asker.prompt
    reading = judged("pair_guided", asker, given, reference="context", **GUIDED)
    assert (reading.value, reading.details) == ("k-first", {"references": ["gold", "other"]})
    assert asker.prompt.index("REFERENCE") < asker.prompt.index("By bus.") < asker.prompt.index("Ferries sail at 8.")
    assert "gold" not in asker.prompt


@pytest.mark.parametrize(
    ("replies", "value", "results"),
    [
        (("1", "1"), "tie", ("win", "win")),
        (("1", "2"), "k-first", ("win", "loss")),
        (("2", "1"), "k-second", ("loss", "win")),
        (("tie", "2"), "k-first", ("tie", "loss")),
        (("tie", "1"), "k-second", ("tie", "win")),
        (("tie", "tie"), "tie", ("tie", "tie")),
        (("2", "2"), "tie", ("loss", "loss")),
    ],
)
def test_a_reference_as_candidate_decides_between_the_outputs(replies, value, results):
    given = case(OUTPUTS, guidelines="Be strict.", references=(GOLD,))
    asker = ScriptedAsker(*replies)
    reading = judged("pair_guided", asker, given, reference="candidate", **GUIDED)
    assert reading.value == value
    assert reading.details["against_reference"] == dict(zip(("k-first", "k-second"), results, strict=True))
    assert (reading.details["reference"], reading.details["reference_shown"]) == ("gold", 2)
    assert [one[3] for one in asker.sent] == [1, 2]
    for (prompt, *_), output in zip(asker.sent, OUTPUTS, strict=True):
        assert prompt.index(output.text) < prompt.index("REFERENCE")
        assert sum(one.text in prompt for one in OUTPUTS) == 1


def test_the_reference_comes_first_to_both_outputs_in_the_other_order():
    given = case(OUTPUTS[::-1], guidelines="Be strict.", references=(GOLD,))
    asker = ScriptedAsker("1", "2")
    reading = judged("pair_guided", asker, given, reference="candidate", **GUIDED)
    assert reading.value == "k-first"
    assert reading.details["against_reference"] == {"k-second": "loss", "k-first": "win"}
    assert all(prompt.index("REFERENCE") < prompt.index("Ferries sail") for prompt, *_ in asker.sent)


def test_one_unusable_reply_of_two_leaves_no_choice():
    given = case(OUTPUTS, guidelines="Be strict.", references=(GOLD,))
    with pytest.raises(ReplyInvalidError, match=NO_ANSWER):
        judged("pair_guided", ScriptedAsker("1", "none"), given, reference="candidate", **GUIDED)
    with pytest.raises(RefusedError):
        judged("pair_guided", ScriptedAsker("1", RefusedError()), given, reference="candidate", **GUIDED)


@pytest.mark.parametrize("use", ["context", "candidate"])
def test_a_case_without_its_reference_asks_no_model(use):
    asker = ScriptedAsker("Better: 1")
    with pytest.raises(ReplyInvalidError, match="the item has no reference"):
        judged("pair_guided", asker, PAIR, reference=use)
    assert asker.sent == []


def test_options_say_what_a_run_needs():
    plain = read_options(PROTOCOL.options, {})
    assert (PROTOCOL.most_calls(plain), PROTOCOL.both_orders(plain)) == (1, False)
    more = read_options(PROTOCOL.options, {"reference": "candidate", "both_orders": "yes", "schema": "yes"})
    assert (PROTOCOL.most_calls(more), PROTOCOL.both_orders(more)) == (2, True)
    assert [PROTOCOL.needs_references(options) for options in (plain, more)] == [False, True]
    assert (PROTOCOL.needs(plain).json_schema, PROTOCOL.needs(more).json_schema) == (False, True)
    assert PROTOCOL.refuses(QUESTION, more) == ""
    assert "must allow ties" in PROTOCOL.refuses(replace(QUESTION, takes_ties=False), more)


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({"examples": "none"}, set()),
        ({"examples": "own"}, set()),
        ({"examples": "other"}, {"pair_guided_examples"}),
        ({"guidelines": "other"}, {"pair_guided_general"}),
        ({"reference": "context"}, {"pair_guided_reference"}),
        ({"reference": "candidate"}, set()),
    ],
)
def test_only_the_prompt_files_that_are_used_make_the_judge(given, more):
    options = read_options(PROTOCOL.options, given)
    assert set(PROTOCOL.prompt_names(options)) == {"pair_guided", *more}


def test_the_best_answer_is_the_number_under_which_an_output_is_shown():
    plain, candidate = (read_options(PROTOCOL.options, {"reference": one}) for one in ("none", "candidate"))
    assert [PROTOCOL.best_answer(PAIR, plain, place) for place in (0, 1)] == ["1", "2"]
    assert [PROTOCOL.best_answer(PAIR, candidate, place) for place in (0, 1)] == ["1", "1"]
    assert [PROTOCOL.best_answer(case(OUTPUTS[::-1]), candidate, place) for place in (0, 1)] == ["2", "2"]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"better": "tie"}', ("valid", "tie")),
        ('{"better": 1}', ("invalid", NO_ANSWER)),
        ('{"better": "3"}', ("invalid", NO_ANSWER)),
        ('{"better": "1", "why": "short"}', ("invalid", "a field of the JSON object was not requested")),
        ("[]", ("invalid", "not the JSON object requested")),
        ("Better: 1", ("invalid", "")),
    ],
)
def test_with_a_schema_the_reply_is_json(reply, found):
    assert outcome_of("pair_guided", reply, PAIR, schema=True) == found
