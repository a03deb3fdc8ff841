"""Closed studies: locked ones are corrected only with a reason, archived ones not at all; projects group studies."""

import pytest

from accounts.models import AuditEntry, Person
from annotation.models import Membership, Project, Study
from annotation.studies import closing, lifecycle
from annotation.studies.corrections import StudyArchivedError, StudyRefusedError
from annotation.studies.projects import move_to_project
from annotation.studies.queries import work_of
from annotation.studies.run_studies import runs_of
from files.reading import ImportRefusedError, add_to_study

pytestmark = pytest.mark.postgresql
ABOUT = {"title": "New", "description": "", "contact": ""}


@pytest.fixture
def closed(study, owner):
    lifecycle.close(study, owner)
    return study


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "new", "outputs": [{"id": "a", "text": "At nine."}]}\n')
    return {"items": path}


def corrections(study, owner, items):
    """The verbs that correct a study, each as a function of a reason."""
    return {
        "description": lambda why: lifecycle.describe(study, owner, **ABOUT, reason=why),
        "guidelines": lambda why: lifecycle.publish_guidelines(study, "New.", owner, why),
        "import": lambda why: add_to_study(study, items, owner, reason=why),
        "reopening": lambda why: (lifecycle.prepare(study, 5), lifecycle.reopen(study, owner, why)),
    }


@pytest.mark.parametrize("kind", ["description", "guidelines", "import", "reopening"])
def test_a_locked_study_is_corrected_only_with_a_reason(closed, owner, items, kind):
    closing.lock(closed, owner)
    verb = corrections(closed, owner, items)[kind]
    with pytest.raises((StudyRefusedError, ImportRefusedError), match="reason"):
        verb("")
    with pytest.raises((StudyRefusedError, ImportRefusedError), match="reason"):
        verb("  ")
    verb("A name was wrong.")
    assert AuditEntry.objects.filter(new__contains="A name was wrong.").exists()


@pytest.mark.parametrize("kind", ["description", "guidelines", "import", "reopening"])
def test_an_archived_study_is_never_changed(closed, owner, items, kind):
    closing.archive(closed, owner)
    with pytest.raises(StudyArchivedError):
        corrections(closed, owner, items)[kind]("A name was wrong.")
    closing.bring_back(closed, owner)
    corrections(closed, owner, items)[kind]("")


def test_reopening_ends_the_lock(closed, owner):
    closing.lock(closed, owner)
    lifecycle.reopen(closed, owner, "One more rater.")
    assert Study.objects.get(pk=closed.pk).locked_at is None


def test_unlocking_needs_a_reason(closed, owner):
    closing.lock(closed, owner)
    with pytest.raises(StudyRefusedError):
        closing.unlock(closed, "", owner)
    closing.unlock(closed, "Locked by mistake.", owner)
    assert Study.objects.get(pk=closed.pk).locked_at is None


def test_only_closed_studies_are_locked_or_archived(study, owner):
    for verb in (closing.lock, closing.archive):
        with pytest.raises(StudyRefusedError, match="Close it first"):
            verb(study, owner)


def test_archived_studies_are_not_on_the_home_page_but_under_archived(closed, owner, rater, client):
    closing.archive(closed, owner)
    assert runs_of(owner) == []
    assert [run.study for run in runs_of(owner, archived=True)] == [closed]
    assert work_of(rater) == []
    client.force_login(owner)
    assert "A study" not in client.get("/").content.decode()
    assert "A study" in client.get("/archived/").content.decode()
    assert client.post("/studies/study/guidelines/edit/", {"text": "New."}).status_code == 403
    assert "archived" in client.post("/studies/study/guidelines/edit/", {"text": "New."}).content.decode()


def test_pages_of_a_locked_study_ask_for_the_reason(closed, owner, client):
    closing.lock(closed, owner)
    client.force_login(owner)
    form = {"title": "New", "description": "", "contact": ""}
    assert client.post("/studies/study/settings/", form).status_code == 422
    assert client.post("/studies/study/settings/", {**form, "reason": "A slip."}).status_code == 302
    assert Study.objects.get(pk=closed.pk).title == "New"


def test_a_project_is_seen_by_those_who_run_a_study_of_it(study, make_study, owner, stranger, client):
    other = make_study("second")
    move_to_project(study, "Ferries", owner)
    superuser = Person.objects.create(username="root", is_superuser=True)
    move_to_project(other, "Ferries", superuser)
    assert study.project == other.project
    client.force_login(owner)
    page = client.get(f"/projects/{study.project.pk}/").content.decode()
    assert "A study" in page
    assert page.count('class="card run"') == 1
    client.force_login(stranger)
    assert client.get(f"/projects/{study.project.pk}/").status_code == 404


def test_two_groups_of_owners_may_use_one_name(study, make_study, owner, stranger):
    other = make_study("second")
    Membership.objects.create(study=other, person=stranger, role="owner")
    move_to_project(study, "Ferries", owner)
    move_to_project(other, "Ferries", stranger)
    assert study.project != other.project
    move_to_project(other, "", stranger)
    assert Project.objects.get() == study.project


def test_the_home_page_groups_studies_by_project(study, owner, client):
    move_to_project(study, "Ferries", owner)
    client.force_login(owner)
    assert "Ferries" in client.get("/").content.decode()
