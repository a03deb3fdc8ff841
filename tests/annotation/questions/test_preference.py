"""Which of two is better: what is read from a form, what fits, what is refused."""

import pytest

from annotation.answers import Sheet
from annotation.questions import SpecInvalidError, ValueInvalidError, question_types
from config.model_fields import canonical_json

pytestmark = pytest.mark.quick
KIND = question_types()["preference"]
SHEET = Sheet.of(["north", "south"])


def read(raw, spec=None, sheet=SHEET):
    return KIND.read({"q-better": [raw]}, "q-better", spec or {}, sheet)


@pytest.mark.parametrize(("raw", "value"), [("A", "north"), ("B", "south"), ("tie", "tie"), ("", None)])
def test_a_letter_is_read_as_the_key_of_the_output_shown_under_it(raw, value):
    assert read(raw) == value
    assert read(raw, sheet=Sheet.of(["south", "north"])) == {"north": "south", "south": "north"}.get(value, value)


@pytest.mark.parametrize("value", ["north", "south", "tie"])
def test_an_answer_that_was_read_is_written_as_it_was_typed(value):
    form = KIND.write(value, "q-better", SHEET)
    assert KIND.read(form, "q-better", {}, SHEET) == value
    assert canonical_json(form).count("north") == 0


@pytest.mark.parametrize("raw", ["C", "a", "north", "Tie", "AB", " A"])
def test_a_letter_that_was_not_shown_is_refused_and_names_no_system(raw):
    with pytest.raises(ValueInvalidError, match="choose one of A, B") as problem:
        read(raw)
    assert "south" not in str(problem.value)


def test_a_tie_is_refused_if_ties_are_off():
    assert KIND.check("tie", {}) == KIND.check("tie", {"allow_tie": True}) == "tie"
    for check in (KIND.check, KIND.check_machine):
        with pytest.raises(ValueInvalidError, match="does not allow ties"):
            check("tie", {"allow_tie": False})


@pytest.mark.parametrize("value", [None, 0, 1, True, 1.5, "", [], ["north"], {"north": 1}])
def test_only_a_text_is_an_answer(value):
    for check in (KIND.check, KIND.check_machine):
        with pytest.raises(ValueInvalidError, match="id of the better output"):
            check(value, {})


def test_the_winner_must_be_one_of_the_pair():
    for value in ("north", "south", "tie"):
        KIND.check_shown(value, {}, SHEET)
    with pytest.raises(ValueInvalidError, match="must be one of the outputs compared") as problem:
        KIND.check_shown("west", {}, SHEET)
    assert "south" not in str(problem.value)


@pytest.mark.parametrize("allow_tie", ["yes", 1, [], "true"])
def test_whether_ties_are_allowed_is_true_or_false(allow_tie):
    with pytest.raises(SpecInvalidError, match="allow_tie"):
        KIND.check_spec({"allow_tie": allow_tie})


def test_the_form_offers_left_tie_right_by_letters_and_arrows():
    shown = KIND.shown({"q-better": ["B"]}, "q-better", {}, SHEET)
    assert [(one["value"], one["key"], one["chosen"]) for one in shown["choices"]] == [
        ("A", "arrowleft", False),
        ("tie", "arrowdown", False),
        ("B", "arrowright", True),
    ]
    assert "north" not in canonical_json(shown)


def test_no_tie_is_offered_if_ties_are_off():
    shown = KIND.shown({}, "q-better", {"allow_tie": False}, SHEET)
    assert [one["value"] for one in shown["choices"]] == ["A", "B"]


def test_its_level_is_a_choice_and_it_has_no_number():
    assert KIND.level == "choice"
    assert KIND.number("north") is None
