"""Who may prepare which study: every function fetches or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.blinding import refuse_blinded
from annotation.models import Study
from parts.preparing.deciding import offered_kinds
from parts.preparing.models import InstructionTrial, PreparationStep, PreparedText, Suggestion
from parts.preparing.step_kind import StepKind, step_kinds


def study_to_prepare(person: Person, slug: str) -> Study:
    """Return a study that `person` runs. Raises StudyBlindedError: a preparation names the models that write."""
    study = study_for(person, slug, RESEARCHERS)
    refuse_blinded(study)
    return study


def step_for(person: Person, slug: str, number: int) -> tuple[Study, PreparationStep]:
    """Return a step, by its number, of a study that `person` runs, and the study."""
    study = study_to_prepare(person, slug)
    step = PreparationStep.objects.select_related("reservation").filter(study=study, number=number).first()
    if step is None:
        raise Http404(NOTHING)
    step.study = study
    return study, step


def trial_for(person: Person, slug: str, number: int) -> InstructionTrial:
    """Return a trial, by its number, of a study that `person` runs."""
    study = study_to_prepare(person, slug)
    trial = InstructionTrial.objects.filter(study=study, number=number).first()
    if trial is None:
        raise Http404(NOTHING)
    trial.study = study
    return trial


def suggestion_for(person: Person, slug: str, pk: int) -> Suggestion:
    """Return a suggestion of a study that `person` runs."""
    study = study_to_prepare(person, slug)
    found = Suggestion.objects.select_related("document", "step__trial", "item").filter(study=study, pk=pk).first()
    if found is None:
        raise Http404(NOTHING)
    found.study = study
    return found


def output_for(person: Person, slug: str, pk: int) -> PreparedText:
    """Return a model's output in a study that `person` runs."""
    study = study_to_prepare(person, slug)
    outputs = PreparedText.objects.filter(role=PreparedText.Role.OUTPUT, writer=PreparedText.Writer.MODEL)
    found = outputs.select_related("suggestion__document").filter(study=study, pk=pk).first()
    if found is None:
        raise Http404(NOTHING)
    found.study = study
    return found


def kinds_for(study: Study) -> list[StepKind]:
    """Return the kinds of steps that prepare items of the study."""
    offered = offered_kinds(study)
    answers = "question" not in offered
    return [one for one in step_kinds().values() if one.suggests in offered or (not one.suggests and answers)]


def kind_for(study: Study, key: str) -> StepKind:
    """Return a kind of step that prepares items of the study."""
    found = next((one for one in kinds_for(study) if one.key == key), None)
    if found is None:
        raise Http404(NOTHING)
    return found
