"""Forms of replies: what the prompt shows, the scripted model fills in, and the form reads."""

import pytest

from judges.options import JudgeOptionError, read_options
from judges.protocol import ReplyInvalidError
from judges.reply_forms import SCHEMA, OneOf, Ranks, ReplyForm, Whole, schema_needs
from llm.scripted.form_filling import filled_form
from tests.judges.protocol_cases import replied

ANSWERS = [
    OneOf("Better", ("1", "2", "tie")),
    Whole("Score", -2, 3),
    Ranks("Ranks", 4, 4, True),
    Ranks("Ranks", 5, 2, True),
]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("explained", [False, True])
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.key)
def test_a_form_reads_what_the_scripted_model_fills_in(answer, explained, as_json):
    form, found = ReplyForm(answer, explained, as_json), set()
    for number in range(30):
        reply = filled_form(f"Prompt {number}.\n\n[form]\n{form.shown()}\n[/form]")
        value, explanation = form.read(replied(reply, schema=form.schema()))
        assert bool(explanation) is explained
        found.add(str(value))
    assert len(found) > 1


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.key)
def test_a_schema_requires_every_field_and_no_other(answer):
    schema = ReplyForm(answer, explained=True, as_json=True).schema()
    assert schema["required"] == list(schema["properties"]) == ["explanation", answer.key]
    assert schema["additionalProperties"] is False
    assert ReplyForm(answer, explained=True).schema() is None


@pytest.mark.parametrize(
    ("reply", "as_json", "found"),
    [
        ("Score: 3", False, 3),
        ("-2", False, -2),
        ("Score: 4", False, "number off the scale"),
        ("Score: 2.5", False, "not a whole number"),
        ("Score: 2 or 3", False, "more than one answer"),
        ('{"score": 3}', True, 3),
        ('{"score": 4}', True, "number off the scale"),
        ('{"score": 3.0}', True, "not a whole number"),
        ('{"score": "3"}', True, "no answer in the form requested"),
        ('{"score": true}', True, "no answer in the form requested"),
        ('{"score": null}', True, "no answer in the form requested"),
        ("{}", True, "a field of the JSON object is missing"),
        ("3", True, "not the JSON object requested"),
    ],
)
def test_a_whole_number_is_read_alike_from_text_and_json(reply, as_json, found):
    form = ReplyForm(Whole("Score", -2, 3), as_json=as_json)
    try:
        read = form.read(replied(reply, schema=form.schema()))
    except ReplyInvalidError as problem:
        read = problem.reason, ""
    assert read == (found, "")


def test_an_example_is_filled_in_as_the_reply_is_read():
    for form in (ReplyForm(ANSWERS[0], True), ReplyForm(ANSWERS[0], True, True), ReplyForm(OneOf("", ("a b",)))):
        answer = form.answer.choices[0]
        assert form.read(replied(form.filled(answer, "It is."), schema=form.schema()))[0] == answer


def test_the_option_is_no_by_default_and_needs_a_model_that_can():
    assert schema_needs(read_options({"schema": SCHEMA}, {})).json_schema is False
    assert schema_needs(read_options({"schema": SCHEMA}, {"schema": "yes"})).json_schema is True
    with pytest.raises(JudgeOptionError, match="must be yes or no"):
        read_options({"schema": SCHEMA}, {"schema": "perhaps"})
