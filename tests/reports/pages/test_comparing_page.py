"""The report page of studies that compare outputs: tables, choices and queries."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.members.membership import add_member
from annotation.models import Rating
from annotation.review.verdicts import review_span
from files.reading import import_study
from reports.figures.agreement_report import agreement_report
from reports.pages.display.plots import dot_plot
from reports.pages.display.printed_figures import axis_around, number
from tests.reports.comparing import CHOICES, RANKS, made
from tests.reports.computing import read

NONE, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(tmp_path, client, owner):
    """A function that imports a study and returns it with its report page."""

    def get(given, query=""):
        study = import_study(made(tmp_path / given["slug"], given)).study
        add_member(study, owner, "owner", None)
        client.force_login(owner)
        response = read(client, f"/studies/{study.slug}/report/{query}")
        assert response.status_code == 200
        return study, response.content.decode()

    return get


def table(shown, title, place=1):
    return shown.split(f'<table class="systems" aria-label="{title}"')[place].split("</table>")[0]


def test_choices_have_their_tables(page):
    study, shown = page(CHOICES)
    met = table(shown, "Wins, ties and losses")
    assert [one.strip() for one in re.findall(r"<span>([^<]+)</span>", met)] == [NONE, "2 / 1 / 1", "1 / 1 / 2", NONE]
    assert f"a {MINUS} b" in table(shown, "Comparisons of systems")
    figures = agreement_report(study)["questions"]["better"]
    rate = number(figures["system_win_or_tie_rate"]["a"], "share")
    assert rate in table(shown, "Systems")
    for title in ("Bradley-Terry strength", "Position bias", "Length bias", "Alpha, MASI"):
        assert title in shown
    assert "r · s" in table(shown, "Pairs of raters")


def test_rankings_spans_and_dimensions_have_their_tables(page):
    _, shown = page(RANKS)
    assert "System score" in shown
    assert "Outputs without an error" in shown
    assert "Alpha of spans" in shown
    assert "Overall? · Missing?, means of items" in table(shown, "Agreement between dimensions")
    places = table(shown, "Score by position")
    assert re.findall(r'<th scope="row"><bdi>(\d)</bdi>', places) == ["1", "2", "3"]


def test_an_undefined_comparison_has_a_reason(page):
    _, shown = page(RANKS)
    assert "<sup>1</sup>" in table(shown, "Comparisons of systems")
    below = shown.split('aria-label="Comparisons of systems">')[-1].split("</ul>")[0]
    assert below.count("<sup>1</sup> the two systems share fewer than two items</li>") == 1


@pytest.mark.thorough
def test_shares_without_an_error_are_tested_once_their_spans_are_decided(page, client, owner):
    study, shown = page({**RANKS, "slug": "decided"})
    assert "p, McNemar" not in shown
    for rating in Rating.objects.filter(study=study, question__type="spans"):
        for index in range(len(rating.value["spans"])):
            review_span(rating, index, "confirmed", "Wrong.", owner, number=0)
    shown = table(read(client, f"/studies/{study.slug}/report/").content.decode(), "Comparisons of systems", -1)
    assert f"a {MINUS} c" in shown
    assert "p, McNemar" in shown
    (row,) = re.findall(rf"<bdi>a {MINUS} c</bdi>.*?</tr>", shown, re.DOTALL)
    assert re.findall(r"<span(?: class=\"value\")?>([^<]+)</span>", row)[:4] == ["1", "0", "1", f"{MINUS}1.000"]
    assert row.count("1.000</span>") == 2  # of one item and two pairs that differ, and so corrected to 1


def test_the_table_of_categories_has_leave_one_out_agreement(page):
    _, shown = page(CHOICES, "?by=category")
    categories = table(shown, "Agreement by category")
    heads = re.findall(r'<th scope="col" class="num"[^>]*><a href="[^"]+">([^<]+)</a>', categories)
    news = categories.split("<bdi>news</bdi>")[1].split("</tr>")[0].split('<td class="num"')[1:]
    assert re.search(r"<span[^>]*>0\.000</span>", news[heads.index("Leave-one-out agreement")])  # b, a tie and a
    sport = categories.split("<bdi>sport</bdi>")[1].split("</tr>")[0].split('<td class="num"')[1:]
    number = re.search(r"<sup>(\d+)</sup>", sport[heads.index("Leave-one-out agreement")])[1]
    assert f"<sup>{number}</sup> no unit was rated by three raters" in shown


def test_the_address_switches_categories_on(page, client):
    study, shown = page(CHOICES)
    assert "Agreement by category" not in shown
    assert 'name="by" value="category">' in shown
    switched = read(client, f"/studies/{study.slug}/report/?by=category").content.decode()
    assert 'name="by" value="category" checked>' in switched
    assert re.findall(r'<th scope="row"><bdi>(\w+)</bdi>', table(switched, "Agreement by category")) == [
        "long",
        "news",
        "sport",
    ]


def test_every_link_to_a_definition_leads_to_a_heading(page, client):
    _, shown = page(RANKS, "?by=category")
    headings = set(re.findall(r'<h\d id="([^"]+)"', client.get("/statistics/").content.decode()))
    linked = set(re.findall(r'/statistics/#([^"]+)"', shown))
    assert {"confirmed-spans", "agreement-between-dimensions", "by-category"} <= linked <= headings


@pytest.mark.parametrize("given", [CHOICES, RANKS], ids=["choices", "rankings"])
def test_more_ratings_take_no_more_queries(page, client, given):
    def queries(times):
        more = [{**rating, "rater": f"{rating['rater']}{turn}"} for turn in range(times) for rating in given["ratings"]]
        study, _ = page({**given, "slug": f"{given['slug']}-{times}", "ratings": more})
        with CaptureQueriesContext(connection) as captured:
            read(client, f"/studies/{study.slug}/report/?by=category")
        return len(captured)

    assert queries(1) == queries(4)


def test_axes_cover_all_values():
    assert axis_around("strength", [-0.4, 1.2, None], None) == (-2.0, 2.0)
    assert axis_around("score", [1.0, 4.2], None) == (1.0, 5.0)
    assert axis_around("score", [None], None) is None
    assert axis_around("scale", [3.0], (1.0, 7.0)) == (1.0, 7.0)


def test_dots_are_ordered_with_their_intervals_on_the_axis():
    plot = dot_plot({"low": -1.0, "high": 1.0, "none": None}, {"high": [0.5, 9.0]}, (-2.0, 2.0))
    assert [dot.name for dot in plot.dots] == ["high", "low"]
    high, low = plot.dots
    assert (high.start + high.width, low.start) == (plot.right, None)
    assert plot.left < low.x < high.start < high.x < plot.right
    assert high.y < low.y < plot.base < plot.height


def test_the_strongest_system_is_drawn_first(page):
    study, shown = page(CHOICES)
    strengths = agreement_report(study)["questions"]["better"]["bradley_terry"]
    order = sorted(strengths, key=lambda name: -strengths[name])
    drawn = shown.split('role="img"')[1].split("</svg>")[0]
    assert re.findall(r"<title>(\w)</title>", drawn) == order
    assert '<rect class="span"' in drawn
