import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, skip, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Rater
from tests.conftest import make_person

FORM = {"q-follows": ["true"], "q-how_well": ["4"]}
PAGES = ("", "people/", "invitations/", "attention/", "guidelines/", "guidelines/edit/", "settings/", "report/")


def given(study, person):
    return next_assignment(study, rater_for(study, person))


def empty(revision=0):
    return Submission({}, revision=revision, guidelines_version=1)


def test_the_overview_shows_progress_annotators_and_what_needs_attention(client, study, owner, rater):
    submit(given(study, rater), Submission(FORM, revision=0, guidelines_version=1))
    flag(given(study, rater), "The document is missing")
    skip(given(study, rater), empty(1), "I know the author")
    client.force_login(owner)
    page = client.get("/studies/study/").content.decode()
    for words in ("of 12 answers given", "1 flag to resolve", "The document is missing", "1 task skipped",
                  "I know the author", "Each task needs 2 different annotators", "Does it follow?", "Version 1",
                  "Name a contact", "Rating of single outputs"):  # fmt: skip
        assert words in page


def test_a_draft_offers_to_go_live_and_a_live_study_to_pause(client, study, make_study, owner):
    add_member(make_study("draft"), owner, "owner", None)
    client.force_login(owner)
    assert "Go live" in client.get("/studies/draft/").content.decode()
    live = client.get("/studies/study/").content.decode()
    assert "Pause the study" in live
    assert "Close the study" in live


def test_a_researcher_is_not_offered_what_only_owners_do(client, study, owner, stranger):
    add_member(study, stranger, "researcher", owner)
    client.force_login(stranger)
    assert "Close the study" not in client.get("/studies/study/").content.decode()
    assert "Yes, remove" not in client.get("/studies/study/people/").content.decode()


@pytest.mark.parametrize("page", PAGES)
def test_somebody_elses_study_is_answered_like_one_that_does_not_exist(client, study, stranger, page):
    client.force_login(stranger)
    theirs, nobodys = client.get(f"/studies/study/{page}"), client.get(f"/studies/nothing/{page}")
    assert theirs.status_code == nobodys.status_code == 404

    def without_id(response):
        return response.content.decode().replace(response["X-Request-Id"], "")

    assert without_id(theirs) == without_id(nobodys)
    assert "A study" not in theirs.content.decode()


@pytest.mark.parametrize("page", [page for page in PAGES if page != "guidelines/"])
def test_an_annotator_sees_none_of_the_pages_of_those_who_run_the_study(client, study, rater, page):
    client.force_login(rater)
    assert client.get(f"/studies/study/{page}").status_code == 404


def test_invitations_of_another_study_cannot_be_revoked_through_mine(client, study, make_study, owner):
    from annotation.members.invitations import invite

    other = make_study("other")
    invite(other, "annotator", None)
    client.force_login(owner)
    invitation = other.invitations.get()
    assert client.post(f"/studies/study/invitations/{invitation.pk}/revoke/").status_code == 404
    invitation.refresh_from_db()
    assert invitation.revoked_at is None


def test_flagged_and_skipped_tasks_are_listed_with_item_reason_and_pseudonym_only(client, study, owner, stranger):
    flagger = make_person("flagger", full_name="CANARY NAME")
    add_member(study, flagger, "annotator", owner)
    flag(given(study, flagger), "<b>odd</b>")
    skip(given(study, flagger), empty(1), "too long")
    client.force_login(owner)
    flagged = client.get("/studies/study/attention/").content.decode()
    assert "&lt;b&gt;odd&lt;/b&gt;" in flagged
    assert Rater.objects.get(person=flagger).name in flagged
    skipped = client.get("/studies/study/attention/?kind=skipped").content.decode()
    assert "too long" in skipped
    assert Annotation.objects.get(is_current=True).task.item.key in skipped
    assert "CANARY" not in flagged + skipped


def test_an_empty_list_says_what_it_would_show(client, study, owner):
    client.force_login(owner)
    assert "No flagged tasks" in client.get("/studies/study/attention/").content.decode()
    assert "No skipped tasks" in client.get("/studies/study/attention/?kind=skipped").content.decode()


@pytest.mark.parametrize("page", ["?page=999", "?page=x", "?page=-1", "?kind=;drop"])
def test_an_invalid_page_number_shows_a_page(client, study, owner, page):
    client.force_login(owner)
    assert client.get(f"/studies/study/attention/{page}").status_code == 200


@pytest.mark.thorough
@pytest.mark.parametrize("page", ["", "people/", "invitations/", "attention/"])
def test_a_page_takes_the_same_queries_for_many_people_and_answers(client, study, owner, page):
    from annotation.members.invitations import invite

    client.force_login(owner)

    def queries():
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"/studies/study/{page}").status_code == 200
        return len(captured)

    def more(prefix, count):
        for number in range(count):
            person = make_person(f"{prefix}{number}")
            add_member(study, person, "annotator", owner)
            assignment = given(study, person)
            flag(assignment, "odd")
            skip(assignment, empty(1), "no")
        invite(study, "annotator", owner, count=count)

    more("first", 1)
    before = queries()
    more("later", 4)
    assert queries() == before <= 30


def test_imported_raters_are_listed_without_a_membership(client, study, owner):
    Rater.objects.create(study=study, name="from-file")
    client.force_login(owner)
    page = client.get("/studies/study/people/").content.decode()
    assert "from-file" in page
    assert "imported" in page
