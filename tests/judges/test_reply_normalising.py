"""What carries no meaning is taken from replies; what could be read in two ways is still refused."""

import pytest

from judges.protocol import ReplyInvalidError
from judges.reply_normalising import plain_reply
from tests.judges.judge_protocols.test_session_rating import TURN_CASE
from tests.judges.protocol_cases import outcome_of

SAME = [
    "Score: 4",
    "```\nScore: 4\n```",
    "```text\nScore: 4\n```",
    "~~~\nScore: 4\n~~~",
    "```Score: 4```",
    "`Score: 4`",
    "[form]\nScore: 4\n[/form]",
    "[form]Score: 4[/form]",
    "[FORM]\n4\n[/FORM]",
    "```\n[form]\nScore: 4\n[/form]\n```",
    "Score: 4/5",
    "Score: 4 out of 5",
    "**Score: 4**",
    "**Score:** 4",
    "**Score**: **4**",
    "__Score: 4__",
    "*Score:* 4",
    "# Score: 4",
    "### **Score: 4**",
    "- Score: 4",
    "* Score: 4",
    "> Score: 4",
    "\u2022 Score: 4",
    '"Score: 4"',
    "\u201cScore: 4\u201d",
    "\ufeffScore: 4",
    "\u200bScore: 4",
    "Score:\u00a04",
    "Score\uff1a4",
    "Score: 4\r\n",
    "Score: [[4]]",
    "\\boxed{4}",
    "$\\boxed{4}$",
    "<answer>Score: 4</answer>",
    "<answer>4</answer>",
    "Score: `4`",
    "Score: \u202a4\u202c.",
    "Score: 4 / 5",
    "4 / 5",
    "**4**/5",
    "Score: **4**/5",
    "Score: [4]",
    "(4)",
    "# 4",
    "```\nScore: 4",
    "Score: 4\n```",
    "---\nScore: 4\n---",
    "Score: 4\n\n***",
    "Score: 4<|im_end|>",
    "Score: 4</s>",
    "```\nScore: 4\n```\n<|im_end|>\n</s>",
]


@pytest.mark.parametrize("reply", SAME)
def test_marks_without_a_meaning_are_taken_away(reply):
    assert outcome_of("llm_eval", reply) == ("valid", 4)


REFUSED = {
    "Score: 4/10": "a number of another scale",
    "4 / 10": "a number of another scale",
    "4 or 5": "more than one answer",
    "[4, 5]": "more than one answer",
    "(4) (5)": "more than one answer",
    "Score: 3\n---\nScore: 4": "more than one answer",
    "```\nScore: 3\n```\nScore: 4\n```": "more than one answer",
    "Score: 4-5": "more than one answer",
    "Score: 4 or 5": "more than one answer",
    "Score: 4\nScore: 5": "more than one answer",
    "```\nScore: 4\n```\n```\nScore: 5\n```": "more than one answer",
    "[form]\nScore: 4\n[/form]\n[form]\nScore: 5\n[/form]": "more than one answer",
    "The output is fine.\n\nScore: 4": "text before the answer",
    "Here it is:\n```\nScore: 4\n```": "text before the answer",
    "Score: 4 (good)": "text after the answer",
    "Score: 4\n\nIt is fine.": "text after the answer",
    "Score: 4\u0664": "no answer in the form requested",
    "Score: \uff14": "no answer in the form requested",
    "1. Score: 4": "no answer in the form requested",
    '```json\n{"answer": 4, "score": 4}\n```': "no answer in the form requested",
    "```\n\n```": "empty",
    "\ufeff\u200b": "empty",
    "[form]\n[/form]": "empty",
}


@pytest.mark.parametrize("reply", REFUSED)
def test_what_says_something_else_is_refused_with_the_right_sentence(reply):
    assert outcome_of("llm_eval", reply) == ("invalid", REFUSED[reply])


PROTOCOLS = [
    ("scale_score", "```\nScore: 3.5\n```", 3.5, {}),
    ("scale_score", "**Score: 3.5/5**", 3.5, {}),
    ("self_agreement", "[form]\nRating: 4/5\n[/form]", 4.0, {}),
    ("self_agreement", "```\n**Rationale:** It is brief.\n\n### Rating: 4\n```", 4.0, {"rationale": True}),
    ("llm_compare", "```\nExplanation: The first is short.\nDecision: **1**\n```", "k-first", {}),
    ("pair_guided", "# Better: 1", "k-first", {}),
]


@pytest.mark.parametrize(("protocol", "reply", "value", "options"), PROTOCOLS)
def test_every_protocol_reads_replies_in_that_way(protocol, reply, value, options):
    assert outcome_of(protocol, reply, **options) == ("valid", value)


TWICE = "Explanation: Both are fine, so {}.\nDecision: 1"


@pytest.mark.parametrize("said", ["Decision: tie", "**Decision**: Output 2", "decision : tie"])
def test_a_second_answer_in_words_is_a_second_answer(said):
    assert outcome_of("llm_compare", TWICE.format(said)) == ("invalid", "more than one answer")
    assert outcome_of("llm_compare", TWICE.format("the decision is hard")) == ("valid", "k-first")


@pytest.mark.parametrize(
    "reply", ["```\nRating: good\n```", "[form]\nRating: good\n[/form]", "\ufeff**good**", "# Rating: Good."]
)
def test_labels_are_read_in_that_way(reply):
    assert outcome_of("session_rating", reply, TURN_CASE) == ("valid", "good")


@pytest.mark.parametrize("text", ["**a** and **b**", '"a" or "b"', "a [form] b"])
def test_marks_of_two_parts_are_no_pair(text):
    assert plain_reply(text) == text


def test_nothing_is_left_of_marks_alone():
    with pytest.raises(ReplyInvalidError, match="empty"):
        plain_reply("```\n[form]\n[/form]\n```")
