"""Tables of judges by model and protocol: correlations with people, their averages, consistency."""

import pytest

from parts.papers.rows.judge_methods import JudgeMethod, judge_methods
from tests.parts.papers.made_tables import tables, values
from tests.reports.ranked_studies import items, judged, ranking, run, study

pytestmark = pytest.mark.django_db
NAMES = ("weak", "middle", "strong", "edited")
ITEMS = items("one", "two")


def scores(rater, question, *numbers):
    given = [(key, *one) for key in ("one", "two") for one in zip(NAMES, numbers, strict=True)]
    return [judged(key, rater, question, value, output=name) for key, name, value in given]


@pytest.fixture
def made(tmp_path):
    """`m` by two protocols, `w` by one, in both dimensions; people order weak, middle, strong, edited."""
    people = [
        ranking(key, "ann", question, 4, 3, 2, 1) for key in ("one", "two") for question in ("overall", "missing")
    ]
    lines = [
        *scores("m-eval", "overall", 1, 2, 3, 4), *scores("m-eval", "missing", 4, 3, 2, 1),
        *scores("m-rank", "overall", 1, 2, 4, 3), *scores("m-rank", "missing", 1, 2, 3, 4),
        *scores("w-eval", "overall", 1, 2, 3, 4), *scores("plain", "overall", 1, 2, 3, 4),
    ]  # fmt: skip
    runs = [run("m-eval", "llm_eval"), run("m-rank", "llm_rank"), run("w-eval", "llm_eval", "lab/w")]
    return study(tmp_path / "protocols", ITEMS, people, lines, runs)


def test_correlations_are_by_model_and_protocol(made):
    (table,) = tables(made, "instrusum_6")
    found = values(table)
    assert list(found) == [("overall", "lab/m"), ("overall", "lab/w"), ("missing", "lab/m")]
    own = found["overall", "lab/m"]
    assert (own["llm_eval.item_kendall_tau_b"], own["llm_eval.system_kendall_tau_b"]) == (1, 1)
    assert own["llm_rank.item_kendall_tau_b"] == pytest.approx(4 / 6)  # one of six pairs is turned
    assert found["missing", "lab/m"]["llm_eval.item_kendall_tau_b"] == -1
    cell = table["rows"][1]["cells"]["llm_rank.item_kendall_tau_b"]
    assert cell == {"value": None, "reason": "no judge of this model answered the question by this protocol"}


def test_models_are_averaged_over_what_all_have(made):
    (table,) = tables(made, "instrusum_figure_2")
    assert values(table) == {
        ("", "lab/m"): {"system_kendall_tau_b": 0, "item_kendall_tau_b": 0},  # of 1 and -1, by llm_eval
        ("", "lab/w"): {"system_kendall_tau_b": 1, "item_kendall_tau_b": 1},
    }
    assert "llm_eval." in table["notes"][0]
    assert (table["drawing"]["kind"], table["drawing"]["low"], table["drawing"]["high"]) == ("dots", -1, 1)


def test_consistency_is_between_two_protocols_of_a_model(made):
    (table,) = tables(made, "instrusum_7")
    ((place, own),) = values(table).items()
    assert place == ("llm_eval, llm_rank", "lab/m")
    assert own["overall.item_kendall_tau_b"] == pytest.approx(4 / 6)
    assert own["missing.item_kendall_tau_b"] == -1
    assert own["mean.item_kendall_tau_b"] == pytest.approx(-1 / 6)


def test_judges_of_one_method_are_told_apart(made, tmp_path):
    again = [run("n-eval", "llm_eval")]
    study(tmp_path / "protocols", [], [], scores("n-eval", "overall", 4, 3, 2, 1), again)
    assert judge_methods(made)["n-eval"] == JudgeMethod("lab/m", "llm_eval (n-eval)")
    found = values(tables(made, "instrusum_6")[0])["overall", "lab/m"]
    assert (found["llm_eval.item_kendall_tau_b"], found["llm_eval (n-eval).item_kendall_tau_b"]) == (1, -1)


def test_reruns_are_averaged_with_their_spread_and_standard_errors(tmp_path):
    """The first rerun has people's order, the second turns it: rank distances of 0 and 1."""
    people = [ranking(key, "ann", "overall", 4, 3, 2, 1) for key in ("one", "two")]
    lines = [
        {**one, "run": "1", "replicate": number}
        for number, numbers in ((1, (1, 2, 3, 4)), (2, (4, 3, 2, 1)))
        for one in scores("m", "overall", *numbers)
    ]
    made = study(tmp_path / "reruns", ITEMS, people, lines, [run("m", "llm_eval")])
    (table,) = tables(made, "risum_4")
    own = next(row["cells"] for row in table["rows"] if row["name"] == "m")
    assert (own["rank_distance"]["value"], own["rank_distance"]["se"]) == (0.5, 0)
    assert own["rank_distance"]["spread"] == pytest.approx(0.5**0.5)
    assert own["auc_roc"] == {"value": None, "reason": "people answered no question with yes or no"}
