from dataclasses import replace

import pytest

from judges.options import read_options
from judges.protocol import judge_protocols
from llm.call_errors import FilteredError, RefusedError, TruncatedError
from tests.judges.protocol_cases import OUTPUTS, QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
PAIR = case(OUTPUTS)


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Output (a)", "k-first"),
        (" Output (b).\n", "k-second"),
        ('"Output (a)"', "k-first"),
        ("**Output (b)**", "k-second"),
        ("output (a)", "k-first"),
    ],
)
def test_the_name_of_an_output_alone_chooses_it(reply, value):
    assert outcome_of("pair_forced", reply, PAIR) == ("valid", value)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("The first one is better.", "no answer in the form requested"),
        ("Output (a) or Output (b)", "more than one answer"),
        ("Output (c)", "no answer in the form requested"),
        ("Output (1)", "no answer in the form requested"),
        ("a", "no answer in the form requested"),
        ("Output a", "no answer in the form requested"),
        ("Output \uff08a\uff09", "no answer in the form requested"),
        ("Output (\uff41)", "no answer in the form requested"),
        ("not Output (a)", "no answer in the form requested"),
        ("Tie", "no answer in the form requested"),
        ("Ausgabe (a)", "no answer in the form requested"),
        ("Output (a)\nIt is short.", "text after the answer"),
        ("Output (a) is better.", "no answer in the form requested"),
        ('{"answer": "Output (a)"} // first', "no answer in the form requested"),
        ("I cannot choose between them.", "no answer in the form requested"),
        ("{one of: Output (a) | Output (b)}", "more than one answer"),
        ("Output (", "no answer in the form requested"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("pair_forced", reply, PAIR) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("pair_forced", problem, PAIR) == (outcome, "")


def test_article_and_requirement_are_one_instruction_after_a_system_message():
    asker = ScriptedAsker("Output (a)")
    judged("pair_forced", asker, case(OUTPUTS[::-1]))
    assert asker.prompt.startswith("You judge which of two outputs")
    assert "The ferry sails at nine.\n\nSay when it sails.\n</instruction" in asker.prompt
    assert asker.prompt.index("Ferries sail at 9.") < asker.prompt.index("Ferries sail at 8.")
    assert "k-" not in asker.prompt
    values = dict.fromkeys(("instruction", "output_a", "output_b", "aspect", "form"), "x")
    messages, _ = asker.render("pair_forced", values)
    assert [message.role for message in messages] == ["system", "user"]


def test_an_item_without_a_document_has_the_instruction_alone():
    asker = ScriptedAsker("Output (a)")
    judged("pair_forced", asker, case(OUTPUTS, document=""))
    assert ">\nSay when it sails.\n</instruction" in asker.prompt


def test_the_prompt_names_the_question_only_if_told_to():
    asker = ScriptedAsker("Output (a)")
    judged("pair_forced", asker, PAIR)
    assert "How good is it?" not in asker.prompt
    judged("pair_forced", asker, PAIR, aspect=True)
    assert "How good is it?" in asker.prompt


@pytest.mark.parametrize("takes_ties", [True, False])
def test_no_tie_is_ever_offered(takes_ties):
    asker = ScriptedAsker("Output (b)")
    judged("pair_forced", asker, case(OUTPUTS, replace(QUESTION, takes_ties=takes_ties)))
    assert "{one of: Output (a) | Output (b)}" in asker.prompt


def test_every_pair_is_judged_in_both_orders():
    protocol = judge_protocols()["pair_forced"]
    assert protocol.both_orders(read_options(protocol.options, {})) is True


def test_the_best_answer_is_the_name_under_which_an_output_is_shown():
    protocol = judge_protocols()["pair_forced"]
    names = [protocol.best_answer(PAIR, read_options(protocol.options, {}), place) for place in (0, 1)]
    assert names == ["Output (a)", "Output (b)"]


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"answer": "Output (b)"}', ("valid", "k-second")),
        ('```json\n{"answer": "Output (b)"}\n```', ("valid", "k-second")),
        ('{"answer": "output (b)"}', ("invalid", "no answer in the form requested")),
        ('{"answer": "tie"}', ("invalid", "no answer in the form requested")),
        ('{"better": "Output (b)"}', ("invalid", "a field of the JSON object is missing")),
        ('"Output (b)"', ("invalid", "not the JSON object requested")),
        ("Output (b)", ("invalid", "")),
    ],
)
def test_with_a_schema_the_reply_is_json(reply, found):
    assert outcome_of("pair_forced", reply, PAIR, schema=True) == found
