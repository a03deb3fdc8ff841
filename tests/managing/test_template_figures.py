"""Studies made from templates give every figure of their papers: with public data if there is any, or worked data."""

import pytest

from reports.figures.agreement_report import agreement_report
from tests.managing.template_data import expected, from_template, public
from tests.parts.papers.tables.test_kiwi_tables import judged  # noqa: F401
from tests.reports.figures.test_agreement_report import differences
from tests.reports.worked_sessions import worked  # noqa: F401
from tests.sessions.conftest import folder, live, models, run_waiting, session  # noqa: F401

pytestmark = pytest.mark.django_db
REPLICATIONS = 20


def same_as_published(study, question, published):
    return differences(published, agreement_report(study)["questions"][question])


@pytest.mark.parametrize(
    ("template", "question", "data", "theirs"),
    [
        ("risum", "how_well", "hanna", "relevance"),
        ("risum", "follows", "qags-cnndm", "supported"),
        ("plain", "quality", "hanna", "coherence"),
        ("href", "better", "pandalm", "preference"),
        ("instrusum", "overall", "wmt16-tur-eng", "overall"),
    ],
)
def test_public_data_gives_the_published_agreement(template, question, data, theirs, reference_data, tmp_path):
    tables = public(reference_data / data, {theirs: question}, "ratings")
    study = from_template(template, tmp_path, tables)
    assert same_as_published(study, question, expected(reference_data / data, theirs)) == []


def test_side_by_side_ratings_have_the_figures_of_nominal_data(tmp_path):
    """The ratings of Krippendorff 2011, example A: ten units, two raters, alpha 0.095."""
    said = {"meg": "0100000010", "owen": "1110010000"}
    words = {"0": "bad", "1": "good"}
    outputs = [{"id": name, "text": name} for name in "abcde"]
    items = [{"id": key, "document": "x", "instruction": "y", "outputs": outputs} for key in ("one", "two")]
    ratings = [
        {"item": items[place // 5]["id"], "output": "abcde"[place % 5], "rater": rater, "question": "quality",
         "value": words[digit]}
        for rater, digits in said.items() for place, digit in enumerate(digits)
    ]  # fmt: skip
    study = from_template("side_by_side", tmp_path, {"items": items, "ratings": ratings})
    found = agreement_report(study, replicates=REPLICATIONS)["questions"]["quality"]
    assert found["alpha_nominal"] == pytest.approx(0.095, abs=5e-4)
    assert found["percent_agreement"] == pytest.approx(0.6)
