import json

import pytest

from agreement.arrays.pair_choices import collect_choices
from agreement.arrays.rankings import collect_rankings
from agreement.arrays.rating_arrays import collect
from agreement.question_figures.pair_report import describe_choices, describe_rankings
from agreement.question_figures.question_report import describe

QUESTIONS = [
    ("qags-cnndm", "supported", "nominal", (0, 1)),
    ("hanna", "relevance", "interval", (1, 5)),
    ("hanna", "coherence", "interval", (1, 5)),
]


@pytest.mark.parametrize(("name", "question", "level", "scale"), QUESTIONS)
def test_public_data_give_the_expected_figures(reference_data, name, question, level, scale):
    rows, expected = read(reference_data / name, question)
    columns = [[row[key] for row in rows] for key in ("item", "output", "rater", "value")]
    report = describe(collect(*columns), level=level, scale=scale, replicates=0)
    for figure, value in expected.items():
        if figure != "judges":  # of judges against people, not of agreement
            agrees(report[figure], value)


def test_public_choices_give_the_expected_figures(reference_data):
    rows, expected = read(reference_data / "pandalm", "preference")
    columns = [[row[key] for row in rows] for key in ("item", "outputs", "rater", "value")]
    winners = [None if value == "tie" else value for value in columns.pop()]
    agrees(describe_choices(collect_choices(*columns, winners), replicates=0), expected)


def test_public_rankings_with_ties_gaps_and_repeats_give_the_expected_figures(reference_data):
    rows, expected = read(reference_data / "wmt16-tur-eng", "overall")
    columns = [[row[key] for row in rows] for key in ("item", "rater", "value")]
    agrees(describe_rankings(collect_rankings(*columns), replicates=0), expected)


def read(folder, question):
    """The rows of a question and its expected figures."""
    rows = map(json.loads, (folder / "ratings.jsonl").read_text("utf-8").splitlines())
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["questions"][question]
    return [row for row in rows if row["question"] == question], expected


def agrees(figure, value):
    if isinstance(value, dict):
        for key, part in value.items():
            agrees(figure[key], part)
    elif isinstance(value, list):
        for own, part in zip(figure, value, strict=True):
            agrees(own, part)
    elif isinstance(value, float):
        assert figure == pytest.approx(value, abs=5.001e-5)  # the expected figures have four decimals
    else:
        assert figure == value
