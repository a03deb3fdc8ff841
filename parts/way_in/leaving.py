"""Leaving a study by oneself: the answers follow the rule that the person agreed to, or else the study's."""

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import Person
from annotation.members.membership import MembershipRefusedError
from annotation.members.rater_erasure import erase_rater
from annotation.models import Rater, Study
from parts.way_in.entry_step import EntryStep, steps_of
from parts.way_in.models import Consent, ConsentVersion
from parts.way_in.step_kinds.consent import ConsentStep

ERASE = ConsentVersion.OnWithdrawal.ERASE.value
DEFAULT = ERASE
"""What becomes of the answers if a study says nothing; the page for leaving says so."""
ON_WITHDRAWAL = "on_withdrawal"

__all__ = ["ErasureRefusedError", "MembershipRefusedError", "consent_step", "leave", "rule_for", "stated_rule"]


def consent_step(study: Study) -> EntryStep | None:
    """Return the study's consent, if it asks for one."""
    return next((step for step in steps_of(study) if isinstance(step.kind, ConsentStep)), None)


def rule_for(study: Study, rater: Rater) -> str:
    """Return `keep` or `erase`: the rule that the rater agreed to last, or the study's, or else the default."""
    return stated_rule(study, rater) or DEFAULT


def stated_rule(study: Study, rater: Rater) -> str | None:
    """Return the rule that the rater agreed to last, or the study's; None if it states none."""
    agreed = Consent.objects.filter(rater=rater).select_related("version").order_by("-agreed_at", "-pk").first()
    if agreed is not None:
        return str(agreed.version.on_withdrawal)
    step = consent_step(study)
    if step is not None:
        return str(step.body["on_withdrawal"])
    rule: str | None = study.recruiting.get(ON_WITHDRAWAL)
    return rule


def leave(rater: Rater, person: Person) -> bool:
    """Erase the rater by the study's rule; return whether the account was erased too.

    Raises ErasureRefusedError and MembershipRefusedError.
    """
    return erase_rater(rater, person, keep_answers=rule_for(rater.study, rater) != ERASE)
