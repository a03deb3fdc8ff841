"""Best and worst: what a form may say, what a file may say, and what machines may answer."""

import pytest

from annotation.answers import Sheet, Unit
from annotation.machine_shapes import check_answer_shown, checked_answer
from annotation.models import Question
from annotation.protocols import protocols
from annotation.questions import SpecInvalidError, ValueInvalidError, question_types

pytestmark = pytest.mark.quick
KIND = question_types()["best_worst"]
SHEET = Sheet.of(["zebra", "ant", "mole"])
VALUE = {"best": "mole", "worst": "zebra"}
QUESTION = Question(key="extremes", type="best_worst", spec={})


def read(best="", worst=""):
    return KIND.read({"q-extremes-B": [best], "q-extremes-W": [worst]}, "q-extremes", {}, SHEET)


def test_the_question_is_asked_once_per_task():
    KIND.check_spec({"per": "task"})
    with pytest.raises(SpecInvalidError, match="per must be task"):
        KIND.check_spec({"per": "output"})


def test_a_form_names_outputs_by_letter_and_the_answer_by_key():
    assert read("C", "A") == VALUE
    assert read() is None
    assert KIND.write(VALUE, "q-extremes", SHEET) == {"q-extremes-B": ["C"], "q-extremes-W": ["A"]}
    assert KIND.read(KIND.write(VALUE, "q-extremes", SHEET), "q-extremes", {}, SHEET) == VALUE


@pytest.mark.parametrize(
    ("best", "worst", "said"),
    [("A", "", "lacks the worst output"), ("", "A", "lacks the best output"),
     ("B", "B", "gives B as best and as worst"), ("A", "zebra", "a worst output that was not shown"),
     ("D", "A", "names a best output that was not shown: choose one of A, B, C")],
)  # fmt: skip
def test_an_invalid_form_is_refused_by_letter_and_never_by_key(best, worst, said):
    with pytest.raises(ValueInvalidError, match=said) as problem:
        read(best, worst)
    assert not any(key in str(problem.value) for key in SHEET.keys)


def test_what_was_chosen_is_shown_again_also_if_it_is_incomplete():
    shown = KIND.shown({"q-extremes-B": ["C"]}, "q-extremes", {}, SHEET)
    assert [(row["side"], [one["letter"] for one in row["choices"] if one["chosen"]]) for row in shown["rows"]] == [
        ("best", ["C"]), ("worst", []),
    ]  # fmt: skip
    assert shown["value"] == "C best"


@pytest.mark.parametrize(
    "value", [None, {}, [], "mole", {"best": "mole"}, {"best": 1, "worst": 2}, {"best": "a", "worst": "b", "why": "c"}]
)
def test_a_value_without_exactly_a_best_and_a_worst_output_is_refused(value):
    with pytest.raises(ValueInvalidError, match="must be"):
        KIND.check(value, {})


def test_a_file_that_names_an_output_twice_or_an_unknown_one_is_refused():
    with pytest.raises(ValueInvalidError, match="the same output"):
        KIND.check({"best": "mole", "worst": "mole"}, {})
    KIND.check_shown(KIND.check(VALUE, {}), {}, SHEET)
    with pytest.raises(ValueInvalidError, match="names 'owl' as worst"):
        KIND.check_shown({"best": "mole", "worst": "owl"}, {}, SHEET)


def answered(value, unit=None):
    return checked_answer(QUESTION, protocols()["listwise"], unit or Unit(), value)


def test_machines_may_name_best_and_worst_or_score_choose_or_rank():
    assert answered(VALUE).shape == ("extremes", "task")
    assert answered({"zebra": 1, "ant": 2}).shape == ("rank", "task")
    assert answered({"best": 1, "worst": 2}).shape == ("rank", "task")  # a ranking of outputs that are called so
    assert answered(3, Unit("zebra")).shape == ("interval", "output")
    assert answered("ant", Unit("zebra", "ant")).shape == ("choice", "pair")
    for neither in ("mole", 3):
        with pytest.raises(ValueInvalidError, match="must be"):
            answered(neither)


def test_a_machine_may_only_name_outputs_that_it_was_shown():
    check_answer_shown(answered(VALUE), SHEET, ["mole", "zebra"], {})
    with pytest.raises(ValueInvalidError, match="'mole' as best"):
        check_answer_shown(answered(VALUE), SHEET, ["ant", "zebra"], {})
