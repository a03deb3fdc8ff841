"""Whatever address changes a row when it is sent a plain form also adds to the audit, except for bookkeeping."""

from django.apps import apps
from django.db import transaction

from accounts.models import AuditEntry
from tests.changed_rows import changes
from tests.world import ROUTES

SENDERS = ("owner", "annotator", "token_account")
FORM = {
    "reason": "Because.", "note": "Noted.", "title": "Other", "text": "Other text.", "name": "one",
    "role": "researcher", "verb": "pause", "days": "30", "scope": "read", "count": "1", "form": "csv",
    "full_name": "Other", "revision": "0", "q-follows": "true", "q-how_well": "4", "draft_version": "0",
}  # fmt: skip
LEFT_OUT = ("admin", "auth", "contenttypes", "sessions")
BOOKKEEPING = {
    "annotation:invitation_opened": {"annotation.Invitation"},
    "annotation:next_task": {"annotation.Slot"},
    "annotation:pulse": {"annotation.Slot", "annotation.Assignment"},
    "annotation:save_draft": {"annotation.Assignment"},
    "llm:stop_trial": {"llm.Completion"},
    "llm:try_model": {"llm.Completion"},
    "mail:forgotten_password": {"accounts.KnownAddress", "accounts.WrongTryCount", "mail.OutgoingMail"},
    "retrieval:stop_build": {"retrieval.IndexBuild"},
    "retrieval:stop_upload": {"retrieval.PaperUpload"},
}
"""Leases, drafts, marks of a use, trials that only their asker sees, which the ledger of calls has, and a request for a
link, which the audit has when the link is made."""
ALWAYS = {"annotation.Token", "annotation.AccountToken"}
"""When a token was last used."""


def left_out() -> set[str]:
    return {one._meta.label for one in apps.get_models() if one._meta.app_label in LEFT_OUT or one is AuditEntry}


def test_every_address_outside_the_admin_that_changes_a_row_adds_to_the_audit(world):
    clients, address = world
    known = AuditEntry.objects.count()
    silent, recorded = [], set()
    for route in (route for route in ROUTES if "admin" not in route):
        for name in SENDERS:
            client = clients[name]
            cookies = client.cookies.copy()
            with transaction.atomic():
                with changes() as found:
                    response = client.post(address(route), FORM)
                    if response.streaming:
                        b"".join(response)
                if response.status_code < 400:
                    changed = found - left_out() - ALWAYS
                    if AuditEntry.objects.count() > known:
                        recorded.add(route)
                    elif changed - BOOKKEEPING.get(route, set()):
                        silent.append(f"{route} by {name}: {sorted(changed)}")
                transaction.set_rollback(True)
            client.cookies = cookies
    assert silent == []
    assert len(recorded) > 25
