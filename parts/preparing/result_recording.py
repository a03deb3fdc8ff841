"""Stores what came of a call: suggestions for its document, or a text for its instruction."""

from collections.abc import Iterable

from django.db.models import Max

from parts.preparing.models import PreparationCall, PreparationStep, PreparedText, SourceDocument, Suggestion
from parts.preparing.step_configuration import StepConfiguration
from parts.preparing.step_kind import NewSuggestion, StepResult, step_kinds

State = Suggestion.State


def record_result(
    step: PreparationStep, configuration: StepConfiguration, call: PreparationCall, result: StepResult
) -> None:
    """Store a result. Call it in the transaction that ends the row of the call."""
    if result.suggestions:
        _suggest(step, configuration, call.document, result.suggestions)
    if result.text is not None and call.suggestion is not None:
        PreparedText.objects.create(
            study=step.study, suggestion=call.suggestion, role=configuration.role, key=configuration.system,
            text=result.text, writer=PreparedText.Writer.MODEL, step=step,
        )  # fmt: skip


def _suggest(
    step: PreparationStep, configuration: StepConfiguration, document: SourceDocument, found: Iterable[NewSuggestion]
) -> None:
    number, kind = next_number(document), step_kinds()[step.kind].suggests
    offered = State.ACCEPTED if configuration.accept else State.OPEN
    Suggestion.objects.bulk_create(
        Suggestion(
            study=step.study,
            document=document,
            number=place,
            kind=kind,
            text=one.text,
            original=one.text,
            step=step,
            state=State.DROPPED if one.dropped else offered,
            reason=one.dropped,
        )
        for place, one in enumerate(found, start=number)
    )


def next_number(document: SourceDocument) -> int:
    """Return the number of the document's next suggestion, with the document locked until the transaction ends."""
    SourceDocument.objects.select_for_update(no_key=True).get(pk=document.pk)
    return (Suggestion.objects.filter(document=document).aggregate(last=Max("number"))["last"] or 0) + 1
