"""Erasing a rater who withdraws from a study: their answers with everything, or their identity alone."""

from django.db import IntegrityError, transaction

from accounts.audited_erasure import RATER_ERASED, ErasureRefusedError, audited_erasure, erase_account, forget_in_audit
from accounts.erased_names import ErasedNames, forget_names_in_audit, names_among
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.members.membership import keep_an_owner
from annotation.models import Assignment, DraftConflict, Item, Membership, Output, Question, Rater, Slot
from annotation.protocols import protocols
from annotation.studies.locking import lock_rater, lock_study
from annotation.studies.study_erasure import BUSY


def erase_rater(rater: Rater, actor: Person | None, *, keep_answers: bool) -> bool:
    """Erase a rater from their study. Returns whether the person's account was erased too.

    With `keep_answers` the answers stay under the rater's random name and nothing links them to a person any more;
    without, they are deleted with all that others said about them, and their tasks are open to others again; the random
    name goes from settings and the audit, too. Either way the person is no longer a member, and neither the study's
    audit nor its settings and notes name them. The account goes if it is a member of no other study and has no rights
    on the installation.

    Raises ErasureRefusedError, and MembershipRefusedError for the only owner of a study.
    """
    try:
        with transaction.atomic():
            return _erase(rater, actor, keep_answers)
    except IntegrityError as problem:
        raise ErasureRefusedError(BUSY) from problem


def _erase(rater: Rater, actor: Person | None, keep_answers: bool) -> bool:
    study = lock_study(rater.study_id, archived=True)
    rater = lock_rater(rater.pk, "person")
    person = rater.person
    for membership in Membership.objects.filter(study=study, person=person) if person else ():
        keep_an_owner(membership)
    new = {"answers": "kept" if keep_answers else "erased"}
    scope = f"rater {rater.pk}"
    with audited_erasure(RATER_ERASED, scope, actor=actor, study=study.slug, person=person, new=new) as erased:
        names = _names_of(rater, keep_answers)
        own = Slot.objects.filter(holder=rater)
        held = own.filter(state=Slot.State.HELD)
        protocols()[study.protocol].flow.on_released(list(held))
        erased.empty(held if keep_answers else own, state=Slot.State.OPEN, holder=None, lease_until=None)
        erased.delete(DraftConflict.objects.filter(assignment__rater=rater))
        erased.empty(Assignment.objects.filter(rater=rater).exclude(draft=None), draft=None)
        for part in all_erasing():
            if not keep_answers:
                part.erase_answers(rater, erased)
            if person is not None:
                part.forget_person(person, study, erased)
            part.stop_giving_work(rater, erased)
            part.forget_names(study, names, erased)
        forget_names_in_audit(study.slug, names, erased)
        if not keep_answers:
            erased.delete(Rater.objects.filter(pk=rater.pk))
        if person is None:
            return False
        forget_in_audit(person, study.slug, erased, words=not keep_answers)
        if person.is_staff or person.is_superuser or Membership.objects.filter(person=person).exists():
            return False
        erase_account(person, erased)
        return True


def _names_of(rater: Rater, keep_answers: bool) -> ErasedNames:
    """Return what names the rater and, in other ways than an item or system of the study is named, the person."""
    person, study, own = rater.person, rater.study, [rater.name]
    if keep_answers or rater.kind != Rater.Kind.HUMAN:
        own = []
    if person is None:
        return names_among(own)
    found = {person.username, person.full_name, person.get_full_name(), person.email}
    for part in all_erasing():
        found |= set(part.more_names(person, study))
    for rows in (Item.objects.filter(study=study), Question.objects.filter(study=study),
                 Output.objects.filter(item__study=study)):  # fmt: skip
        found -= set(rows.filter(key__in=found).values_list("key", flat=True))
    return names_among([*own, *found])
