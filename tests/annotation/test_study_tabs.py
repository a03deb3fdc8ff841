"""The tabs of a study: few in the first row, those of the current group in the second, the same for every page."""

import pytest
from django.urls import reverse

from annotation.models import Membership, Study
from annotation.study_tabs import TABS

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


def rows_of(client, study, route):
    response = client.get(reverse(route, args=[study.slug]))
    assert response.status_code == 200
    return response.context["tab_rows"]


@pytest.fixture
def web(client, owner, study):
    client.force_login(owner)
    return client


@pytest.mark.thorough
def test_every_tab_of_a_study_leads_to_a_page_on_which_it_is_current(web, study):
    wrong = []
    for tab in TABS:
        rows = rows_of(web, study, tab.route)
        current = [one.title for one in [*rows.groups, *rows.tabs] if one.current == "page"]
        if current != [tab.title] or rows.group != tab.group:
            wrong.append((tab.title, rows.group, current))
    assert wrong == []


def test_people_is_current_on_the_page_of_a_member_s_link(web, study):
    member = Membership.objects.get(study=study, role="annotator")
    rows = web.get(reverse("annotation:member_link", args=[study.slug, member.pk])).context["tab_rows"]
    assert [one.title for one in [*rows.groups, *rows.tabs] if one.current] == ["People", "People"]


def test_a_group_of_one_tab_has_no_second_row(web, study):
    rows = rows_of(web, study, "annotation:guidelines")
    assert rows.tabs == []
    assert [one.title for one in rows.groups if one.current] == ["Guidelines"]


def test_only_the_group_of_a_page_shows_its_tabs(web, study):
    rows = rows_of(web, study, "annotation:invitations")
    shown = [(one.title, one.current) for one in rows.tabs]
    assert shown == [
        ("People", ""), ("Messages", ""), ("Invitations", "page"), ("E-mail", ""), ("Rater checks", ""),
        ("Assignment plan", ""),
    ]  # fmt: skip
    assert [(one.title, one.current) for one in rows.groups if one.current] == [("People", "true")]


def test_a_draft_offers_what_prepares_it_and_a_live_study_does_not(web, study):
    titles = [one.title for one in rows_of(web, study, "managing:items").tabs]
    assert titles == ["Items", "Upload"]
    Study.objects.update(status="draft")
    titles = [one.title for one in rows_of(web, study, "managing:items").tabs]
    assert titles == ["Items", "Upload", "Prepare"]


def test_pages_of_the_protocol_are_beside_the_overview(web, study):
    Study.objects.update(protocol="session")
    rows = rows_of(web, study, "revision_sessions:sessions")
    assert [(one.title, one.current) for one in rows.tabs] == [
        ("Overview", ""), ("Sessions", "page"), ("Progress", ""), ("Dry run", ""),
    ]  # fmt: skip
