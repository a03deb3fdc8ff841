"""On how many items the figures of a system rest, in reports, tables and files."""

import pytest

from agreement.intervals.bootstrap import NO_VARIATION, TOO_FEW_ITEMS
from annotation.members.membership import add_member
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from tests.files.writing.conftest import item, write_study
from tests.reports.computing import compute_requested, read

pytestmark = pytest.mark.django_db


def rating(number, output, value, rater="ann"):
    return {"item": f"i{number}", "output": output, "rater": rater, "question": "how_well", "value": value}


@pytest.fixture
def study(tmp_path):
    """System a has four items, b two items with one value, c one item with the highest value."""
    items = [item("i0", outputs=("a", "b", "c")), item("i1", outputs=("a", "b"))]
    items += [item(f"i{number}", outputs=("a",)) for number in (2, 3)]
    ratings = [
        rating(0, "c", 5),
        *(rating(n, "b", 3, rater) for n in (0, 1) for rater in ("ann", "bob")),
        *(rating(n, "a", value) for n, value in enumerate((1, 2, 4, 2))),
    ]
    return import_study(write_study(tmp_path / "in", items, ratings, [])).study


def test_a_system_of_one_item_or_one_value_has_no_interval_but_the_number_of_its_items(study):
    question = agreement_report(study, replicates=100)["questions"]["how_well"]
    assert question["system_mean_items"] == {"a": 4, "b": 2, "c": 1}
    assert question["system_mean"]["c"] == 5
    assert (question["system_mean_ci"]["c"], question["system_mean_ci"]["b"]) == (None, None)
    assert question["undefined"]["system_mean_ci.c"] == TOO_FEW_ITEMS
    assert question["undefined"]["system_mean_ci.b"] == NO_VARIATION
    assert question["system_mean_ci"]["a"] is not None
    assert question["aggregates"]["mean"]["c"]["score_ci"] is None


def test_tables_and_their_files_say_on_how_many_items_they_rest(study, owner, client):
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    shown = read(client, f"/studies/{study.slug}/report/").content.decode()
    assert 'data-label="Items"' in shown
    assert "n = 9 ratings, 2 raters, 4 items." in shown
    compute_requested()
    names = {table for table in ("q1-systems", "q2-systems", "q3-systems") if f'id="{table}"' in shown}
    (name,) = names
    text = client.get(f"/studies/{study.slug}/report/files/{name}.csv").content.decode()
    assert text.splitlines()[0].endswith(",items")
    latex = client.get(f"/studies/{study.slug}/report/files/{name}.tex").content.decode()
    assert "n = 9 ratings, 2 raters, 4 items." in latex
    assert r"Brackets hold 95 \% intervals." in latex


def test_no_system_of_one_item_stands_at_the_top_with_an_interval(reference_data):
    question = agreement_report(import_study(reference_data / "wmt16-tur-eng").study, replicates=50)
    figures = next(iter(question["questions"].values()))
    few = [name for name, items in figures["system_score_items"].items() if items < 2]
    assert len(few) >= 10
    assert all(figures["system_score_ci"][name] is None for name in few)
    wide = [ci for ci in figures["system_score_ci"].values() if ci is not None]
    assert all(low < high for low, high in wide)
