"""The unsent answer to the practice task that is next, kept with its attempt until the task is answered."""

from dataclasses import dataclass, field

from annotation.answers import Form
from parts.way_in.models import StepPassage


@dataclass(frozen=True)
class PracticeDraft:
    """A draft of a task's answer; its version grows with each save, and is 0 if there is none."""

    version: int = 0
    form: Form = field(default_factory=dict)


class OlderDraftError(Exception):
    """Another page has saved a newer draft of the task."""

    def __init__(self, draft: PracticeDraft) -> None:
        super().__init__("Another page has saved this task since.")
        self.draft = draft


def draft_of(passage: StepPassage, number: int) -> PracticeDraft:
    """Return the draft of the attempt's task `number`, which counts from 0."""
    kept = (passage.result or {}).get("draft")
    if kept is None or kept["task"] != number:
        return PracticeDraft()
    return PracticeDraft(kept["version"], kept["form"])


def write_draft(passage: StepPassage, number: int, form: Form, base_version: int) -> int:
    """Save a draft in an attempt of a locked rater; return its version. Raises OlderDraftError."""
    draft = draft_of(passage, number)
    if draft.version != base_version:
        if draft.form == form:  # the same again, as after a response that was lost
            return draft.version
        raise OlderDraftError(draft)
    version = base_version + 1
    passage.result = {"draft": {"task": number, "version": version, "form": form}}
    passage.save(update_fields=["result"])
    return version


def drop_draft(passage: StepPassage) -> None:
    """Forget the draft of a task that is answered."""
    if passage.result is not None:
        passage.result = None
        passage.save(update_fields=["result"])
