"""Weighted win rates of a file of AlpacaEval, with its draws and without an order that nobody knows."""

import json

import pytest
from django.core.management import call_command

from files.reading import import_study
from reports.figures.meta_evaluation_report import meta_evaluation

pytestmark = [pytest.mark.django_db]
PREFERENCES = [1.0, 2.0, 1.3, 1.9, 1.6, 1.5, 0, 1.25]
"""Of output 2; 1.5 and 0 are draws."""


@pytest.fixture
def study(tmp_path):
    lines = [
        {
            "instruction": f"Write {n}.",
            "output_1": f"A {n}.",
            "generator_1": "base",
            "output_2": f"B {n}.",
            "generator_2": "new",
            "annotator": "judge",
            "preference": value,
        }
        for n, value in enumerate(PREFERENCES)
    ]
    (tmp_path / "annotations.json").write_text(json.dumps(lines))
    call_command("convert", "alpaca-eval", str(tmp_path / "annotations.json"), out=tmp_path / "moved")
    return import_study(tmp_path / "moved").study


def test_the_weighted_rate_is_the_tools_and_draws_stay(study):
    table = meta_evaluation(study, replicates=10)["tables"]["alpaca_eval_wins"]
    rows = {row["name"]: row["cells"] for row in table["rows"]}
    weights = [(value or 1.5) - 1 for value in PREFERENCES]
    assert rows["new"]["weighted_win_rate"]["value"] == pytest.approx(sum(weights) / len(weights))
    assert rows["base"]["weighted_win_rate"]["value"] == pytest.approx(1 - sum(weights) / len(weights))
    assert rows["new"]["win_rate"]["value"] == pytest.approx((3 + 2 / 2) / 8)
    assert {cells["comparisons"]["value"] for cells in rows.values()} == {8}
    low, high = (rows["new"]["weighted_win_rate"][end] for end in ("low", "high"))
    assert 0 <= low < rows["new"]["weighted_win_rate"]["value"] < high <= 1
    assert table["rows"][0]["name"] == "new"  # the better one


def test_no_effect_of_the_position_is_made_up(study, tmp_path):
    lines = [json.loads(line) for line in (tmp_path / "moved" / "scores.jsonl").read_text().splitlines()]
    people = [{**line, "rater": "ann", "submitted_at": "2026-03-01T10:00:00Z"} for line in lines]
    for line in people:
        line.pop("rater_kind")
        line.pop("distribution", None)
    folder = tmp_path / "people"
    folder.mkdir()
    body = json.loads((tmp_path / "moved" / "study.json").read_text())
    (folder / "study.json").write_text(json.dumps({**body, "slug": "people"}))
    (folder / "items.jsonl").write_bytes((tmp_path / "moved" / "items.jsonl").read_bytes())
    (folder / "ratings.jsonl").write_text("".join(json.dumps(line) + "\n" for line in people))
    (folder / "scores.jsonl").write_bytes((tmp_path / "moved" / "scores.jsonl").read_bytes())
    judge = meta_evaluation(import_study(folder).study, replicates=10)["questions"]["preference"]["judges"]["judge"]
    assert judge["position_bias"] is None
    assert "order" in judge["undefined"]["position_bias"]
