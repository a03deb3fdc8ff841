"""Whom audit entries name, and that emptying one row ends it."""

import threading

import pytest
from django.db import IntegrityError, connections, transaction

from accounts.auditing import identity_of, record
from accounts.models import AuditEntry, Identity
from config.erasure import open_erasure


@pytest.mark.django_db
def test_entries_name_people_by_one_identity_per_study(owner, rater):
    for _ in range(2):
        record("member added", actor=owner, about=rater, study="one")
    record("member added", actor=owner, about=rater, study="two")
    record("signed in", actor=rater)
    record("status changed", "two", actor=None, study="two")
    assert set(Identity.objects.values_list("person", "study")) == {
        (owner.pk, "one"), (owner.pk, "two"), (rater.pk, "one"), (rater.pk, "two"), (rater.pk, ""),
    }  # fmt: skip
    assert Identity.objects.count() == 5
    named = [(str(entry.actor), str(entry.about)) for entry in AuditEntry.objects.filter(study="one")]
    assert named == [("owner", "rater")] * 2


@pytest.mark.django_db
def test_emptying_an_identity_removes_the_name_from_every_entry_of_its_study(owner, rater):
    record("member added", actor=owner, about=rater, study="one")
    record("task assigned", "task 1", actor=rater, study="one")
    record("member added", actor=owner, about=rater, study="two")
    identity = identity_of(rater, "one")
    with open_erasure("test"):
        Identity.objects.filter(pk=identity.pk).update(person=None)
    added, assigned = AuditEntry.objects.filter(study="one").order_by("pk")
    assert str(added.about) == str(assigned.actor) == f"erased person {identity.pk}"
    assert AuditEntry.objects.get(study="two").about.person == rater


@pytest.mark.django_db
def test_an_identity_changes_only_in_an_erasure(owner, rater):
    record("signed in", actor=rater)
    for change in ({"person": None}, {"person": owner}, {"study": "other"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Identity.objects.update(**change)
    with pytest.raises(IntegrityError), transaction.atomic(), connections["default"].cursor() as cursor:
        cursor.execute("DELETE FROM accounts_identity")


@pytest.mark.django_db(transaction=True)
def test_simultaneous_first_entries_make_one_identity(owner):
    ready, found = threading.Barrier(4), []

    def first_entry():
        try:
            ready.wait(30)
            found.append(record("signed in", actor=owner).actor_id)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=first_entry) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [Identity.objects.get().pk] * 4


@pytest.mark.django_db
def test_the_operator_reads_names_while_they_are_there_and_ids_after(client, admin_user, rater):
    record("member added", actor=None, about=rater, study="one")
    client.force_login(admin_user)
    page = client.get("/admin/accounts/auditentry/", {"q": "rater"}).content.decode()
    assert "member added" in page
    assert ">rater<" in page
    identity = identity_of(rater, "one")
    with open_erasure("test"):
        Identity.objects.filter(pk=identity.pk).update(person=None)
    page = client.get("/admin/accounts/auditentry/").content.decode()
    assert f"erased person {identity.pk}" in page
    assert ">rater<" not in page
