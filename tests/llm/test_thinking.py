"""What a model thinks is never part of its answer, in whole replies or at any moment of a streamed one."""

import pytest

from llm.thinking import KNOWN, PartUnknownError, ThinkingForm, content_of, field_thinking, marks_of

SECRET = "The user wants it short. I am Gemma, made by a lab; p < 0.05."
ANSWER = "The ferry sails at nine [0]. It is a <b>small</b> boat, p < 0.01."


def stream(text, own=()):
    """The answers that are shown while a text arrives character by character."""
    return [marks_of(own).separate(text[:end], complete=False).answer for end in range(1, len(text) + 1)]


@pytest.mark.parametrize("form", KNOWN, ids=lambda form: form.begins)
def test_each_known_form_is_taken_apart(form):
    said = (
        f"{form.begins}\n{SECRET}\n{form.ends}\n\n{ANSWER}"
        if not form.joined
        else f"analysis{SECRET}assistantfinal{ANSWER}"
    )
    for text in (said, said if form.joined else said.upper(), f"\n {said}"):
        found = marks_of(()).separate(text)
        assert (found.answer.lower(), found.thinking.lower()) == (ANSWER.lower(), SECRET.lower())
        assert all(ANSWER.lower().startswith(shown.lower()) for shown in stream(text))


SOLUTION = f"<|begin_of_thought|>{SECRET}<|end_of_thought|>\n<|begin_of_solution|>\n{ANSWER}\n<|end_of_solution|>"
CHANNELS = (
    f"<|channel|>analysis<|message|>{SECRET}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
)
REPLIES = {
    "no thinking": (f" {ANSWER}\n", f" {ANSWER}\n", ""),
    "empty thinking": (f"<think>\n\n</think>\n\n{ANSWER}", ANSWER, ""),
    "no beginning": (f"{SECRET}\n</think>\n\n{ANSWER}", ANSWER, SECRET),
    "no end": (f"<think>{SECRET}", "", SECRET),
    "nothing after it": (f"<think>{SECRET}</think>\n", "", SECRET),
    "in the middle": (f"Yes.\n\n<think>{SECRET}</think>\n\nNo.", "Yes.\n\nNo.", SECRET),
    "at the end": (f"{ANSWER}\n<think>{SECRET}</think>", ANSWER, SECRET),
    "twice": ("<think>a</think>One <thinking>b</thinking> two", "One two", "a\n\nb"),
    "nested": (f"<think>a <think>b</think> c</think>{ANSWER}", ANSWER, "a <think>b\n\nc"),
    "spoken about within it": (f"<think>I end by `</think>`.</think>{ANSWER}", ANSWER, "I end by `</think>`."),
    "spoken about": ("Put it between `<think>` and `</think>`.", "Put it between `<think>` and `</think>`.", ""),
    "answer between marks": (f"<think>{SECRET}</think>\n<answer>\n{ANSWER}\n</answer>", ANSWER, SECRET),
    "marks of an answer without thinking": ("<answer>4</answer>", "<answer>4</answer>", ""),
    "solution": (SOLUTION, ANSWER, SECRET),
    "channels": (CHANNELS, ANSWER, SECRET),
    "channels with a format": (
        f"<|channel|>analysis<|message|>{SECRET}<|end|><|channel|>final <|constrain|>json<|message|>{{}}",
        "{}",
        SECRET,
    ),
    "only the last channel with a format": ("<|channel|>final <|constrain|>json<|message|>{}", "{}", ""),
    "blanks in the marks": (f"< think >{SECRET}</ think >{ANSWER}", ANSWER, SECRET),
    "attributes of a mark": (f'<thought type="deep">{SECRET}</thought>{ANSWER}', ANSWER, SECRET),
    "an empty tag": (f"<think/>{ANSWER}", ANSWER, ""),
    "a block to unfold": (f'<details type="reasoning" done="true">{SECRET}</details>{ANSWER}', ANSWER, SECRET),
    "another block": (f"<details><summary>x</summary>{ANSWER}</details>",) * 2 + ("",),
    "an unknown tag within it": (f"<think>a <reason>b</reason> c</think>{ANSWER}", ANSWER, None),
    "an unknown tag spoken about": ("Write `<thought_process>` first.",) * 2 + ("",),
    "a tag without a beginning in thinking": (f"<think>a </reason> {SECRET}</think>{ANSWER}", ANSWER, None),
    **{
        f"<{name}>": (f"Yes. <{name}>{SECRET}</{name}>{ANSWER}", f"Yes. {ANSWER}", SECRET)
        for name in (
            "think ",
            "thought_process",
            "inner_monologue",
            "inner_thoughts",
            "reason",
            "cot",
            "chain_of_thought",
            "my:reasoning",
            "Self-Reflection",
        )
    },
    "only the last channel": (f"<|start|>assistant<|channel|>final<|message|>{ANSWER}", ANSWER, ""),
    "a word that a mark begins with": ("analysis of the data", "analysis of the data", ""),
    "a comparison": ("1 < 2 [THE END]", "1 < 2 [THE END]", ""),
}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_are_taken_apart(name):
    text, answer, thinking = REPLIES[name]
    found = marks_of(()).separate(text)
    assert found.answer == answer
    assert thinking is None or found.thinking == thinking
    assert len(stream(text)[-1]) >= len(answer.rstrip()) - len("</answer>")


@pytest.mark.parametrize("name", sorted(REPLIES.keys() - {"no beginning"}))
def test_no_thinking_and_no_half_of_a_mark_is_shown_while_a_reply_arrives(name):
    text, answer, _ = REPLIES[name]
    for shown in stream(text):
        assert answer.startswith((shown, shown.rstrip()))


def test_thinking_without_a_beginning_is_told_from_marked_thinking():
    marks = marks_of(())
    assert marks.separate(f"{SECRET}</think>{ANSWER}").marks == "unopened"
    assert marks.separate(f"<think>{SECRET}</think>{ANSWER}").marks == "marked"
    assert marks.separate("<|channel|>final<|message|>Yes").marks == "marked"
    assert marks.separate(ANSWER).marks == ""


OWN = (ThinkingForm("</plan>", "<plan>"), ThinkingForm("== END =="))


@pytest.mark.parametrize("text", [f"{SECRET}== END =={ANSWER}", f"<plan>{SECRET}== END =={ANSWER}"])
def test_own_forms_of_a_model_count_too(text):
    assert marks_of(OWN).separate(text).answer == ANSWER
    assert all(ANSWER.startswith(shown) for shown in stream(text, OWN))
    assert marks_of(OWN[:1]).separate(f"<plan>{SECRET}</plan>{ANSWER}").answer == ANSWER
    assert marks_of(OWN).separate(ANSWER).answer == ""


CONTENTS = [
    (None, "", ""),
    ("Yes", "Yes", ""),
    ([{"type": "text", "text": "Yes"}], "Yes", ""),
    ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"text": "Yes"}], "Yes", "hm"),
    ([{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "Yes"}], "Yes", "hm"),
    ([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "Yes"}], "Yes", ""),
    ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, "Yes"], "Yes", "hm"),
    ([{"text": "hm", "thought": True}, {"text": "Yes"}], "Yes", "hm"),
    ({"type": "output_text", "text": {"value": "Yes"}}, "Yes", ""),
]


@pytest.mark.parametrize(("content", "text", "thinking"), CONTENTS)
def test_parts_of_a_content_are_taken_apart(content, text, thinking):
    assert content_of(content) == (text, thinking)


@pytest.mark.parametrize("content", [5, [5], [{"type": "image_url"}], [{"type": "text"}], [{"type": 5, "text": "x"}]])
def test_other_parts_are_refused(content):
    with pytest.raises(PartUnknownError):
        content_of(content)


def test_fields_of_a_message_hold_thinking():
    assert field_thinking({"content": "Yes", "reasoning_content": "hm"}) == {"reasoning_content": "hm"}
    assert field_thinking({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}], "reasoning": None}) == {
        "reasoning_details": "hm"
    }
    assert field_thinking({"plan": "hm", "content": "x"}, ("plan",)) == {"plan": "hm"}


@pytest.mark.parametrize("text", ["<" + " " * 50_000, "<" + "think" * 20_000, "<think " * 10_000, "<a" * 50_000])
def test_texts_that_look_like_marks_all_the_way_are_read(text):
    assert len(marks_of(()).separate(f"Yes. {text}").answer) >= len("Yes.")
