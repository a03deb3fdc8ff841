"""Who takes part in a study: joining, leaving, roles, and the name under which a person's judgments are kept."""

import secrets
import string

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.assigning import release_held_by
from annotation.models import Membership, Rater, Study
from annotation.models.people import Role

NAMES = 20


class MembershipRefusedError(Exception):
    """A change that would leave a study without an owner; the message is a sentence for who asked."""


def add_member(study: Study, person: Person, role: str, actor: Person | None) -> Membership:
    """Make `person` a member; whoever is or was one keeps that membership as it is, whatever its role."""
    with transaction.atomic():
        there = Membership.objects.select_for_update().filter(study=study, person=person).first()
        if there is not None:
            return there
        membership = Membership.objects.create(study=study, person=person, role=role)
        record("member added", person.username, actor=actor, study=study.slug, new={"role": str(role)})
    return membership


def deactivate_member(membership: Membership, actor: Person | None) -> None:
    """End a membership: the next request finds it gone, and what the person held is free for others.

    Judgments stay. Raises MembershipRefusedError for the study's last owner.
    """
    with transaction.atomic():
        study = _locked(membership)
        if not membership.active:
            return
        _keep_an_owner(membership)
        membership.active = False
        membership.save(update_fields=["active"])
        _release(study, membership.person, "member removed")
        record(
            "member removed", membership.person.username, actor=actor, study=study.slug, old={"role": membership.role}
        )


def restore_member(membership: Membership, actor: Person | None) -> None:
    """Let a removed person take part again, in the role they had."""
    with transaction.atomic():
        study = _locked(membership)
        if membership.active:
            return
        membership.active = True
        membership.save(update_fields=["active"])
        record(
            "member restored", membership.person.username, actor=actor, study=study.slug, new={"role": membership.role}
        )


def change_role(membership: Membership, role: str, actor: Person | None) -> None:
    """Give a member another role. Raises MembershipRefusedError where no owner would be left."""
    with transaction.atomic():
        study = _locked(membership)
        old = membership.role
        if old == role:
            return
        if role != Role.OWNER:
            _keep_an_owner(membership)
        membership.role = role
        membership.save(update_fields=["role"])
        if role != Role.ANNOTATOR:
            _release(study, membership.person, "role changed")
        record(
            "role changed",
            membership.person.username,
            actor=actor,
            study=study.slug,
            old={"role": old},
            new={"role": str(role)},
        )


def rater_for(study: Study, person: Person) -> Rater:
    """The person's rater in the study; made on first need, with a random name that tells nothing of them."""
    known = Rater.objects.filter(study=study, person=person).first()
    for _ in range(NAMES):
        if known is not None:
            return known
        name = "rater-" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(8))
        try:
            with transaction.atomic():
                rater = Rater.objects.create(study=study, person=person, name=name)
                record("rater named", name, actor=person, study=study.slug)
                return rater
        except IntegrityError:  # the name is taken, or another request was first
            known = Rater.objects.filter(study=study, person=person).first()
    raise RuntimeError(f"No free rater name was found in {study.slug}.")


def _locked(membership: Membership) -> Study:
    """Lock the study's row, so that two owners cannot remove each other at once; read the membership anew."""
    study = Study.objects.select_for_update().get(pk=membership.study_id)
    membership.refresh_from_db(fields=["role", "active"])
    return study


def _keep_an_owner(membership: Membership) -> None:
    if membership.role != Role.OWNER or not membership.active:
        return
    owners = Membership.objects.filter(study=membership.study_id, role=Role.OWNER, active=True, person__is_active=True)
    if not owners.exclude(pk=membership.pk).exists():
        raise MembershipRefusedError("This is the study's only owner: make somebody else an owner first.")


def _release(study: Study, person: Person, why: str) -> None:
    rater = Rater.objects.filter(study=study, person=person).first()
    if rater is not None:
        release_held_by(study, rater, why)
