"""The report on sessions: its rows, its figures, an imported copy, its page and its command."""

import json
import re

import pytest
from django.core.management import CommandError, call_command

from annotation.members.membership import add_member
from annotation.models import Item, Membership, Rater
from config.background.claiming import run_waiting
from config.background.kinds import GiveUpError
from config.erasure import open_erasure
from files.reading import import_study
from files.writing import export_study
from judges.answered_turns import answered_turns
from llm.models import StudyPrompt
from reports.figures.agreement_report import agreement_report
from reports.figures.rows.turn_rows import session_rows
from reports.figures.session_report import session_report
from retrieval.models import IndexBuild
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.second_ratings import ratable_turns
from tests.conftest import make_person
from tests.files.writing.conftest import empty_the_database
from tests.reports.computing import read
from tests.reports.worked_sessions import PAGE, page_of, rate_again, worked  # noqa: F401
from tests.sessions.conftest import begun, folder, models, session, study  # noqa: F401

pytestmark = pytest.mark.django_db


def test_sessions_about_questions_of_other_pools_are_in_no_figure(worked, session):  # noqa: F811
    every = session_rows(worked)
    assert sum(1 for _ in answered_turns(worked)) == len(every.turns) == 5
    with open_erasure("test"):
        Item.objects.filter(pk=session.item_id).update(pool="training")
    rows = session_rows(worked)
    assert set(rows.sessions) == set(every.sessions) - {session.key}
    assert rows.turns == [row for row in every.turns if row.session != session.key]
    assert (rows.retrieval, rows.labels, rows.labellers) == ([], {}, [])
    assert len(rows.pairs) == 1
    assert sum(1 for _ in answered_turns(worked)) == 2
    assert not ratable_turns(worked).filter(session=session).exists()


def test_turns_are_read_with_their_users_ratings_edits_and_labels(worked, session):  # noqa: F811
    rows = session_rows(worked)
    assert set(rows.sessions) == {one.key for one in RevisionSession.objects.all()}
    mine = [row for row in rows.turns if row.session == session.key]
    assert [(row.number, row.kind, row.rating, row.edited) for row in mine] == [
        (1, "style", "bad", False), (2, "information", "neutral", True), (3, "information", "good", False),
    ]  # fmt: skip
    assert [row.instruction_type for row in mine] == ["condense", "expand answer coverage", None]
    assert mine[0].error_category == "instruction is ignored"
    assert mine[1].source == session.turns.get(number=0).answer  # bad and not edited: the answer from before it
    assert (mine[1].target, mine[2].source) == ("By hand.", "By hand.")
    said = {(turn.rpartition(":")[2], own, other) for turn, own, other in rows.pairs}
    assert said == {("1", "bad", "neutral"), ("3", "good", "good"), ("3", "good", "bad"), ("1", "good", "good")}
    assert sorted((one.number, one.rating, one.value) for one in rows.retrieval) == [
        (0, None, "sufficient"), (2, "neutral", "partial")
    ]  # fmt: skip


def test_reading_takes_four_queries_however_many_turns(worked, django_assert_num_queries):  # noqa: F811
    with django_assert_num_queries(4):
        rows = session_rows(worked)
    assert len(rows.turns) == 5


def test_only_peoples_latest_ratings_count(worked, session):  # noqa: F811
    rate_again(session, 1, "second", "bad", ordinal=1)
    Rater.objects.create(study=worked, name="judge", kind="model")
    rate_again(session, 1, "judge", "good")
    pairs = [pair for pair in session_rows(worked).pairs if pair[0] == f"turn:{session.key}:1"]
    assert [pair[1:] for pair in pairs] == [("bad", "bad")]


def test_the_report_has_every_figure_with_its_counts(worked, session):  # noqa: F811
    report = session_report(worked)
    total = report["overview"]["total"]
    assert (total["sessions"], total["turns"], total["edited"], total["turns_per_session"]) == (2, 5, 2, 2.5)
    assert total["kinds"]["information"] == {"n": 2, "of": 5, "share": 0.4}
    assert set(report["models"]) == {"scripted/one", "scripted/two"} == set(report["overview"]["models"])
    assert report["statuses"]["satisfied"] == {"n": 1, "of": 2, "share": 0.5}
    assert report["ratings_by_kind"]["total"]["overall"]["bad"]["n"] == 2
    assert [place["kinds"]["style"]["of"] for place in report["kinds_by_position"]] == [2, 2, 1]
    assert report["instruction_types"]["untyped"] == 3
    assert report["error_categories"] == {
        "categories": {"instruction is ignored": {"n": 1, "of": 1, "share": 1.0}}, "turns": 3, "uncategorised": 2
    }  # fmt: skip
    assert report["retrieval"]["failed"]["partial"] == {"n": 1, "of": 1, "share": 1.0}
    assert report["retrieval"]["all"]["sufficient"] == {"n": 1, "of": 2, "share": 0.5}
    assert report["text_figures"]["total"]["turns"] == 4
    assert report["second_ratings"]["two_way"]["accuracy"] == 0.75
    assert report["second_ratings"]["three_way"]["accuracy"] == 0.5
    assert (report["second_ratings"]["turns"], report["second_ratings"]["ratings"]) == (3, 4)


def test_undefined_figures_of_sessions_have_reasons(study):  # noqa: F811
    report = session_report(study)
    assert report["overview"]["total"]["turns_per_session"] is None
    assert report["undefined"]["overview.total.turns_per_session"] == "there are no sessions"
    assert report["undefined"]["ratings_by_kind.total.overall.good.share"] == "there are no such turns"
    assert "rated a second time" in report["undefined"]["second_ratings.two_way.cohen_kappa"]

    def nothing(part, path=()):
        for key, value in part.items():
            if value is None:
                yield ".".join((*path, key))
            elif isinstance(value, dict):
                yield from nothing(value, (*path, key))

    assert set(nothing(report)) - {"labellers.chosen"} == set(report["undefined"])


@pytest.mark.thorough
def test_the_report_of_an_imported_copy_is_the_same(worked, tmp_path):  # noqa: F811
    first, agreed = session_report(worked), agreement_report(worked)
    export_study(worked, tmp_path / "one")
    empty_the_database(TurnLabel, Turn, RevisionSession, IndexBuild, StudyPrompt)
    copy = import_study(tmp_path / "one").study
    assert session_report(copy) == first
    again = agreement_report(copy)
    assert again["questions"] == agreed["questions"]


def test_a_session_without_a_first_answer_is_in_no_figure_file_or_count(study, rater, models, tmp_path):  # noqa: F811
    models.script = [GiveUpError("No.")]
    begun(study, rater)
    run_waiting()
    assert session_report(study)["overview"]["total"]["sessions"] == 0
    assert "sessions" not in export_study(study, tmp_path / "one")["counts"]
    add_member(study, make_person("other"), "annotator", None)
    begun(study, Membership.objects.get(person__username="other").person)
    run_waiting()
    assert RevisionSession.objects.count() == 2
    assert session_report(study)["overview"]["total"]["sessions"] == 1
    assert export_study(study, tmp_path / "two")["counts"]["sessions"]["all"] == 1


def test_turns_are_units_of_the_agreement_report_like_any_other(worked):  # noqa: F811
    rating = agreement_report(worked, guidelines="all")["questions"]["rating"]
    assert (rating["level"], rating["ratings"], rating["units"], rating["units_with_two_or_more"]) == (
        "nominal",
        9,
        5,
        3,
    )
    # Of the pairs of raters of a turn: bad and neutral; good and good, good and bad twice; good and good.
    assert rating["percent_agreement"] == pytest.approx(2 / 5)
    assert rating["alpha_nominal"] is not None
    assert len(rating["cohen_kappa_pairs"]) == 3


def test_the_command_prints_the_report(worked, study, capsys, make_study):  # noqa: F811
    call_command("session_report", "revising", "--json")
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(session_report(worked)))
    call_command("session_report", "revising")
    said = capsys.readouterr().out
    assert "scripted/one" in said
    assert "0.400 (2 of 5)" in said
    make_study("other")
    for slug, words in (("other", "no sessions"), ("nothing", "no study")):
        with pytest.raises(CommandError, match=words):
            call_command("session_report", slug)


def test_the_page_prints_tables_and_plots_and_links_to_definitions(client, worked, owner):  # noqa: F811
    page = page_of(client, owner)
    part = page.split('id="of-sessions"')[1].split("</section>")[0]
    for title in ("Sessions and turns", "Ratings by kind of instruction", "Types of instructions", "What went wrong",
                  "What retrieval found", "Words and edits", "Second ratings", "scripted/two",
                  "all models"):  # fmt: skip
        assert title in part
    assert re.search(r'0\.400</span><span class="muted small ends">2 of 5</span>', part)
    assert len(re.findall(r'<rect class="(?:good|neutral|bad)"', part)) >= 6
    assert len(re.findall(r'<rect class="information"', part)) == 3
    headings = set(re.findall(r'<h\d id="([^"]+)"', client.get("/statistics/").content.decode()))
    assert set(re.findall(r'/statistics/#([^"]+)"', page)) <= headings


def test_the_page_of_a_study_without_sessions_says_so(client, study, owner):  # noqa: F811
    part = page_of(client, owner).split('id="of-sessions"')[1].split("</section>")[0]
    assert "No sessions yet: figures appear with the first answered turn." in part
    assert "undefined" not in part
    assert "<table" not in part
    assert "<svg" not in part


def test_other_protocols_have_no_section_on_sessions(client, make_study, owner):
    Membership.objects.create(study=make_study("plain"), person=owner, role="owner")
    client.force_login(owner)
    assert 'id="of-sessions"' not in read(client, "/studies/plain/report/").content.decode()


@pytest.mark.thorough
def test_only_researchers_see_model_names(client, worked, session, rater, stranger):  # noqa: F811
    client.force_login(rater)
    assert client.get(PAGE).status_code == 404
    add_member(worked, stranger, "researcher", None)
    client.force_login(stranger)
    assert "scripted/one" in read(client, PAGE).content.decode()
