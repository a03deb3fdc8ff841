"""Decisions of people about suggestions: accept, change, drop, take back, or write one's own."""

from collections.abc import Sequence

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.protocols import protocols
from parts.preparing.models import PreparedText, SourceDocument, Suggestion
from parts.preparing.result_recording import next_number
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.step_states import lock_draft

KINDS = ("informational", "formatting", "meta")
NO_KIND = "Choose at least one kind: informational, formatting or meta."
IS_ITEM = "This is an item of the study already and cannot be changed."
HAS_TEXTS = "Outputs were written for this text. It can be dropped, but not changed."
IN_TRIAL = "The sets of this trial are compared as they are. Choose the winner first."
State = Suggestion.State


def decide(
    suggestion: Suggestion,
    state: str,
    actor: Person | None,
    *,
    text: str | None = None,
    kinds: Sequence[str] | None = None,
    reason: str = "",
) -> Suggestion:
    """Set what a person says about a suggestion and return it. Raises PreparationRefusedError."""
    with transaction.atomic():
        study = lock_draft(suggestion.study)
        found = Suggestion.objects.select_for_update(no_key=True, of=("self",)).get(pk=suggestion.pk)
        step = found.step
        if found.item_id is not None:
            raise PreparationRefusedError(IS_ITEM)
        if step is not None and step.trial is not None and not step.trial.winner:
            raise PreparationRefusedError(IN_TRIAL)
        if text is not None and text != found.text and PreparedText.objects.filter(suggestion=found).exists():
            raise PreparationRefusedError(HAS_TEXTS, "text")
        old = {"state": found.state, "kinds": found.kinds}
        found.state, found.reason = state, reason if state == State.DROPPED else ""
        found.text = found.text if text is None else text
        found.kinds = found.kinds if kinds is None else sorted(kinds, key=KINDS.index)
        if found.state == State.ACCEPTED and found.kind == Suggestion.Kind.REQUIREMENT and not found.kinds:
            raise PreparationRefusedError(NO_KIND, "kinds")
        found.save(update_fields=["state", "reason", "text", "kinds"])
        record("suggestion decided", _name(found), actor=actor, study=study.slug, old=old, new={
            "state": found.state, "kinds": found.kinds, "edited": found.text != found.original,
        })  # fmt: skip
    return found


def write_suggestion(
    document: SourceDocument, kind: str, text: str, kinds: Sequence[str], actor: Person | None
) -> Suggestion:
    """Store an instruction, requirement or question of a person, accepted. Raises PreparationRefusedError."""
    if kind == Suggestion.Kind.REQUIREMENT and not kinds:
        raise PreparationRefusedError(NO_KIND, "kinds")
    with transaction.atomic():
        study = lock_draft(document.study)
        made = Suggestion.objects.create(
            study=study, document=document, number=next_number(document), kind=kind, text=text, state=State.ACCEPTED,
            kinds=sorted(kinds, key=KINDS.index),
        )  # fmt: skip
        record("suggestion written", _name(made), actor=actor, study=study.slug, new={"kinds": made.kinds})
    return made


def offered_kinds(study: Study) -> tuple[str, ...]:
    """Return the kinds of suggestions that can become items of the study."""
    if protocols()[study.protocol].files.needs_outputs:
        return (Suggestion.Kind.INSTRUCTION.value, Suggestion.Kind.REQUIREMENT.value)
    return (Suggestion.Kind.QUESTION.value,)


def _name(suggestion: Suggestion) -> str:
    return f"{suggestion.kind} {suggestion.item_key}"[:200]
