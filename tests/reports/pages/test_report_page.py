import re
from html import unescape

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, skip, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Output, Rater, Rating
from annotation.studies.lifecycle import publish_guidelines
from reports.pages.display.plots import histogram, interval_bar
from reports.pages.display.printed_figures import number
from reports.pages.display.question_sections import question_section
from tests.conftest import make_person
from tests.reports.computing import read

PAGE = "/studies/study/report/"


def answer(study, person, values, version=1):
    """Give as many answers as values; an output's value depends on its position among the study's outputs.

    The order in which a rater sees them depends on a random pseudonym, so agreement would be random by that order.
    """
    outputs = list(Output.objects.filter(item__study=study).order_by("pk").values_list("pk", flat=True))
    for _ in values:
        assignment = next_assignment(study, rater_for(study, person))
        value = values[outputs.index(assignment.task.outputs.get().pk) % len(values)]
        form = {"q-follows": ["true" if value > 2 else "false"], "q-how_well": [str(value)]}
        submit(assignment, Submission(form, revision=0, guidelines_version=version))


@pytest.fixture
def rated(study, rater):
    """Two raters of all six outputs, who differ only once, by one step."""
    second = make_person("second")
    add_member(study, second, "annotator", None)
    answer(study, rater, [1, 2, 3, 4, 5, 4])
    answer(study, second, [1, 2, 3, 4, 5, 5])
    return study


def page_of(client, owner, query=""):
    client.force_login(owner)
    response = read(client, PAGE + query)
    assert response.status_code == 200
    return response.content.decode()


def section(page, key):
    return page.split(f"{key}</span></h2>")[1].split("</section>")[0]


@pytest.mark.thorough
def test_the_page_prints_the_figures_of_the_report_with_names_lines_and_intervals(client, rated, owner):
    from reports.figures.agreement_report import agreement_report

    figures = agreement_report(rated)["questions"]["how_well"]
    shown = section(page_of(client, owner), "how_well")
    for name in ("percent_agreement", "alpha_nominal", "alpha_ordinal", "alpha_interval"):
        assert f">{number(figures[name], 'share')}</td>" in shown
        low, high = figures[f"{name}_ci"]
        assert f"{number(low, 'share')} to {number(high, 'share')}" in shown
    assert "Alpha, interval" in shown
    assert "0.8 or more is considered reliable" in shown
    assert 'href="/statistics/#krippendorffs-alpha"' in shown


@pytest.mark.thorough
def test_every_link_to_a_definition_leads_to_a_heading(client, rated, owner):
    page = page_of(client, owner)
    headings = set(re.findall(r'<h\d id="([^"]+)"', client.get("/statistics/").content.decode()))
    linked = set(re.findall(r'/statistics/#([^"]+)"', page))
    assert linked
    assert linked <= headings


def test_an_undefined_figure_has_a_reason_and_no_number(client, rated, owner):
    shown = section(page_of(client, owner), "how_well").split('class="estimates"')[1].split("This table:")[0]
    figures, reasons = shown.split("</table>")
    assert "Leave-one-out" not in figures
    (line,) = re.findall(r"Undefined: (?:(?!</p>).)*Leave-one-out.*?</p>", reasons)
    assert "no unit was rated by three raters" in line
    assert not re.search(r"\d\.\d", line)


@pytest.mark.thorough
def test_the_histogram_is_drawn_and_has_its_table(client, rated, owner):
    shown = section(page_of(client, owner), "how_well")
    assert '<rect class="bar"' in shown
    assert "Show as table" in shown
    assert re.search(
        r'<th scope="row">\u2212?[\d.]+ to \u2212?[\d.]+</th><td class="num"><a href="[^"]+">\d</a></td>', shown
    )


@pytest.mark.thorough
def test_bars_of_the_histogram_lead_to_as_many_items_as_they_count(client, rated, owner):
    shown = section(page_of(client, owner), "how_well")
    bars = re.findall(r'<a href="([^"]+)" aria-label="(\d+) items? with alpha from', shown)
    assert sum(int(count) for _, count in bars) == 2
    for address, count in bars:
        assert read(client, unescape(address)).context["listed"].found == int(count)
    assert "aria-label" not in section(page_of(client, owner, "?guidelines=all"), "how_well").split("<table")[0]


def test_answers_of_the_distribution_lead_to_their_items(client, rated, owner):
    shown = section(page_of(client, owner), "how_well")
    cells = [unescape(one) for one in re.findall(r'href="([^"]+&amp;answer=[^"]+)"', shown)]
    (five,) = [one for one in cells if "answer=5" in one and "system" not in one]
    expected = {rating.item.key for rating in Rating.objects.filter(question__key="how_well", number=5)}
    assert {row.key for row, _ in read(client, five).context["rows"]} == expected
    (of_system,) = [one for one in cells if "answer=1&" in one and "system=" in one]
    assert read(client, of_system).context["listed"].found == 1
    rated.options["blind_researchers"] = True
    rated.save()
    assert "system=" not in section(page_of(client, owner), "how_well")


def test_systems_have_a_table_of_means_scores_and_ranks(client, rated, owner):
    shown = section(page_of(client, owner), "how_well")
    for words in ("system-north", "system-west", "System mean", "Majority score", "Average rank by mean"):
        assert words in shown


def test_raters_are_listed_by_pseudonym_with_share_skips_and_speed(client, study, owner, rater):
    answer(study, rater, [1, 2])
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, revision=0, guidelines_version=1), "no")
    Rater.objects.create(study=study, name="silent")
    shown = page_of(client, owner).split('id="raters"')[1]
    row = shown.split(rater_for(study, rater).name)[1].split("</tr>")[0]
    assert re.findall(r'<td class="num">(\d+)</td>', row) == ["2", "4", "1", "0"]
    assert "100.0 %" in row
    assert "silent" not in shown


def test_the_report_identifies_nobody(client, study, owner, rater):
    rater.full_name, rater.email, rater.username = "CANARY FULL", "canary@example.org", "canary-login"
    rater.save()
    answer(study, rater, [1, 2])
    owner_part = page_of(client, owner)
    assert "canary" not in owner_part.lower()
    glance = read(client, f"{PAGE}glance/").content.decode()
    assert "canary" not in glance.lower()


def test_versions_of_the_guidelines_are_pooled_only_when_asked_for(client, study, owner, rater):
    answer(study, rater, [1, 2])
    publish_guidelines(study, "Second", owner)
    answer(study, rater, [3, 4, 5], version=2)
    counts = {query: re.search(r"<dt>Ratings</dt><dd>(\d+)", section(page_of(client, owner, query), "how_well"))[1]
              for query in ("", "?guidelines=1", "?guidelines=all")}  # fmt: skip
    assert counts == {"": "3", "?guidelines=1": "2", "?guidelines=all": "5"}
    assert "Combines answers given under different guidelines versions" in page_of(client, owner, "?guidelines=all")
    assert "Combines answers" not in page_of(client, owner)


@pytest.mark.parametrize("version", ["7", "x", "-1", "9" * 30])
def test_a_version_without_ratings_is_not_found(client, rated, owner, version):
    client.force_login(owner)
    assert read(client, PAGE, {"guidelines": version}).status_code == 404


@pytest.mark.thorough
def test_the_address_chooses_the_kinds_of_raters(client, rated, owner):
    judge = Rater.objects.create(study=rated, name="judge-1", kind="model")
    item = Item.objects.first()
    Rating.objects.create(
        study=rated, question=rated.questions.get(key="how_well"), rater=judge, item=item, output=item.outputs.first(),
        level="interval", number=2.0, value=2,
    )  # fmt: skip

    def named(query):
        figures = page_of(client, owner, query).partition('id="progress"')[2]
        return "judge-1" in figures.partition('id="details"')[0]  # the log of exclusions names who is not chosen

    assert [named(query) for query in ("", "?kinds=human&kinds=model", "?kinds=nonsense", "?raters=judge-1")] == [
        False, True, False, True,
    ]  # fmt: skip


def test_a_study_without_answers_has_a_page_of_its_own(client, study, owner):
    assert "No answers yet" in page_of(client, owner)
    assert "No answers yet" in read(client, f"{PAGE}glance/").content.decode()


def test_the_glance_has_one_alpha_per_question(client, rated, owner):
    client.force_login(owner)
    glance = read(client, f"{PAGE}glance/").content.decode()
    assert "alpha, nominal" in glance
    assert "alpha, interval" in glance
    assert "<html" not in glance


def test_numbers_have_true_minus_signs_and_their_units_decimals():
    assert number(-0.12345, "alpha") == "\N{MINUS SIGN}0.123"
    assert number(-0.0001, "alpha") == "0.000"
    assert number(12, "count") == "12"
    assert number(7.126, "percent") == "7.1"


def test_a_bar_stays_on_its_axis():
    bar = interval_bar(0.5, [0.25, 2.0], (-1.0, 1.0))
    assert (bar.point, bar.start, bar.width, bar.zero) == (90.0, 75.0, 45.0, 60.0)
    assert interval_bar(0.5, None, (0.0, 1.0)).start is None


def test_columns_grow_from_the_base_line_with_their_counts():
    drawn = histogram([0.0, 0.5, 1.0], [1, 2])
    first, second = drawn.columns
    assert first.height * 2 == pytest.approx(second.height)
    assert first.y + first.height == second.y + second.height == drawn.base


@pytest.mark.parametrize("lowest", [-0.5, 0.1])
def test_all_alphas_have_one_axis_whatever_their_values(lowest):
    report = {
        "level": "interval", "ratings": 4, "alpha_nominal": 0.2, "alpha_nominal_ci": [lowest, 0.4],
        "alpha_interval": 0.4, "alpha_interval_ci": [0.1, 0.6], "undefined": {}, "bootstrap": {},
    }  # fmt: skip
    shown = question_section("q", "Q?", report, (1.0, 5.0))
    assert [one.bar.axis for one in shown.agreement] == [(-1.0, 1.0), (-1.0, 1.0)]
    assert [(one.bar.low, one.bar.high) for one in shown.agreement] == [("\N{MINUS SIGN}1", "1")] * 2
