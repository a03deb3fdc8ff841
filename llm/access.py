"""Which calls and tries a person may see: every function fetches, or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from llm.models import Call, Completion
from llm.prompting import Prompt, PromptInvalidError, load


def call_for(person: Person, slug: str, pk: int) -> Call:
    """A call of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    call = Call.objects.select_related("study", "person", "original").filter(study=study, pk=pk).first()
    if call is None:
        raise Http404(NOTHING)
    return call


def completion_for(person: Person, slug: str, pk: int) -> Completion:
    """A single queued call of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    completion = Completion.objects.select_related("study", "person", "call").filter(study=study, pk=pk).first()
    if completion is None:
        raise Http404(NOTHING)
    return completion


def prompt_named(app: str, name: str) -> Prompt:
    """The prompt that comes with an app, for an address that names it."""
    try:
        return load(app, name)
    except PromptInvalidError:
        raise Http404(NOTHING) from None
