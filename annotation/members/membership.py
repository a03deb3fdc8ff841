"""Who is in a study: joining, leaving, roles, and the rater under whose name a person's judgments are stored."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.desk.assigning import release_held_by
from annotation.members.pseudonyms import named_row
from annotation.members.revoking import revoke_lapsed_grants
from annotation.models import Membership, Rater, Study
from annotation.models.people import Role
from annotation.studies.locking import lock_rater, lock_study

OF_ANOTHER = "This account was made by the link of another study, and is open to that study alone."


class MembershipRefusedError(Exception):
    """The change would leave a study without an owner, or open a second study to a guest.

    The message is a sentence for the person who tried.
    """


def add_member(study: Study, person: Person, role: str, actor: Person | None) -> Membership:
    """Make `person` a member. If they are or were one, return that membership unchanged.

    Raises MembershipRefusedError for a guest of another study.
    """
    if not person.may_be_in(study.slug):
        raise MembershipRefusedError(OF_ANOTHER)
    with transaction.atomic():
        there = Membership.objects.select_for_update(no_key=True).filter(study=study, person=person).first()
        if there is not None:
            return there
        membership = Membership.objects.create(study=study, person=person, role=role)
        record("member added", actor=actor, about=person, study=study.slug, new={"role": str(role)})
    return membership


def deactivate_member(membership: Membership, actor: Person | None) -> None:
    """End a membership from the next request on, and release the tasks that the person held.

    Their judgments stay. Their open invitations and tokens end. Raises MembershipRefusedError for the last owner.
    """
    with transaction.atomic():
        study = _locked(membership)
        if not membership.active:
            return
        keep_an_owner(membership)
        membership.active = False
        membership.save(update_fields=["active"])
        _release(study, membership.person, "member removed")
        record("member removed", actor=actor, about=membership.person, study=study.slug, old={"role": membership.role})
        revoke_lapsed_grants(membership.person, actor)


def restore_member(membership: Membership, actor: Person | None) -> None:
    """Let a removed person back into the study, in the role they had."""
    with transaction.atomic():
        study = _locked(membership)
        if membership.active:
            return
        membership.active = True
        membership.save(update_fields=["active"])
        record("member restored", actor=actor, about=membership.person, study=study.slug, new={"role": membership.role})


def change_role(membership: Membership, role: str, actor: Person | None) -> None:
    """Give a member another role. Raises MembershipRefusedError if no owner would be left."""
    with transaction.atomic():
        study = _locked(membership)
        old = membership.role
        if old == role:
            return
        if role != Role.OWNER:
            keep_an_owner(membership)
        membership.role = role
        membership.save(update_fields=["role"])
        if role != Role.ANNOTATOR:
            _release(study, membership.person, "role changed")
        record(
            "role changed",
            actor=actor,
            about=membership.person,
            study=study.slug,
            old={"role": old},
            new={"role": str(role)},
        )
        revoke_lapsed_grants(membership.person, actor)


def rater_for(study: Study, person: Person) -> Rater:
    """Return the person's rater in the study, made at first need with a random name."""
    return named_row(Rater, "rater", study, person, lambda: {"admitted": not study.has_steps})


def _locked(membership: Membership) -> Study:
    """Lock the study, so that two owners cannot remove each other at once, and read the membership again."""
    study = lock_study(membership.study_id, archived=True)
    membership.refresh_from_db(fields=["role", "active"])
    return study


def keep_an_owner(membership: Membership) -> None:
    if membership.role != Role.OWNER or not membership.active:
        return
    owners = Membership.objects.filter(study=membership.study_id, role=Role.OWNER, active=True, person__is_active=True)
    if not owners.exclude(pk=membership.pk).exists():
        raise MembershipRefusedError("This is the study's only owner. Make somebody else an owner first.")


def _release(study: Study, person: Person, why: str) -> None:
    rater = Rater.objects.filter(study=study, person=person).first()
    if rater is not None:
        # The rater before the slots: submitting locks in the same order.
        release_held_by(study, lock_rater(rater.pk), why)
