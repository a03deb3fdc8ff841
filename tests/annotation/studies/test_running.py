from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.models import Membership, Slot, Study, TaskPreparation
from annotation.studies import lifecycle
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.planning import is_planned, plan_chunk
from annotation.studies.preparing_tasks import WORK_KEY, request_preparation
from config.background.claiming import Claim, claim, run_waiting
from config.background.kinds import ClaimLostError, works
from tests.conftest import add_item

pytestmark = [pytest.mark.quick, pytest.mark.postgresql]
PAUSE, LIVE, CLOSE, REOPEN = (f"/studies/study/{step}/" for step in ("pause", "live", "close", "reopen"))


@pytest.fixture
def draft(make_study, owner):
    study = make_study()
    Membership.objects.create(study=study, person=owner, role="owner")
    return study


def status(study):
    return Study.objects.get(pk=study.pk).status


def test_a_study_goes_live_only_with_items(make_study, owner):
    with pytest.raises(StudyRefusedError, match="no items"):
        lifecycle.make_live(make_study(items=0), owner)


def test_a_study_goes_live_only_when_its_items_are_prepared(draft, owner):
    with pytest.raises(StudyRefusedError, match="prepare"):
        lifecycle.make_live(draft, owner)
    assert lifecycle.prepare(draft, 10)
    lifecycle.make_live(draft, owner)
    assert status(draft) == "live"


def test_preparing_stops_after_its_time_and_continues_where_it_was(draft, monkeypatch):
    monkeypatch.setattr(lifecycle, "plan_chunk", lambda study, size: plan_chunk(study, 1))
    assert not lifecycle.prepare(draft, 0)
    assert Slot.objects.values("item").distinct().count() == 1
    assert lifecycle.prepare(draft, 0)
    assert is_planned(draft)
    assert Slot.objects.values("item").distinct().count() == 2


def test_only_the_steps_of_a_study_can_be_taken(draft, owner):
    lifecycle.prepare(draft, 10)
    steps = {
        "live": lambda: lifecycle.make_live(draft, owner),
        "paused": lambda: lifecycle.pause(draft, owner),
        "closed": lambda: lifecycle.close(draft, owner),
        "reopened": lambda: lifecycle.reopen(draft, owner),
    }
    allowed = {
        "draft": {"live"}, "live": {"paused", "closed"}, "paused": {"live", "closed"}, "closed": {"reopened"},
    }  # fmt: skip
    for before, possible in allowed.items():
        for name, step in steps.items():
            Study.objects.filter(pk=draft.pk).update(status=before)
            if name in possible:
                step()
                assert status(draft) == name.replace("reopened", "live")
            else:
                with pytest.raises(StudyRefusedError):
                    step()
                assert status(draft) == before


def test_every_step_is_recorded_with_who_old_new_and_reason(draft, owner):
    lifecycle.prepare(draft, 10)
    lifecycle.make_live(draft, owner)
    lifecycle.pause(draft, owner, "The heating broke")
    entries = list(AuditEntry.objects.filter(action="status changed").order_by("pk"))
    assert [(e.old, e.new, e.actor.person, e.study) for e in entries] == [
        ({"status": "draft"}, {"status": "live"}, owner, "study"),
        ({"status": "live"}, {"status": "paused", "reason": "The heating broke"}, owner, "study"),
    ]


def test_going_live_from_the_page_prepares_and_comes_back(client, draft, owner):
    client.force_login(owner)
    assert client.post(LIVE)["Location"] == "/studies/study/"
    assert status(draft) == "live"


@pytest.fixture
def large(draft, monkeypatch):
    """A draft with more items than a request prepares."""
    monkeypatch.setattr("annotation.studies.preparing_tasks.FEW_ITEMS", 1)
    return draft


def test_a_large_study_goes_live_by_a_worker_and_the_page_says_how_far_it_is(client, large, owner):
    client.force_login(owner)
    assert client.post(LIVE)["Location"] == "/studies/study/"
    assert (status(large), Slot.objects.count()) == ("draft", 0)
    assert "Waiting for a worker" in client.get("/studies/study/").content.decode()
    TaskPreparation.objects.update(done=1, total=2)
    fragment = client.get(f"{LIVE}progress/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    assert "1 of 2 items" in fragment
    run_waiting()
    assert status(large) == "live"
    assert AuditEntry.objects.get(action="status changed").actor.person == owner
    last = client.get(f"{LIVE}progress/", headers={"HX-Request": "true"})
    assert last["HX-Redirect"] == "/studies/study/"
    assert "The study is live" in client.get("/studies/study/").content.decode()


def test_a_preparation_that_was_asked_for_twice_is_done_once_and_goes_live(large, owner):
    request_preparation(large, None, goes_live=False)
    request_preparation(large, owner, goes_live=True)
    request_preparation(large, None, goes_live=False)
    run_waiting()
    assert TaskPreparation.objects.get().status == "done"
    assert status(large) == "live"


def test_a_preparation_that_lost_its_worker_is_continued_by_another(large, owner, monkeypatch):
    request_preparation(large, owner, goes_live=True)
    row = TaskPreparation.objects.get()
    work = works()[WORK_KEY]
    lost = claim(work, row.pk)
    plan_chunk(large, 1)
    TaskPreparation.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    with pytest.raises(ClaimLostError):
        work.run(lost)
    row.refresh_from_db()
    assert (row.status, row.done, row.total, row.attempt) == ("done", 2, 2, 2)
    assert Slot.objects.count() == 2 * 3 * large.redundancy
    assert AuditEntry.objects.filter(action="status changed").count() == 1


def test_progress_counts_each_item_once(large, monkeypatch):
    told = []
    monkeypatch.setattr("annotation.background.task_preparing.SECONDS", 0)
    monkeypatch.setattr(lifecycle, "plan_chunk", lambda study, size: plan_chunk(study, 1))
    monkeypatch.setattr(Claim, "update", lambda claim, **fields: told.append((fields["done"], fields["total"])))
    add_item(large, "third")
    request_preparation(large, None, goes_live=False)
    run_waiting()
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert TaskPreparation.objects.get().done == 3


def test_why_a_preparation_could_not_go_live_is_said_on_the_page(client, large, owner, monkeypatch):
    request_preparation(large, owner, goes_live=True)
    Study.objects.update(status="closed")
    run_waiting()
    client.force_login(owner)
    assert "cannot become live" in client.get("/studies/study/").content.decode()


def test_items_added_to_a_live_study_are_prepared_from_its_page(client, draft, owner):
    lifecycle.prepare(draft, 10)
    lifecycle.make_live(draft, owner)
    add_item(draft, "late")
    client.force_login(owner)
    assert "not given out yet" in client.get("/studies/study/").content.decode()
    client.post(LIVE)
    draft.refresh_from_db()
    assert is_planned(draft)
    assert status(draft) == "live"


def test_a_step_that_cannot_be_taken_is_explained_on_the_page(client, draft, owner):
    client.force_login(owner)
    page = client.post(PAUSE, follow=True)
    assert "A study that is draft cannot become paused." in page.content.decode()


def test_only_owners_close_and_reopen(client, study, owner, stranger):
    Membership.objects.create(study=study, person=stranger, role="researcher")
    client.force_login(stranger)
    assert client.post(CLOSE).status_code == 404
    assert client.post(PAUSE).status_code == 302
    client.force_login(owner)
    assert client.post(CLOSE, {"reason": "done"}).status_code == 302
    assert status(study) == "closed"
    assert AuditEntry.objects.get(new__contains="closed").new["reason"] == "done"
    assert client.post(REOPEN).status_code == 302
    assert status(study) == "live"


def test_the_command_makes_a_study_live_and_says_so_again(draft, capsys):
    call_command("make_live", "study")
    assert status(draft) == "live"
    call_command("make_live", "study")
    assert "is live" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no study called 'ghost'"):
        call_command("make_live", "ghost")


def test_the_command_says_why_a_study_cannot_go_live(make_study):
    make_study("empty", items=0)
    with pytest.raises(CommandError, match="no items"):
        call_command("make_live", "empty")


def test_a_description_form_changes_title_description_and_contact_and_nothing_else(client, study, owner):
    client.force_login(owner)
    before = Study.objects.filter(pk=study.pk).values("slug", "status", "redundancy", "protocol", "options").get()
    extra = {"status": "closed", "slug": "mine", "redundancy": "9", "protocol": "x", "options": "{}", "id": "77"}
    form = {"title": "New", "description": "Two\r\nlines ", "contact": "Ask us", **extra}
    assert client.post("/studies/study/settings/", form).status_code == 302
    study.refresh_from_db()
    assert (study.title, study.description, study.contact) == ("New", "Two\nlines ", "Ask us")
    assert Study.objects.filter(pk=study.pk).values(*before).get() == before
    entry = AuditEntry.objects.get(action="study described")
    assert entry.actor.person == owner
    assert entry.old["title"] == "A study"
    assert entry.new["title"] == "New"


def test_saving_a_description_without_a_change_leaves_no_record(client, study, owner):
    client.force_login(owner)
    client.post("/studies/study/settings/", {"title": "A study", "description": "", "contact": ""})
    assert not AuditEntry.objects.filter(action="study described").exists()
