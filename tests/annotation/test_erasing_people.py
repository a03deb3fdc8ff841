"""Erasing people: what their accounts, invitations and the logs still say of them afterwards."""

import json

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.urls import reverse

from accounts.models import AuditEntry, Identity, KnownAddress, Person, SignInLink
from annotation.members.data_download import own_data
from annotation.members.invitations import InvitationDeadError, invite, open_invitation
from annotation.members.membership import change_role
from annotation.members.rater_erasure import erase_rater
from annotation.models import Invitation, Membership
from tests.annotation.test_erasing import STUDIES, ann_of, everything, filled, people, study_called
from tests.fewer import first_cases

pytestmark = pytest.mark.postgresql
__all__ = ["filled", "people"]
NAMES = ("ann-user-name", "Ann Fullname", "ann@mail.example", "PHRASE-OF-ANN")
"""What leads to Ann, and what she has saved for herself."""


@pytest.mark.parametrize("keep_answers", first_cases([True, False]))
def test_a_person_who_is_erased_everywhere_is_named_nowhere(people, keep_answers):
    assert all(name in everything() for name in NAMES)
    gone = [erase_rater(ann_of(study_called(slug), people), None, keep_answers=keep_answers) for slug in STUDIES]
    assert gone == [False, False, False, True]
    text = everything()
    for name in NAMES:
        assert name not in text
    assert not Invitation.objects.filter(note__contains="Ann").exists()
    ann = Person.objects.get(pk=people.ann.pk)
    assert (ann.is_active, ann.has_usable_password(), ann.last_login) == (False, False, None)
    assert not ann.sign_in_links.exists()
    assert set(KnownAddress.objects.values_list("person", flat=True)) == {people.owner.pk, people.ben.pk}
    assert not Identity.objects.filter(person=ann).exists()
    assert AuditEntry.objects.filter(action="rater erased").count() == 4
    assert all(other in text for other in ("ben-user-name", "Olive Fullname"))


@pytest.mark.parametrize("keep_answers", [True, False])
def test_open_invitations_of_an_erased_person_no_longer_work(people, client, keep_answers):
    study = study_called("the-rating")
    change_role(Membership.objects.get(study=study, person=people.ann), "owner", None)
    given = {role: invite(study, role, people.ann)[0] for role in ("researcher", "annotator")}
    of_owner, of_command = invite(study, "annotator", people.owner)[0], invite(study, "annotator", None)[0]
    assert {client.get(path).status_code for path in (*given.values(), of_owner, of_command)} == {200}
    erase_rater(ann_of(study, people), people.owner, keep_answers=keep_answers)
    assert [client.get(path).status_code for path in given.values()] == [404, 404]
    for path in given.values():
        with pytest.raises(InvitationDeadError):
            open_invitation(path.rstrip("/").rsplit("/", 1)[-1])
    assert [client.get(path).status_code for path in (of_owner, of_command)] == [200, 200]


def test_names_that_operators_wrote_in_the_admin_are_kept_nowhere_else(people, client):
    operator = Person.objects.create_user("operator", is_staff=True, is_superuser=True)
    client.force_login(operator)
    rights = {"is_active": "on", "is_staff": "", "is_superuser": ""}
    before = {"username": "ann-maiden-name", "full_name": "Ann Maidenname", "email": "ann@old.example"}
    after = {"username": "ann-user-name", "full_name": "Ann Fullname", "email": "ann@mail.example"}
    address = reverse("admin:accounts_person_change", args=[people.ann.pk])
    for names in (before, after):
        assert client.post(address, names | rights).status_code == 302
    membership = Membership.objects.get(person=people.ann, study__slug="the-rating")
    for step in ("remove", "restore"):
        form = {"action": step, "_selected_action": [membership.pk], "index": "0"}
        assert client.post(reverse("admin:annotation_membership_changelist"), form).status_code == 302
        membership.refresh_from_db()
        assert membership.active is (step == "restore")
    text = everything()
    for name in before.values():
        assert name not in text
    for slug in STUDIES:
        erase_rater(ann_of(study_called(slug), people), None, keep_answers=True)
    text = everything()
    for name in after.values():
        assert name not in text


def test_what_an_earlier_admin_logged_about_a_person_goes_with_their_account(people):
    Person.objects.filter(pk=people.ann.pk).update(username="an")
    of_memberships, of_links, of_people = (
        ContentType.objects.get_for_model(model) for model in (Membership, SignInLink, Person)
    )
    added = json.dumps([{"added": {"name": "membership", "object": "Ann Fullname in A rating study as annotator"}}])
    changed = json.dumps([{"changed": {"fields": ["Is an operator"]}}])
    for kind, key, quoted, message in (
        (of_people, people.ann.pk, "Ann Beforehand", ""), (of_people, people.ben.pk, "Ben Fullname", changed),
        (of_memberships, 1, "Ann Fullname in A rating study as annotator", ""),
        (of_memberships, 2, "Ben Fullname in A rating study as annotator", ""),
        (of_memberships, 3, "Ben Fullname in What is an answer? as annotator", ""),
        (of_memberships, 4, "an in A rating study as annotator", ""), (of_links, 5, "sign-in link of an", ""),
        (of_memberships, 6, "A rating study", added),
    ):  # fmt: skip
        LogEntry.objects.create(
            user=people.owner, content_type=kind, object_id=str(key), object_repr=quoted, change_message=message,
            action_flag=CHANGE,
        )  # fmt: skip
    for slug in STUDIES:
        erase_rater(ann_of(study_called(slug), people), None, keep_answers=True)
    assert sorted(row.object_repr for row in LogEntry.objects.all()) == [
        "Ben Fullname", "Ben Fullname in A rating study as annotator",
        "Ben Fullname in What is an answer? as annotator",
    ]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("keep_answers", [True, False])
def test_the_audit_does_not_name_a_person_who_erases_themselves(people, keep_answers):
    for slug in STUDIES:
        erase_rater(ann_of(study_called(slug), people), people.ann, keep_answers=keep_answers)
    assert not Identity.objects.filter(person=people.ann).exists()
    entries = AuditEntry.objects.filter(action="rater erased")
    assert [(entry.actor is None, entry.actor.person) for entry in entries] == [(False, None)] * 4
    assert {entry.new["answers"] for entry in entries} == {"kept" if keep_answers else "erased"}


def test_an_account_that_is_used_elsewhere_stays(people):
    Person.objects.filter(pk=people.ann.pk).update(is_staff=True)
    assert [erase_rater(ann_of(study_called(slug), people), None, keep_answers=True) for slug in STUDIES] == [False] * 4
    assert Person.objects.get(pk=people.ann.pk).username == "ann-user-name"


def test_people_download_what_they_wrote_in_every_protocol_and_no_systems_name(people):
    text = "".join(own_data(people.ann))
    told = json.loads(text)
    for mine in (
        "ann-user-name",
        "PHRASE-OF-ANN",
        "ANSWER-OF-ANN",
        "DRAFT-OF-ANN",
        "INSTRUCTION-OF-ANN",
        "EDIT-OF-ANN",
    ):
        assert mine in text
    assert {one["study"] for one in told["answers"]} == set(STUDIES)
    for other in ("ben-user-name", "Olive Fullname", "extractive/", '"north"', '"south"'):
        assert other not in text
