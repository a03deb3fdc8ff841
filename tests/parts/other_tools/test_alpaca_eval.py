"""AlpacaEval's outputs and preferences, by models and by people."""

import pytest
from django.core.management import CommandError

from annotation.models import Rating
from tests.parts.other_tools.conftest import ratings_of


def preference(value, annotator="judge-a", first="ada", second="bea", instruction="Write.", **more):
    return {"instruction": instruction, "output_1": f"{instruction} {first}", "generator_1": first,
            "output_2": f"{instruction} {second}", "generator_2": second, "dataset": "toy", "preference": value,
            "annotator": annotator, "time_per_example": 1.5, "price_per_example": 0.01, **more}  # fmt: skip


def test_preferences_of_several_annotators_move_without_the_order_that_the_tool_drew(written, moved):
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
        (write, "judge-a"): ("ada", []), (write, "judge-b"): ("ada", []), (sing, "judge-b"): ("tie", []),
        (write, "judge-c"): ("bea", []), (write, "annotator-3"): ("bea", []),
    }  # fmt: skip
    assert [output.key for output in study.items.get(key=write).outputs.order_by("position")] == ["cyd", "ada", "bea"]
    assert set(Rating.objects.filter(rater__kind="human").values_list("rater__name", flat=True)) == {"annotator-3"}
    assert [one.explanation for one in Rating.objects.filter(rater__name="judge-a")] == ["m"]
    assert "1: comparisons without a preference." in said
    assert Rating.objects.get(rater__name="judge-c").distribution == pytest.approx({"ada": 0.0002, "bea": 0.9998})
    assert set(Rating.objects.exclude(rater__name="judge-c").values_list("distribution", flat=True)) == {None}
    assert "The order in which they were shown is not known." in said


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


def test_draws_and_weights_stay_and_no_order_is_invented(written, moved):
    values = [0, 1.5, 1, 2, 1.3, 1.75, -1, None]
    judged = written("annotations.json", [preference(one, instruction=f"Write {n}.") for n, one in enumerate(values)])
    _, said = moved("alpaca-eval", judged)
    rows = Rating.objects.order_by("item__instruction").values_list("value", "shown", "distribution")
    assert [(value, shown) for value, shown, _ in rows] == [
        ("tie", []),
        ("tie", []),
        ("ada", []),
        ("bea", []),
        ("ada", []),
        ("bea", []),
    ]
    weights = [distribution for *_, distribution in rows]
    assert weights[:4] == [None] * 4
    assert weights[4:] == [pytest.approx({"ada": 0.7, "bea": 0.3}), {"ada": 0.25, "bea": 0.75}]
    assert "2: comparisons without a preference." in said


def crossed(value, annotator, first="One.", second="Two."):
    """A line of people's cross-annotations, which names no models."""
    return {
        "instruction": "Write.",
        "output_1": first,
        "output_2": second,
        "preference": value,
        "annotator_index": annotator,
        "dataset": "toy",
        "datasplit": "eval",
    }


def test_cross_annotations_of_people_name_no_systems(written, moved):
    file = written(
        "human.json",
        [
            crossed(1, 3),
            crossed(2, 4),
            crossed(0, 5),
            crossed(1, 6, "Two.", "One."),
            crossed(2, 3, "One.", "Three."),
        ],
    )
    _, said = moved("alpaca-eval", file)
    chosen = {
        (one.item.outputs.get(key="output_2").text, one.rater.name): one.value
        and (one.value if one.value == "tie" else one.item.outputs.get(key=one.value).text)
        for one in Rating.objects.all()
    }
    assert chosen == {
        ("Two.", "annotator-3"): "One.",
        ("Two.", "annotator-4"): "Two.",
        ("Two.", "annotator-5"): "tie",
        ("Two.", "annotator-6"): "Two.",
        ("Three.", "annotator-3"): "Three.",
    }
    assert set(Rating.objects.values_list("rater__kind", flat=True)) == {"human"}
    assert "5: comparisons of unnamed models: output_1 and output_2 are columns of the file, not systems." in said
