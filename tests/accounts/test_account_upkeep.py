"""Periodic upkeep deletes what has ended, keeps what has not, and does a bounded amount per run."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.auditing import record
from accounts.background import account_upkeep
from accounts.background.account_upkeep import archive_old_entries, forget_links, look_after_accounts
from accounts.models import AuditEntry, BrowserSession, SignInLink, WrongTryCount
from accounts.sign_in_links import issue_link
from annotation.background import leftover_upkeep
from annotation.background.leftover_upkeep import look_after_leftovers
from annotation.desk.assigning import next_assignment
from annotation.members.invitations import invite
from annotation.members.membership import rater_for
from annotation.models import DraftConflict, Invitation
from config.background.kinds import sweeps

LONG_AGO = timezone.now() - timedelta(days=400)


def test_workers_run_both():
    assert sweeps()["accounts"].run is look_after_accounts
    assert sweeps()["leftovers"].run is look_after_leftovers


def test_ended_sessions_links_and_counts_go_and_others_stay(client, owner, rater):
    client.force_login(owner)
    BrowserSession.objects.create(session_key="old", session_data="", expire_date=LONG_AGO)
    WrongTryCount.objects.create(key="old", ends_at=LONG_AGO)
    for ended in ({"used_at": LONG_AGO}, {"revoked_at": LONG_AGO}, {"expires_at": LONG_AGO}):
        issue_link(rater)
        SignInLink.objects.filter(pk=SignInLink.objects.latest("pk").pk).update(**ended)
    issue_link(rater)
    look_after_accounts()
    assert BrowserSession.objects.count() == 1
    assert not WrongTryCount.objects.exists()
    assert SignInLink.objects.count() == 1
    assert client.get("/my-settings/").status_code == 200


def test_a_run_deletes_no_more_than_its_bound(rater, monkeypatch):
    monkeypatch.setattr(account_upkeep, "AT_ONCE", 2)
    for _ in range(3):
        issue_link(rater)
    SignInLink.objects.update(expires_at=LONG_AGO)
    assert [forget_links() for _ in range(3)] == [2, 1, 0]


@pytest.fixture
def aged(monkeypatch, owner):
    """Three entries of long ago: their time is written when they are added, since the database keeps it for good."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: LONG_AGO)
    for number in range(3):
        record("seen", str(number), actor=owner)
    monkeypatch.undo()
    record("seen", "new", actor=owner)


def test_old_audit_entries_are_moved_to_files_in_bounded_runs(aged, settings, tmp_path, monkeypatch):
    settings.VAR, settings.AUDIT_KEEP_DAYS = tmp_path, 365
    monkeypatch.setattr(account_upkeep, "ENTRIES_AT_ONCE", 2)
    assert [archive_old_entries() for _ in range(3)] == [2, 1, 0]
    files = sorted((tmp_path / "audit").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    lines = [json.loads(line)["subject"] for path in files for line in path.read_text().splitlines()]
    assert lines == ["0", "1", "2"]
    assert list(AuditEntry.objects.filter(action="seen").values_list("subject", flat=True)) == ["new"]
    assert AuditEntry.objects.filter(action="audit archived").count() == 2


def test_without_the_setting_the_audit_stays(aged, settings, tmp_path):
    settings.VAR, settings.AUDIT_KEEP_DAYS = tmp_path, None
    assert archive_old_entries() == 0
    assert AuditEntry.objects.filter(action="seen").count() == 4
    assert not (tmp_path / "audit").exists()


def test_old_invitations_and_drafts_kept_aside_go_and_others_stay(study, owner, rater, monkeypatch):
    monkeypatch.setattr(leftover_upkeep, "AT_ONCE", 2)
    invite(study, "annotator", owner, count=4)
    first, second, third, open_one = Invitation.objects.order_by("pk")
    Invitation.objects.filter(pk=first.pk).update(expires_at=LONG_AGO)
    Invitation.objects.filter(pk=second.pk).update(revoked_at=LONG_AGO)
    Invitation.objects.filter(pk=third.pk).update(accepted_at=LONG_AGO, accepted_by=rater)
    assignment = next_assignment(study, rater_for(study, rater))
    for _ in range(2):
        DraftConflict.objects.create(assignment=assignment, base_version=1, body={})
    kept = DraftConflict.objects.latest("pk")
    DraftConflict.objects.exclude(pk=kept.pk).update(saved_at=LONG_AGO)
    look_after_leftovers()
    assert Invitation.objects.count() == 2
    look_after_leftovers()
    assert list(Invitation.objects.all()) == [open_one]
    assert list(DraftConflict.objects.all()) == [kept]
