"""AlpacaEval's outputs and preferences, by models and by people."""

import pytest
from django.core.management import CommandError

from annotation.models import Rating
from tests.annotation.importing.other_tools.conftest import ratings_of


def preference(value, annotator="judge-a", first="ada", second="bea", instruction="Write.", **more):
    return {"instruction": instruction, "output_1": f"{instruction} {first}", "generator_1": first,
            "output_2": f"{instruction} {second}", "generator_2": second, "dataset": "toy", "preference": value,
            "annotator": annotator, "time_per_example": 1.5, "price_per_example": 0.01, **more}  # fmt: skip


def test_preferences_of_several_annotators_move_with_the_order_shown(written, moved):
    outputs = written("model_outputs.json", [
        {"instruction": "Write.", "output": "Write. cyd", "generator": "cyd", "dataset": "toy"},
    ])  # fmt: skip
    judged = written("annotations.json", [
        preference(1, raw_completion="m"), preference(2, "judge-b", "bea", "ada"),
        preference(1.5, "judge-b", instruction="Sing."),
        preference(1.9998, "judge-c"), preference(None, "judge-c", instruction="Sing."),
        preference(2, None, annotator_index=3),
    ])  # fmt: skip
    study, said = moved("alpaca-eval", outputs, judged)
    assert study.protocol == "pairwise"
    found = {(item, rater): (value, shown) for item, rater, _, value, shown in ratings_of(study, "shown")}
    write, sing = (study.items.get(instruction=text).key for text in ("Write.", "Sing."))
    assert found == {
        (write, "judge-a"): ("ada", ["ada", "bea"]), (write, "judge-b"): ("ada", ["bea", "ada"]),
        (sing, "judge-b"): ("tie", ["ada", "bea"]), (write, "judge-c"): ("bea", ["ada", "bea"]),
        (write, "annotator-3"): ("bea", ["ada", "bea"]),
    }  # fmt: skip
    assert [output.key for output in study.items.get(key=write).outputs.order_by("position")] == ["cyd", "ada", "bea"]
    assert set(Rating.objects.filter(rater__kind="human").values_list("rater__name", flat=True)) == {"annotator-3"}
    assert [one.explanation for one in Rating.objects.filter(rater__name="judge-a")] == ["m"]
    assert "1: comparisons without a preference." in said
    assert "1: weights of preferences between 1 and 2" in said


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (preference(3), r"record 1\.preference: must be a number from 1 to 2"),
        (preference(1, None), r"record 1\.annotator: is missing"),
        ({"instruction": "Write.", "output": "x"}, r"record 1\.generator: is missing"),
        (preference(1, output_1=5), r"record 1\.output_1: must be a text"),
    ],
)
def test_what_is_not_understood_names_its_record(written, moved, line, message):
    with pytest.raises(CommandError, match=message):
        moved("alpaca-eval", written("annotations.json", [line]))


def test_an_output_that_differs_is_refused(written, moved):
    lines = [preference(1), preference(1, "judge-b", output_1="Something else.")]
    with pytest.raises(CommandError, match=r"record 2\.output: differs in \"ada\" from an earlier record"):
        moved("alpaca-eval", written("annotations.json", lines))
