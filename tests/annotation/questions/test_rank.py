"""Ranks: what a form may say, what a file may say, and how gaps are closed."""

import pytest

from annotation.answers import Sheet
from annotation.questions import SpecInvalidError, ValueInvalidError
from annotation.questions.rank import QUESTION_TYPE, closed

pytestmark = pytest.mark.quick
SPEC = {"ranks": 5, "allow_ties": True}
STRICT = {"ranks": 5, "allow_ties": False}
SHEET = Sheet.of(["zebra", "ant", "mole"])


def form(**ranks):
    return {f"q-overall-{letter}": [rank] for letter, rank in ranks.items()}


def read(spec=SPEC, **ranks):
    return QUESTION_TYPE.read(form(**ranks), "q-overall", spec, SHEET)


@pytest.mark.parametrize(
    "spec",
    [{}, {"ranks": 1}, {"ranks": 101}, {"ranks": "5"}, {"ranks": True}, {"ranks": 5, "allow_ties": "no"},
     {"ranks": 5, "per": "output"}],
)  # fmt: skip
def test_a_question_that_cannot_be_asked_is_refused(spec):
    with pytest.raises(SpecInvalidError):
        QUESTION_TYPE.check_spec(spec)


def test_a_form_names_outputs_by_letter_and_the_answer_by_key():
    assert read(A="1", B="3", C="2") == {"zebra": 1, "ant": 3, "mole": 2}


def test_gaps_close_and_after_a_tie_the_next_rank_is_the_next_number():
    assert read(A="2", B="5", C="2") == {"zebra": 1, "ant": 2, "mole": 1}
    assert closed({"a": 4, "b": 2, "c": 4, "d": 9}) == {"a": 2, "b": 1, "c": 2, "d": 3}


def test_an_empty_form_is_no_answer():
    assert read() is None
    assert read(A="", B=" ", C="") is None


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ({"A": "1"}, "leaves out B and C"),
        ({"A": "1", "B": "2", "C": ""}, "leaves out C"),
        ({"A": "1", "B": "0", "C": "6"}, "whole number from 1 to 5 for B and C"),
        ({"A": "1", "B": "1.5", "C": "2"}, "whole number from 1 to 5 for B"),
        ({"A": "1", "B": "2", "C": "٣"}, "for C"),
        ({"A": "1", "B": "2", "C": "-1"}, "for C"),
        ({"A": "1", "B": "2", "C": "9" * 5000}, "for C"),
        ({"A": "1", "B": "2", "C": "3", "D": "4"}, "ranks D, which was not shown"),
    ],
)
def test_an_invalid_form_is_refused_by_letter_and_never_by_key(ranks, said):
    with pytest.raises(ValueInvalidError, match=said) as problem:
        read(**ranks)
    assert not any(key in str(problem.value) for key in SHEET.keys)


def test_ties_are_refused_by_letter_if_they_are_off():
    assert read(STRICT, A="1", B="4", C="2") == {"zebra": 1, "ant": 3, "mole": 2}
    with pytest.raises(ValueInvalidError, match="gives A and C the same rank"):
        read(STRICT, A="1", B="4", C="1")


def test_other_questions_fields_are_not_read():
    fields = form(A="1", B="2", C="3") | {"q-overall-why": ["5"], "q-overall-AAA": ["5"], "q-over-A": ["x"]}
    assert QUESTION_TYPE.read(fields, "q-overall", SPEC, SHEET) == {"zebra": 1, "ant": 2, "mole": 3}


def test_a_saved_answer_gives_the_form_that_it_came_from():
    value = read(A="1", B="2", C="2")
    written = QUESTION_TYPE.write(value, "q-overall", SHEET)
    assert written == form(A="1", B="2", C="2")
    assert QUESTION_TYPE.read(written, "q-overall", SPEC, SHEET) == value


def test_typed_values_are_shown_again_whether_valid_or_not():
    shown = QUESTION_TYPE.shown(form(A="1", B="nine"), "q-overall", SPEC, SHEET)
    assert [(row["letter"], row["value"]) for row in shown["rows"]] == [("A", "1"), ("B", "nine"), ("C", "")]
    assert shown["tiers"] == [1, 2, 3]


def test_a_file_may_keep_gaps_and_leave_outputs_out():
    value = {"zebra": 5, "mole": 2}
    assert QUESTION_TYPE.check(value, SPEC) is value
    QUESTION_TYPE.check_shown(value, SPEC, SHEET)
    QUESTION_TYPE.check_options(value, SPEC, {})


def test_gaps_in_a_file_are_refused_if_the_study_has_dense_ranks():
    QUESTION_TYPE.check_options({"zebra": 1, "mole": 1, "ant": 2}, SPEC, {"dense": True})
    for gap in ({"zebra": 2}, {"zebra": 1, "mole": 3}):
        with pytest.raises(ValueInvalidError, match="dense"):
            QUESTION_TYPE.check_options(gap, SPEC, {"dense": True})


@pytest.mark.parametrize(
    "value",
    [None, {}, [], "1", 1, {"a": 0}, {"a": 6}, {"a": 1.0}, {"a": True}, {"a": "1"}, {"a": None},
     {"a": float("nan")}, {1: 1}],
)  # fmt: skip
def test_a_value_that_is_no_ranking_is_refused(value):
    with pytest.raises(ValueInvalidError):
        QUESTION_TYPE.check(value, SPEC)


def test_a_tie_in_a_file_is_refused_if_ties_are_off():
    with pytest.raises(ValueInvalidError, match="ties are not allowed"):
        QUESTION_TYPE.check({"a": 1, "b": 1}, STRICT)


def test_a_file_that_ranks_an_output_of_another_item_is_refused():
    with pytest.raises(ValueInvalidError, match="'owl'"):
        QUESTION_TYPE.check_shown({"zebra": 1, "owl": 2}, SPEC, SHEET)
