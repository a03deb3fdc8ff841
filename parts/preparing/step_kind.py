"""A kind of step: which documents or instructions it is about, what it asks, and how replies are read."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Study
from config.registry import discover
from judges.prompt_texts import fenced
from llm.requests import Reply
from parts.preparing.models import InstructionTrial, SourceDocument, Suggestion
from parts.preparing.step_configuration import StepConfiguration

DOCUMENT, INSTRUCTION = "document", "instruction"


@dataclass(frozen=True)
class StepCase:
    """What one call is about; `suggestion` is the accepted instruction if the step is about instructions."""

    document: SourceDocument
    suggestion: Suggestion | None = None


@dataclass(frozen=True)
class NewSuggestion:
    """A text that a model suggests; `dropped` says why it is not offered, or ""."""

    text: str
    dropped: str = ""


@dataclass(frozen=True)
class StepResult:
    """What came of a call: suggestions or a text, and counts that are kept with it."""

    suggestions: tuple[NewSuggestion, ...] = ()
    text: str | None = None
    counts: Mapping[str, int] | None = None


class StepAsker(ABC):
    """The way from a step to its model."""

    def __init__(self, configuration: StepConfiguration) -> None:
        self.configuration = configuration

    @abstractmethod
    def ask(self, prompt: str, values: Mapping[str, str], name: str, *, greedy: bool = False) -> Reply:
        """Fill in a prompt, send it and return the reply; `name` tells the case's calls apart.

        The step's parameters apply, or none of them if `greedy`. Raises CallError.
        """


class StepKind(ABC):
    """One kind of step. Instances have no state."""

    key: str
    label: str
    title: str
    about = DOCUMENT
    """What a call is about."""
    suggests = ""
    """The kind of its suggestions, or "" if it writes texts."""
    source: str
    """The paper that it follows."""

    @abstractmethod
    def prompts(self, configuration: StepConfiguration) -> tuple[str, ...]:
        """Return the names of the prompts that it uses."""

    @abstractmethod
    def cases(
        self, study: Study, configuration: StepConfiguration, trial: InstructionTrial | None = None
    ) -> Iterator[StepCase]:
        """Yield everything that the step could be about, in a fixed order; `part` is not applied yet."""

    @abstractmethod
    def ask(self, case: StepCase, configuration: StepConfiguration, asker: StepAsker) -> StepResult:
        """Ask about a case and read the replies. Raises CallError and ReplyInvalidError."""

    def most_calls(self, configuration: StepConfiguration) -> int:
        """Return how many calls a case may take."""
        return 1


def step_kinds() -> Mapping[str, StepKind]:
    """Return all kinds of steps by key."""
    return discover("step_kinds", "STEP_KIND")


def undecided_documents(study: Study, trial: InstructionTrial | None, kind: str) -> Iterator[SourceDocument]:
    """Yield the trial's documents, or else all that have no suggestion of this kind yet, in the order drawn.

    Their texts are read when they are needed, because a step may have very many.
    """
    documents = SourceDocument.objects.filter(study=study).order_by("pk").defer("text", "content")
    if trial is not None:
        places: dict[str, Any] = {key: place for place, key in enumerate(trial.documents)}
        yield from sorted(documents.filter(key__in=trial.documents), key=lambda one: places[one.key])
        return
    having = Suggestion.objects.filter(study=study, kind=kind, step__isnull=False).values("document")
    yield from documents.exclude(pk__in=having).iterator(chunk_size=500)


def document_fence(document: SourceDocument, name: str = "document") -> str:
    """Return a document between marks, for prompts."""
    return fenced(name, document.text)
