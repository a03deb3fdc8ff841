"""Leaving a study by oneself: the answers follow the rule that the person agreed to."""

from django.utils.translation import gettext

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import Person
from annotation.members.membership import MembershipRefusedError
from annotation.members.rater_erasure import erase_rater
from annotation.models import Rater, Study
from recruiting.entry_step import EntryStep, steps_of
from recruiting.models import Consent, ConsentVersion, CrowdStay
from recruiting.step_kinds.consent import ConsentStep

ERASE = ConsentVersion.OnWithdrawal.ERASE.value

__all__ = ["ErasureRefusedError", "MembershipRefusedError", "consent_step", "leave", "rule_for"]


def consent_step(study: Study) -> EntryStep | None:
    """Return the study's consent, if it asks for one."""
    return next((step for step in steps_of(study) if isinstance(step.kind, ConsentStep)), None)


def rule_for(study: Study, rater: Rater) -> str | None:
    """Return `keep` or `erase`: the rule that the rater agreed to last, or the study's; None if it has none.

    People who came by a link can leave any study: their answers are erased unless they agreed to another rule.
    """
    agreed = Consent.objects.filter(rater=rater).select_related("version").order_by("-agreed_at", "-pk").first()
    if agreed is not None:
        return str(agreed.version.on_withdrawal)
    step = consent_step(study)
    if step is not None:
        return str(step.body["on_withdrawal"])
    came_by_link = study.has_crowd and CrowdStay.objects.filter(rater=rater).exists()
    return ERASE if came_by_link else None


def leave(rater: Rater, person: Person) -> bool:
    """Erase the rater by the study's rule; return whether the account was erased too.

    Raises ErasureRefusedError and MembershipRefusedError.
    """
    rule = rule_for(rater.study, rater)
    if rule is None:
        raise ErasureRefusedError(gettext("This study has no rule for leaving it. Ask the people who run it."))
    return erase_rater(rater, person, keep_answers=rule != ERASE)
