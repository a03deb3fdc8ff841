"""Tables of how similar systems' outputs are: generic and specific ones, two of one model, any two."""

import pytest

from parts.papers.tables import output_pairs
from tests.parts.papers.made_tables import tables, values
from tests.reports.ranked_studies import choice, items, study

pytestmark = pytest.mark.django_db
TEXTS = {"plain": "the cat sat", "told": "the cat sat on", "drawn": "a dog sat on", "other": "x"}
SYSTEMS = {
    "plain": {"model": "lab/m", "generic": True}, "told": {"model": "lab/m"}, "drawn": {"model": "lab/m"},
    "other": {"model": "lab/o"},
}  # fmt: skip


def test_specific_outputs_are_compared_with_generic_ones(tmp_path):
    """The cat sat (on): 3 of 4 and 3 words are shared, 2 of 3 and 2 pairs of words."""
    lines = [
        choice(key, "m", "overall", "plain", "told", better) for key, better in (("one", "told"), ("two", "plain"))
    ]
    made = study(tmp_path / "generic", items("one", "two", texts=TEXTS), [], lines, systems=SYSTEMS)
    generic, same = tables(made, "instrusum_12", "instrusum_13")
    found = values(generic)
    assert list(found) == [("", "drawn, plain"), ("", "told, plain")]
    told = found["", "told, plain"]
    assert (told["rouge_1"], told["rouge_2"]) == (pytest.approx(6 / 7), pytest.approx(4 / 5))
    assert (told["first_words"], told["second_words"], told["items"], told["win_rate_m"]) == (4, 3, 2, 0.5)
    assert found["", "drawn, plain"]["win_rate_m"] is None
    assert list(values(same)) == [("", "drawn, told")]
    assert (values(same)["", "drawn, told"]["rouge_1"], values(same)["", "drawn, told"]["rouge_2"]) == (0.5, 1 / 3)


def test_all_pairs_are_compared_if_no_systems_belong_together(tmp_path):
    made = study(tmp_path / "any", items("one", texts=TEXTS), [], systems={})
    assert len(values(tables(made, "instrusum_13")[0])) == 6
    assert "instrusum_12" not in tables(made)


def test_many_items_are_sampled(tmp_path, monkeypatch):
    monkeypatch.setattr(output_pairs, "MOST_ITEMS", 2)
    made = study(tmp_path / "many", items("one", "two", "three", texts=TEXTS), [], systems={})
    (table,) = tables(made, "instrusum_13")
    assert {cells["items"] for cells in values(table).values()} == {2}
    assert table["notes"][1] == "At most 2 items per pair of systems, drawn by a seed."
    assert table == tables(made, "instrusum_13")[0]
