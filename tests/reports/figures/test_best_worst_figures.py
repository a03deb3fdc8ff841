"""Best and worst in reports: what is read from rows, what pages print, and how judges are compared with people."""

import json

import pytest

from annotation.models import Rating
from files.reading import ImportRefusedError, import_study
from reports.figures.agreement_report import agreement_report
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.study_answers import RaterComparison
from reports.pages.display.question_sections import glances, question_sections

pytestmark = pytest.mark.django_db

STUDY = {
    "slug": "extremes", "protocol": "listwise", "redundancy": 2,
    "questions": [{"key": "overall", "type": "best_worst", "text": "Best and worst?"}],
}  # fmt: skip
ITEMS = [
    {"id": f"i{number}", "category": "even" if number % 2 == 0 else "odd",
     "outputs": [{"id": name, "text": f"text of {name}"} for name in ("north", "south", "west")]}
    for number in range(4)
]  # fmt: skip


def said(item, rater, value, **more):
    return {"item": item, "rater": rater, "question": "overall", "value": value, **more}


def named(best, worst):
    return {"best": best, "worst": worst}


PEOPLE = [
    said("i0", "ann", named("north", "west")), said("i0", "bob", named("north", "south")),
    said("i1", "ann", named("north", "west")), said("i1", "bob", named("south", "west")),
    said("i2", "ann", named("south", "north"), shown=["south", "north"]), said("i3", "ann", named("south", "west")),
]  # fmt: skip
RANKS = {"north": 1, "south": 2, "west": 3}
JUDGES = [
    *(said(f"i{n}", "ranks", RANKS, rater_kind="model") for n in range(4)),
    *(said(f"i{n}", "names", named("north", "west"), rater_kind="model") for n in range(4)),
    *(said(f"i{n}", "scores", 3 - RANKS[one], rater_kind="metric", output=one) for n in range(4) for one in RANKS),
]  # fmt: skip


def folder_of(path, lines):
    path.mkdir(exist_ok=True)
    (path / "study.json").write_text(json.dumps(STUDY))
    for name, rows in (("items", ITEMS), ("ratings", lines)):
        (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def rated(tmp_path):
    return import_study(folder_of(tmp_path / "in", [*PEOPLE, *JUDGES])).study


def test_a_report_counts_outputs_only_where_they_were_shown(rated):
    figures = agreement_report(rated, replicates=50)["questions"]["overall"]
    assert set(Rating.objects.filter(rater__kind="human").values_list("level", flat=True)) == {"extremes"}
    assert (figures["level"], figures["sets"], figures["sets_with_two_or_more"]) == ("extremes", 4, 2)
    assert figures["system_best_share"] == {"north": 3 / 6, "south": 3 / 6, "west": 0}
    assert figures["system_worst_share"] == {"north": 1 / 6, "south": 1 / 6, "west": 4 / 5}
    assert figures["percent_agreement_best"] == figures["percent_agreement_worst"] == 0.5


def test_categories_have_their_own_figures_and_the_page_prints_them(rated):
    report = agreement_report(rated, categories=True, replicates=50)
    even = report["questions"]["overall"]["by_category"]["even"]
    assert even["system_best_worst"]["north"] == pytest.approx((2 - 1) / 3)
    [section] = question_sections(rated, report)
    assert [heading.name for heading in section.headings] == [
        "system_best_worst", "system_best_share", "system_worst_share", "items",
    ]  # fmt: skip
    assert section.dots is not None
    assert {"split_half", "alpha_best", "alpha_implied_pairs"} <= {one.name for one in section.agreement}
    assert [one.name for _, one in glances(rated, report)] == ["split_half"]
    assert len(section.by_category) == 2


def test_judges_are_compared_whether_they_name_rank_or_score(rated):
    report = meta_evaluation(rated, RaterComparison(), replicates=20)
    judges = report["questions"]["overall"]["judges"]
    assert {name: one["shape"] for name, one in judges.items()} == {
        "names": "best and worst", "ranks": "ranking", "scores": "score",
    }  # fmt: skip
    for figures in judges.values():
        assert figures["system_kendall_tau_b"] is not None
    assert judges["names"]["accuracy"] == pytest.approx(judges["ranks"]["accuracy"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (said("i0", "ann", named("north", "east")), "names 'east' as worst, which is not an output shown"),
        (said("i0", "ann", named("north", "north")), "names the same output as best and as worst"),
        (said("i0", "ann", {"best": "north"}), "must be"),
        (said("i0", "gpt", named("north", "east"), rater_kind="model"), "names 'east' as worst"),
        (said("i0", "gpt", named("north", "west"), rater_kind="model", shown=["north", "south"]), "'west' as worst"),
    ],
)
def test_an_import_refuses_what_does_not_fit_the_item_and_names_the_line(tmp_path, line, reason):
    with pytest.raises(ImportRefusedError, match=reason) as problem:
        import_study(folder_of(tmp_path / "in", [*PEOPLE[2:], line]))
    assert problem.value.problems[0].line == 5
