"""Marked passages: places in code points, checked against the text that was shown."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.answers import Sheet
from annotation.questions import SpecInvalidError, ValueInvalidError
from annotation.questions.spans import QUESTION_TYPE

pytestmark = pytest.mark.quick
EMOJI = "The cook 👩🏽‍🍳 burnt the cafe\u0301 down."
ARABIC = "قال إن النحل لا ينام \u202bأبدا\u202c."  # noqa: RUF001 - Arabic, and meant
SHEET = Sheet.of(["zebra", "ant", "mole"], [EMOJI, ARABIC, "Line\r\nbreaks\tstay."], "The document 🐝.")
SPEC = {"labels": ["wrong", "invented"]}
PLAIN: dict = {}
DOCUMENT = {"on": "document"}


def span(output, text, label="wrong", **more):
    start = SHEET.text_of(SHEET.key_of(output)).index(text)
    return {"output": output, "start": start, "end": start + len(text), "text": text, "label": label, **more}


def form(*spans, none=()):
    ticked = {f"q-errors-{letter}": ["none"] for letter in none}
    return {"q-errors": [json.dumps({"spans": list(spans)})], **ticked}


def read(*spans, none=(), spec=SPEC):
    value = QUESTION_TYPE.read(form(*spans, none=none), "q-errors", spec, SHEET)
    QUESTION_TYPE.check(value, spec)
    QUESTION_TYPE.check_shown(value, spec, SHEET)
    return value


@pytest.mark.parametrize(
    "spec", [{"on": "reference"}, {"labels": "wrong"}, {"labels": ["a", "a"]}, {"labels": [1]}, {"per": "output"}]
)
def test_a_question_that_cannot_be_asked_is_refused(spec):
    with pytest.raises(SpecInvalidError):
        QUESTION_TYPE.check_spec(spec)


def test_places_count_code_points_through_emoji_accents_and_right_to_left_text():
    ending = ARABIC[21:27]
    value = read(span("A", "👩🏽‍🍳 burnt"), span("A", "cafe\u0301", note="not the café"), span("B", ending), none="C")
    assert value["none"] == ["mole"]
    assert [(one["output"], one["start"], one["end"]) for one in value["spans"]] == [
        ("zebra", 9, 19), ("zebra", 24, 29), ("ant", 21, 27),
    ]  # fmt: skip
    for one in value["spans"]:
        assert SHEET.text_of(one["output"])[one["start"] : one["end"]] == one["text"]


def test_line_ends_of_the_stored_text_count_as_they_are():
    assert read(span("C", "\r\nbreaks\t"), none="AB")["spans"][0]["start"] == 4


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), st.data())
def test_any_slice_of_a_text_is_accepted_and_other_text_is_refused(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    sheet = Sheet.of(["a"], [text])
    value = {"spans": [{"output": "a", "start": start, "end": end, "text": text[start:end]}], "none": []}
    QUESTION_TYPE.check(value, PLAIN)
    QUESTION_TYPE.check_shown(value, PLAIN, sheet)
    other = "x" * (end - start)
    if other != text[start:end]:
        value["spans"][0]["text"] = other
        with pytest.raises(ValueInvalidError):
            QUESTION_TYPE.check_shown(value, PLAIN, sheet)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"text": "The cool"}, "but the text has “The cook” there"),
        ({"start": 0, "end": 0, "text": ""}, "empty"),
        ({"start": 5, "end": 5}, "empty"),
        ({"start": 5, "end": 4}, "empty"),
        ({"end": 9}, "has 8 characters, not 9"),
        ({"start": 500, "end": 508}, "beyond the end"),
        ({"start": -8, "end": 0}, "0 or more"),
        ({"start": 0.0}, "whole number"),
        ({"start": False}, "whole number"),
        ({"start": "0"}, "whole number"),
        ({"text": 5}, "not a text"),
        ({"output": "D"}, "not shown"),
        ({"output": None}, "not shown"),
        ({"output": "zebra"}, "not shown"),
        ({"label": "typo"}, "labels are wrong, invented"),
        ({"label": None}, "without a label"),
        ({"note": 5}, "note"),
        ({"note": "x" * 2001}, "note"),
        ({"colour": "red"}, "missing or unknown keys"),
    ],
)
def test_a_span_that_does_not_fit_its_text_is_refused_with_a_sentence(change, said):
    wrong = {"output": "A", "start": 0, "end": 8, "text": "The cook", "label": "wrong"} | change
    with pytest.raises(ValueInvalidError, match=said) as problem:
        read(wrong)
    assert not any(key in str(problem.value) for key in ("zebra", "ant", "mole") if change.get("output") != key)


@pytest.mark.parametrize(
    "raw",
    ["{", "[]", "5", '{"spans": 5}', '{"spans": [5]}', '{"none": []}', "[" * 5000, '{"spans": [], "none": 3}',
     '{"spans": [{"text": "\\u0000"}]}', '{"spans": [{"text": "\\ud800"}]}', '{"spans": [{"start": 1e999}]}'],
)  # fmt: skip
def test_a_field_that_no_page_of_ours_sends_is_refused(raw):
    with pytest.raises(ValueInvalidError, match="cannot be read"):
        QUESTION_TYPE.read({"q-errors": [raw]}, "q-errors", SPEC, SHEET)


def test_overlapping_passages_are_refused_only_with_the_same_label():
    assert len(read(span("A", "The cook"), span("A", "cook", "invented"))["spans"]) == 2
    assert len(read(span("A", "The "), span("A", "cook"))["spans"]) == 2
    with pytest.raises(ValueInvalidError, match="overlap"):
        read(span("A", "The cook"), span("A", "cook"))
    with pytest.raises(ValueInvalidError, match="overlap"):
        read(span("A", "The cook"), span("A", "The cook"))


def test_an_output_with_passages_cannot_be_marked_as_having_none():
    with pytest.raises(ValueInvalidError, match="remove one of the two"):
        read(span("A", "The cook"), none="A")


def test_every_output_must_have_passages_or_be_marked_as_having_none():
    def left(*spans, none=()):
        value = read(*spans, none=none)
        return [output.letter for output in QUESTION_TYPE.unanswered(value, SPEC, SHEET)]

    assert left(span("A", "The cook")) == ["B", "C"]
    assert left(span("A", "The cook"), none="BC") == []
    assert left(none="ABC") == []
    assert QUESTION_TYPE.read({}, "q-errors", SPEC, SHEET) is None
    assert QUESTION_TYPE.read({"q-errors": [""]}, "q-errors", SPEC, SHEET) is None


def test_without_scripts_the_ticks_alone_are_an_answer():
    value = QUESTION_TYPE.read({"q-errors": [""], "q-errors-C": ["none"]}, "q-errors", SPEC, SHEET)
    assert value == {"spans": [], "none": ["mole"]}


def test_a_saved_answer_gives_the_form_that_it_came_from():
    value = read(span("A", "👩🏽‍🍳", note="غير صحيح"), span("B", "النحل", "invented"), none="C")
    written = QUESTION_TYPE.write(value, "q-errors", SHEET)
    assert "zebra" not in str(written)
    assert QUESTION_TYPE.read(written, "q-errors", SPEC, SHEET) == value


def test_passages_of_the_document_name_no_output():
    value = {"spans": [{"start": 13, "end": 14, "text": "🐝"}], "none": []}
    QUESTION_TYPE.check(value, DOCUMENT)
    QUESTION_TYPE.check_shown(value, DOCUMENT, SHEET)
    written = QUESTION_TYPE.write(value, "q-errors", SHEET)
    assert QUESTION_TYPE.read(written, "q-errors", DOCUMENT, SHEET) == value
    nothing = {"spans": [], "none": []}
    assert QUESTION_TYPE.read({"q-errors-ALL": ["none"]}, "q-errors", DOCUMENT, SHEET) == nothing
    assert QUESTION_TYPE.write(nothing, "q-errors", SHEET) == {"q-errors-ALL": ["none"]}
    with pytest.raises(ValueInvalidError):
        QUESTION_TYPE.check({"spans": [{**value["spans"][0], "output": "zebra"}], "none": []}, DOCUMENT)
    with pytest.raises(ValueInvalidError):
        QUESTION_TYPE.check({"spans": [], "none": ["zebra"]}, DOCUMENT)


@pytest.mark.parametrize(
    "value",
    [None, [], {}, {"spans": []}, {"spans": [], "none": [1]}, {"spans": {}, "none": []}, {"spans": [[]], "none": []},
     {"spans": [], "none": ["ant", "ant"]}, {"spans": [{}] * 501, "none": []}, {"spans": [], "none": [], "more": 1}],
)  # fmt: skip
def test_a_value_that_is_no_list_of_spans_is_refused(value):
    with pytest.raises(ValueInvalidError):
        QUESTION_TYPE.check(value, SPEC)


def test_a_file_that_names_an_output_of_another_item_is_refused():
    for value in (
        {"spans": [{"output": "owl", "start": 0, "end": 1, "text": "T"}], "none": []},
        {"spans": [], "none": ["owl"]},
    ):
        with pytest.raises(ValueInvalidError, match="'owl'"):
            QUESTION_TYPE.check_shown(value, PLAIN, SHEET)


def test_more_labels_than_the_figures_can_tell_apart_are_refused():
    QUESTION_TYPE.check_spec({"labels": [f"label {number}" for number in range(59)]})
    with pytest.raises(SpecInvalidError, match="at most 59"):
        QUESTION_TYPE.check_spec({"labels": [f"label {number}" for number in range(60)]})
