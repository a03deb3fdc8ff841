"""Judges' labels against people's: of whole tasks by the majority, of turns by the session's user."""

import pytest

from annotation.models import JudgeRun, Rater
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.study_answers import RaterComparison
from reports.pages.display.leaderboard import leaderboard
from tests.reports.computing import read
from tests.reports.worked_sessions import begun, folder, models, rate_again, session, study, worked  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(worked, session):  # noqa: F811
    """Two judges of the three turns of one session, rated bad, neutral and good: one has no neutral."""
    for name, ratings in (("two", ("bad", "bad", "good")), ("three", ("bad", "neutral", "bad"))):
        Rater.objects.create(study=worked, name=name, kind="model")
        for number, value in enumerate(ratings, 1):
            rate_again(session, number, name, value)
    return worked


def figures(study, **chosen):  # noqa: F811
    report = meta_evaluation(study, RaterComparison(positive="good", **chosen), replicates=20)
    return report["questions"]["rating"]


@pytest.mark.thorough
def test_turns_are_compared_with_the_rating_of_the_session_s_user(judged):
    found = figures(judged)
    assert list(found["judges"]) == ["three", "two"]
    three = found["judges"]["three"]
    assert (three["units"], three["shape"]) == (3, "label")
    assert three["accuracy"] == pytest.approx(2 / 3)
    assert (three["precision"], three["recall"], three["f1"]) == (0, 0, 0)
    assert three["confusion"]["good"]["bad"] == 1


@pytest.mark.thorough
def test_neutral_counts_as_bad_for_a_judge_that_never_gives_it(judged):
    two = figures(judged)["judges"]["two"]
    assert (two["accuracy"], two["f1"]) == (1, 1)


def test_neutral_stays_for_a_judge_of_three_ratings_that_happens_not_to_give_it(judged):
    rater = Rater.objects.get(study=judged, name="two")
    for ratings, accuracy in (("three-way", 2 / 3), ("two-way", 1)):
        JudgeRun.objects.create(rater=rater, name=ratings, configuration={"options": {"ratings": ratings}})
        assert figures(judged)["judges"]["two"]["accuracy"] == pytest.approx(accuracy)


@pytest.mark.thorough
def test_splits_have_baselines_and_people_have_second_ratings(judged):
    found = figures(judged)
    splits = found["judges"]["two"]["splits"]
    assert splits["splits"] == 3
    assert set(splits["two_way"]) >= {"judge", "majority", "random"}
    assert found["people"]["units"] == 5
    assert found["people"]["second"]["two_way"]["accuracy"] is not None
    assert sum(found["people"]["shares"].values()) == pytest.approx(1)


def test_a_judge_of_turns_is_compared_with_the_second_rater_on_the_turns_of_both(judged):
    found = figures(judged)["judges"]["three"]["one_more_person"]
    second = figures(judged)["people"]["second"]
    assert 0 < found["labels"] <= second["units"]
    assert found["person"]["accuracy"] is not None
    assert found["judge"]["accuracy"] is not None


@pytest.mark.thorough
def test_the_leaderboard_has_judges_of_turns(judged, client, owner):
    client.force_login(owner)
    shown = read(client, f"/studies/{judged.slug}/leaderboard/").content.decode()
    table = shown.split('<table class="systems judges stacked"')[1].split("</table>")[0]
    assert [name for name in ("two", "three") if f"<bdi>{name}</bdi>" in table] == ["two", "three"]
    assert "Accuracy" in table
    tables = read(client, f"/studies/{judged.slug}/tables/").content.decode()
    assert 'id="kiwi_5"' in tables


@pytest.mark.thorough
def test_a_question_for_texts_is_not_compared(judged):
    report = meta_evaluation(judged, replicates=0)
    others = [one for key, one in report["questions"].items() if key != "rating"]
    assert all("neither about outputs nor one label" in one["undefined"]["judges"] for one in others)


def test_the_leaderboard_shows_judges_of_labels(judged):
    report = meta_evaluation(judged, replicates=20)
    (section,) = leaderboard(report)
    assert [row.name for row in section.rows] == ["two", "three"]
    rows = [row.name for row in section.beside.rows]  # for the first, neutral counts as bad
    assert rows == ["one more person, beside two", "two", "one more person, beside three", "three"]
    assert (section.first.title, section.cards, section.systems) == ("Accuracy", [], None)
    assert (section.people, section.labels) == (0, report["questions"]["rating"]["people"]["labels"])
    assert section.reasons == []
