"""What a look finds of each figure that a plan can name, for each shape of answer."""

import pytest

from files.reading import import_study
from parts.stopping import look_figures as looking_at
from parts.stopping.plan_spec import LEVELS as FIGURES
from parts.stopping.plan_spec import read_stopping
from parts.stopping.plan_words import FIGURE_WORDS, plan_in_words
from reports.figures import figures_by_level
from tests.files.writing.conftest import write_study

NAMES = ("east", "north", "west")
QUESTIONS = [
    {"key": "overall", "type": "rank", "ranks": 3}, {"key": "ends", "type": "best_worst"},
    {"key": "wrong", "type": "spans", "severities": {"minor": 1, "major": 5}},
    {"key": "good", "type": "likert", "min": 1, "max": 5, "per": "output"},
]  # fmt: skip
OF_QUESTION = {
    "overall": ("alpha_masi", "alpha_implied_pairs", "alpha_masi_rankings", "alpha_ordinal_ranks",
                "alpha_interval_ranks", "win_rate", "score"),
    "ends": ("alpha_best", "alpha_worst", "alpha_implied_pairs", "win_rate", "score"),
    "wrong": ("span_alpha", "severity_alpha"),
    "good": ("alpha", "alpha_ordinal", "win_rate", "score"),
}  # fmt: skip


def test_every_level_of_measurement_with_figures_has_one_that_a_plan_can_name():
    assert {level for levels in FIGURES.values() for level in levels} == set(figures_by_level.LEVELS)
    assert set(FIGURE_WORDS) == set(FIGURES)
    assert {name for names in OF_QUESTION.values() for name in names} == set(FIGURES)


def values(number, rater):
    """What a rater says of an item; raters differ on some items."""
    turned = (number + (number % 4 == 0) * rater) % 3
    order = [*NAMES[turned:], *NAMES[:turned]]
    span = {"output": order[0], "start": 0, "end": 3 + rater, "text": f"text of {order[0]}"[: 3 + rater]}
    severity = "major" if number % 2 else "minor"
    yield "overall", None, {name: place for place, name in enumerate(order, 1)}
    yield "ends", None, {"best": order[0], "worst": order[-1]}
    yield "wrong", None, {"spans": [{**span, "severity": severity}], "none": [order[1], order[2]]}
    for place, name in enumerate(order):
        yield "good", name, 5 - place - (number % 5 == 0) * rater


@pytest.mark.django_db
def test_a_look_has_a_value_and_an_interval_of_each_figure(tmp_path, monkeypatch):
    items = [
        {"id": f"i{number:02}", "outputs": [{"id": name, "text": f"text of {name}"} for name in NAMES]}
        for number in range(24)
    ]
    ratings = [
        {"item": f"i{number:02}", "rater": f"r{rater}", "question": key, "value": value,
         **({"output": output} if output else {})}
        for number in range(24) for rater in range(2) for key, output, value in values(number, rater)
    ]  # fmt: skip
    rules = [
        {"figure": figure, "question": key, "until": "width", "width": 0.5}
        for key, figures in OF_QUESTION.items() for figure in figures
    ]  # fmt: skip
    stopping = {"looks": [50], "rules": rules}
    more = {"protocol": "listwise", "questions": QUESTIONS, "stopping": stopping}
    study = import_study(write_study(tmp_path / "s", items, ratings, **more)).study
    monkeypatch.setattr(looking_at, "count_answers", lambda study: 50)  # imported answers have no places
    _, found = looking_at.look_figures(study, read_stopping(stopping), [])
    assert len(found["rules"]) == len(rules)
    for rule in found["rules"]:
        assert rule["items"] == 24, rule["figure"]
        assert rule["targets"], rule["figure"]
        for target in rule["targets"]:
            assert target["value"] is not None, rule
            assert target["interval"] is not None, rule
    assert "ordinal alpha of ranks of overall is at most 0.5 wide" in " ".join(plan_in_words(read_stopping(stopping)))
