import json

import pytest

from agreement.data import collect
from agreement.report import describe

pytestmark = pytest.mark.reference
QUESTIONS = [
    ("qags-cnndm", "supported", "nominal", (0, 1)),
    ("hanna", "relevance", "interval", (1, 5)),
    ("hanna", "coherence", "interval", (1, 5)),
]


@pytest.mark.parametrize(("name", "question", "level", "scale"), QUESTIONS)
def test_public_data_give_the_expected_figures(reference_data, name, question, level, scale):
    lines = (reference_data / name / "ratings.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["question"] == question]
    columns = [[row[key] for row in rows] for key in ("item", "output", "rater", "value")]
    expected = json.loads((reference_data / name / "expected.json").read_text("utf-8"))["questions"][question]
    report = describe(collect(*columns), level=level, scale=scale, replicates=0)
    for figure, value in expected.items():
        if figure != "judges":  # of judges against people, not of agreement
            agrees(report[figure], value)


def agrees(figure, value):
    if isinstance(value, dict):
        for key, part in value.items():
            agrees(figure[key], part)
    elif isinstance(value, float):
        assert figure == pytest.approx(value, abs=5.001e-5)  # the expected figures have four decimals
    else:
        assert figure == value
