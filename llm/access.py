"""Who may see which calls, trials and prompts: every function fetches or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.blinding import refuse_blinded
from llm.models import Call, Completion
from llm.prompt_files import Prompt, PromptInvalidError, load_prompt


def call_for(person: Person, slug: str, pk: int) -> Call:
    """Return a call of a study that `person` runs. Raises StudyBlindedError: calls name models."""
    study = study_for(person, slug, RESEARCHERS)
    refuse_blinded(study)
    call = Call.objects.select_related("study", "person", "original").filter(study=study, pk=pk).first()
    if call is None:
        raise Http404(NOTHING)
    return call


def completion_for(person: Person, slug: str, pk: int) -> Completion:
    """Return a queued call of a study that `person` runs. Raises StudyBlindedError."""
    study = study_for(person, slug, RESEARCHERS)
    refuse_blinded(study)
    completion = Completion.objects.select_related("study", "person", "call").filter(study=study, pk=pk).first()
    if completion is None:
        raise Http404(NOTHING)
    return completion


def prompt_named(app: str, name: str) -> Prompt:
    """Return the prompt that an address names by app and name."""
    try:
        return load_prompt(app, name)
    except PromptInvalidError:
        raise Http404(NOTHING) from None
