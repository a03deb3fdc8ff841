"""The pages that compare judges with people: order, panel, undefined figures, cards, and files of the tables."""

import re

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import JudgeRun, Rater
from files.reading import import_study
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.models import KeptReport
from reports.pages.display.leaderboard import leaderboard
from reports.pages.display.plots import calibration_plot, dot_plot
from reports.pages.display.undefined_reasons import UndefinedReasons
from tests.files.writing.conftest import item, write_study
from tests.reports.compared_study import imported, probed
from tests.reports.computing import compute_requested, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path, owner, client):
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    client.force_login(owner)
    return made


def page(client, study, query="", name="leaderboard"):
    response = read(client, f"/studies/{study.slug}/{name}/{query}")
    assert response.status_code == 200
    return response.content.decode()


def names(shown, key="how_well", label='aria-label="Judges of'):
    table = shown.split(f'<table class="systems judges stacked" {label}')[1].split("</table>")[0]
    return re.findall(r'<th scope="row"><bdi>([^<]+)</bdi>', table)


@pytest.mark.thorough
def test_the_best_judge_comes_first_and_stands_below_one_more_person_on_the_same_answers(client, study):
    shown = page(client, study)
    assert names(shown) == ["even", "far"]
    assert names(shown, label='aria-labelledby="beside-how_well"') == ["one more person", "even", "far"]
    assert 'aria-sort="descending"' in shown
    assert 'class="band"' in shown
    assert "<dt>" in shown


@pytest.mark.thorough
def test_the_address_sorts_the_table_without_another_computation(client, study):
    page(client, study)
    assert KeptReport.objects.count() == 1
    shown = client.get(f"/studies/{study.slug}/leaderboard/?sort=length_bias_rate").content.decode()
    assert client.get(f"/studies/{study.slug}/leaderboard/?sort=judge").status_code == 200
    assert KeptReport.objects.count() == 1
    assert sorted(names(shown)) == ["even", "far"]
    assert 'name="sort" value="length_bias_rate"' in shown
    assert "?kinds=model&amp;sort=pearson" in page(client, study, "?kinds=model")


def test_any_column_sorts_and_unknown_ones_do_not(study):
    report = meta_evaluation(study, replicates=20)
    report["questions"]["how_well"]["judges"]["even"]["price_per_1000"] = 3.0
    report["questions"]["how_well"]["judges"]["far"]["price_per_1000"] = 0.5

    def order(sort):
        (section,) = [one for one in leaderboard(report, sort) if one.key == "how_well"]
        sorted_by = [head.key for head in section.heads if head.direction]
        assert [row.name for row in section.beside.rows[1:]] == [row.name for row in section.rows]
        return [row.name for row in section.rows], sorted_by

    assert order("price_per_1000") == (["far", "even"], ["price_per_1000"])
    assert order("pearson") == (["even", "far"], ["pearson"])
    assert order("judge") == (["even", "far"], ["judge"])
    assert order("nothing") == (["even", "far"], ["item_kendall_tau_b"])


@pytest.mark.thorough
def test_each_judge_has_a_card(client, study):
    probed(study, "even", 1, 40)
    shown = page(client, study)
    assert shown.count('class="card judge-card"') == 4
    assert "Hidden instructions turned 1 of 40 judgments." in shown
    assert "Are its probabilities right?" in shown
    assert "May it replace a person?" in shown
    run = JudgeRun.objects.get(rater__name="even")
    assert reverse("judges:run", args=[study.slug, run.pk]) in shown
    assert "Prediction-powered mean" in shown
    assert "Strengths and ranks" in shown


@pytest.mark.thorough
def test_reasons_for_undefined_figures_are_printed(client, study):
    shown = page(client, study)
    assert "undefined" in shown
    assert 'aria-label="Why figures are undefined"' in shown
    table = page(client, study, name="tables")
    assert "the study does not say which family" in table


def test_a_panel_is_chosen_with_check_boxes(client, study):
    shown = page(client, study, "?panel=even&panel=far&epsilon=0.1")
    assert "panel of even, far" in names(shown)
    assert 'name="panel" value="even" checked' in shown
    assert "with epsilon 0.1" in shown
    alone = read(client, f"/studies/{study.slug}/leaderboard/?panel=even")
    assert alone.status_code == 404
    assert client.get(f"/studies/{study.slug}/leaderboard/?epsilon=7").status_code == 404


@pytest.mark.thorough
def test_every_link_to_a_definition_leads_to_a_heading(client, study):
    shown = page(client, study) + page(client, study, name="tables")
    headings = set(re.findall(r'<h\d id="([^"]+)"', client.get("/statistics/").content.decode()))
    linked = set(re.findall(r'/statistics/#([^"]+)"', shown))
    assert {"alternative-annotator-test", "biases-of-judges", "corrected-means", "calibration-of-judges"} <= linked
    assert linked <= headings


@pytest.mark.thorough
def test_tables_are_files_with_their_names(client, study):
    path = f"/studies/{study.slug}/tables/risum_5"
    assert client.get(f"{path}.csv").status_code == 404  # nothing is computed yet
    compute_requested()
    for ending, kind in (("csv", "text/csv"), ("md", "text/markdown"), ("tex", "application/x-tex")):
        response = client.get(f"{path}.{ending}")
        assert (response.status_code, response["Content-Type"]) == (200, f"{kind}; charset=utf-8")
        assert response["Content-Disposition"] == f'attachment; filename="{study.slug}-risum_5.{ending}"'
        assert "even" in response.content.decode()
    assert client.get(f"{path}.xlsx").status_code == 404
    assert client.get(f"/studies/{study.slug}/tables/nothing.csv").status_code == 404


def test_a_study_without_judges_has_a_page(client, owner, make_study):
    empty = make_study("empty")
    add_member(empty, owner, "owner", None)
    client.force_login(owner)
    assert "No judge to compare yet" in page(client, empty)


def test_reasons_are_numbered_once():
    reasons = UndefinedReasons()
    assert [reasons.number(one) for one in ("a", "b", "a", "")] == [1, 2, 1, 3]
    assert reasons.listed == [(1, "a"), (2, "b"), (3, "no reason was given")]


def test_the_band_and_the_axes_of_calibration_are_on_their_scales():
    plot = dot_plot({"a": 0.5}, {"a": None}, (0.0, 1.0), (0.25, 0.75))
    start, width = plot.band
    quarter = (plot.right - plot.left) / 4
    assert (start, start + width) == (plot.left + quarter, plot.right - quarter)
    drawn = calibration_plot([(0.0, 1.0, (0.5, 1.0)), (1.0, 0.0, None)])
    first, last = drawn.dots
    assert (first.x, first.y, first.top, first.bottom) == (drawn.left, drawn.top, drawn.top, drawn.halfway)
    assert (last.x, last.y, last.top) == (drawn.right, drawn.base, None)
    assert [label for _, label in drawn.across] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]


def test_a_judge_that_is_called_like_the_ceiling_is_told_from_it(study):
    report = meta_evaluation(study, replicates=20)
    judges = report["questions"]["how_well"]["judges"]
    judges["one more person"] = judges.pop("far")
    (section,) = [one for one in leaderboard(report) if one.key == "how_well"]
    assert [row.name for row in section.rows] == ["even", "one more person (judge)"]
    assert [row.name for row in section.beside.rows] == ["one more person", "even", "one more person (judge)"]
    assert [dot.name for dot in section.plot.dots].count("one more person") == 1


def test_judges_on_other_answers_have_a_person_of_their_own(study):
    report = meta_evaluation(study, replicates=20)
    beside = report["questions"]["how_well"]["judges"]["far"]["one_more_person"]
    beside["person"] = {**beside["person"], "pearson": 0.25}
    (section,) = [one for one in leaderboard(report) if one.key == "how_well"]
    rows = section.beside.rows
    assert [row.name for row in rows] == [
        "one more person, beside even",
        "even",
        "one more person, beside far",
        "far",
    ]
    assert [row.is_ceiling for row in rows] == [True, False, True, False]
    assert section.plot.band is None
    assert all(row.answers == beside["scores"] > 0 for row in rows)


def test_answers_of_unfinished_runs_beside_a_finished_one_are_counted(tmp_path, client, owner, capsys):
    items = [item(f"i{number}", outputs=("a", "b")) for number in range(5)]
    about = [{"item": one["id"], "output": output, "question": "how_well"} for one in items for output in ("a", "b")]
    ratings = [{**one, "rater": "ann", "value": 1 + place % 5} for place, one in enumerate(about)]
    scores = [
        {**one, "rater": "judge", "rater_kind": "model", "value": 1 + place % 4, "run": run}
        for place, one in enumerate(about)
        for run in ("done", "stopped")
        if run == "stopped" or place < 4
    ]
    study = import_study(write_study(tmp_path / "in", items, ratings, scores)).study
    rater = Rater.objects.get(study=study, name="judge")
    JudgeRun.objects.create(rater=rater, name="done", configuration={}, status="finished")
    JudgeRun.objects.create(rater=rater, name="stopped", configuration={}, status="stopped")
    judge = meta_evaluation(study, replicates=10)["questions"]["how_well"]["judges"]["judge"]
    assert (judge["unfinished_left_out"], judge["outputs"]) == (10, 4)
    call_command("meta_evaluate", study.slug)
    assert "judge: without 10 answers of runs that are not finished" in capsys.readouterr().out
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    assert "without 10 answers of runs" in page(client, study)
