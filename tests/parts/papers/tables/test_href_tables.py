"""HREF's tables of a study of four items, against figures worked out by hand."""

import pytest
from scipy.stats import ttest_rel

from files.reading import import_study
from parts.papers.figures.system_separation import sample_sizes
from parts.papers.judge_facts import facts_of
from reports.pages.display.shown_tables import shown_table
from reports.pages.display.table_formats import as_latex
from tests.parts.papers.tables.href_study import CONFIGURATION, cells, made, tables, values
from tests.reports.comparing import RANKS
from tests.reports.comparing import made as made_folder

pytestmark = pytest.mark.django_db
HREF = (
    "href_2", "href_2_composite", "href_4", "href_4_decoding", "href_4_sets", "href_5_length", "href_6", "href_6_pairs",
)  # fmt: skip


@pytest.fixture
def based(tmp_path):
    return made(tmp_path)


def test_a_judge_is_held_against_all_people_but_one_in_each_category(based):
    """Item 2: people say +, +, -; against the sets of two, + scores 1/2, 1/2 and 1, and - scores 1/2, 1/2 and 0."""
    table = tables(based)["href_2"]
    good, bad, people = (values(table, name) for name in ("good", "bad", "one more person"))
    assert (good["all"], good["category:news"], good["category:sport"]) == pytest.approx((5 / 6, 5 / 6, 5 / 6))
    assert (bad["all"], bad["category:news"], bad["category:sport"]) == pytest.approx((5 / 12, 1 / 6, 2 / 3))
    assert (people["all"], people["category:news"], people["category:sport"]) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert (good["model"], good["reference"], good["prompt"]) == ("served/judge", "human, as context", "C")
    assert cells(table, "bad")["model"] == {"value": None, "reason": "no run says so"}
    assert cells(table, "good")["all"]["mark"]
    assert "mark" not in cells(table, "bad")["all"]
    assert cells(table, "good")["all"]["low"] <= 5 / 6 <= cells(table, "good")["all"]["high"]
    assert (good["pairs"], people["pairs"]) == (4, 4)


def test_people_who_judge_have_rows_of_their_own(based):
    table = tables(based, raters=frozenset({"r"}))
    assert "href_2" not in table, "two people are left, which is too few"


def test_the_composite_judge_takes_the_best_of_the_other_half(based):
    table = tables(based)["href_2_composite"]
    whole, single, difference = (
        values(table, name) for name in ("composite, all items", "one judge for all categories", "difference")
    )
    assert whole["in_sample"] == single["in_sample"] == pytest.approx(5 / 6)
    assert single["in_sample_judge"] == "good"
    news = values(table, "news")
    assert (news["in_sample_judge"], news["in_sample"]) == ("good", pytest.approx(5 / 6))
    assert set(news["chosen"].split(" / ")) <= {"good", "bad"}
    assert difference["leave_one_out"] == pytest.approx(whole["leave_one_out"] - single["leave_one_out"])


def test_win_rates_count_ties_as_wins_for_judges_and_people(based):
    table = tables(based)["href_4"]
    greedy, sampled, other = (values(table, name, "good") for name in ("a-greedy", "a-sampled", "b"))
    assert (greedy["all"], sampled["all"], other["all"]) == (0.75, 0.25, 0.75)
    assert (greedy["rank"], sampled["rank"], other["rank"]) == (1, 3, 1)
    assert (greedy["category:news"], greedy["category:sport"]) == (1, 0.5)
    assert values(table, "a-greedy", "people")["all"] == pytest.approx(7 / 12)
    assert {row["part"] for row in table["rows"]} == {"people", "good", "bad"}
    rank = cells(table, "a-sampled", "good")["rank"]
    assert 1 <= rank["low"] <= 3 <= rank["high"]


def test_public_and_private_items_are_correlated_over_systems(based):
    """Rates 1, 1/2, 1 on public items and 1/2, 0, 1/2 on private ones: the same line. The bad judge has none."""
    table = tables(based)["href_4_sets"]
    good = values(table, "good")
    assert (good["spearman"], good["pearson"]) == pytest.approx((1, 1))
    assert (good["systems"], good["public"], good["private"]) == (3, 2, 2)
    assert "same rate" in cells(table, "bad")["spearman"]["reason"]


def test_systems_of_one_model_are_side_by_side(based):
    table = tables(based)["href_4_decoding"]
    pair = values(table, "m", "good")
    assert (pair["first_system"], pair["first"], pair["second_system"], pair["second"]) == (
        "a-greedy", 0.75, "a-sampled", 0.25
    )  # fmt: skip
    assert pair["difference"] == 0.5
    assert "three systems" in cells(table, "all pairs", "good")["pearson"]["reason"]


def test_paired_tests_are_those_of_scipy(based):
    found = tables(based)
    p = ttest_rel([1, 1, 0, 1], [1, 0, 0, 0]).pvalue
    pair = values(found["href_6_pairs"], "a-greedy – a-sampled", "good")  # noqa: RUF001
    assert (pair["mean_difference"], pair["t_p"], pair["items"]) == (0.5, pytest.approx(p), 4)
    row = values(found["href_6"], "4", "good")
    assert row["p_quantile_90"] == pytest.approx(p + 0.8 * (1 - p))
    assert (row["share_below_05"], row["samples"]) == (0, 1)
    assert cells(found["href_6"], "all items", "bad")["share_below_05"]["reason"] == "no pair of systems can be tested"


def test_length_bias_is_given_for_judges_and_people(based):
    table = tables(based)["href_5_length"]
    assert values(table, "good")["length_bias_rate"] == 1 / 4  # of the pairs that people judged, too
    assert values(table, "bad")["length_bias_rate"] == -1
    assert values(table, "people")["length_bias_rate"] == 0


def test_a_study_without_a_baseline_or_three_people_has_no_such_table(tmp_path):
    found = tables(import_study(made_folder(tmp_path / "ranks", RANKS)).study)
    assert not set(HREF) & set(found)


def test_all_tables_can_be_copied(based):
    found = tables(based)
    assert set(HREF) <= set(found)
    assert all(r"\end{tabular}" in as_latex(key, table) for key, table in found.items())


def test_sizes_grow_to_all_items():
    assert sample_sizes(1) == []
    assert sample_sizes(4) == [4]
    assert sample_sizes(120) == [10, 20, 50, 100, 120]
    assert sample_sizes(100) == [10, 20, 50, 100]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, ("served/judge", "human, as context", "C")),
        ({"options": {"guidelines": "other", "examples": "other", "reference": "none"}}, ("served/judge", "none", "D")),
        ({"options": {"guidelines": "own", "examples": "own", "reference": "candidate"}, "references": ["model"]},
         ("served/judge", "model, as candidate", "A")),
        ({"options": {"guidelines": "other", "examples": "none", "reference": "none"}},
         ("served/judge", "none", "other guidelines, none examples")),
        ({"options": {}, "protocol": "llm_eval", "references": []}, ("served/judge", "none", "llm_eval")),
    ],
)  # fmt: skip
def test_the_configuration_tells_references_and_prompts(changed, expected):
    facts = facts_of(CONFIGURATION | changed)
    assert (facts.model, facts.reference, facts.prompt) == expected


def test_a_metric_names_its_references():
    facts = facts_of({"metric": "rouge", "references": ["human"], "options": {}, "questions": ["better"]})
    assert (facts.model, facts.reference, facts.prompt) == ("rouge", "human, compared with it", "")


def test_a_column_of_words_has_no_undefined_figures(based):
    shown = shown_table("href_2", tables(based)["href_2"])
    kinds = [kind for _, _, kind in shown.heads]
    assert (kinds.count("words"), set(kinds)) == (3, {"words", "num"})
    (bad,) = [cells for _, rows in shown.parts for name, cells in rows if name == "bad"]
    assert [cell.kind for cell in bad if cell.note] == ["words"] * 3
