"""What decides what a step asks: its kind, model, prompts, parameters and documents."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from annotation.models import Study
from llm.call_errors import CallError
from llm.capabilities import NOT_A_LANGUAGE_MODEL
from llm.endpoints import find_model
from llm.prompt_files import prompt_for

APP = "preparing"
KEYWORDS = ("this paper", "mentioned", "author")
"""Questions with these words are about a certain paper (KIWI, A.6)."""


class PreparationRefusedError(Exception):
    """A step cannot start or go on; `field` is that of its form, if there is one."""

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.reason, self.field = reason, field


@dataclass(frozen=True)
class StepConfiguration:
    """A step's configuration, as it is stored and exported.

    `count` is how many texts a call asks for; with `accept` they need no decision. `part` limits the step to that many
    documents or instructions, drawn by `seed`. `system` is the id of the outputs or references that an answering step
    writes, in the `role` of one of them, and `generic` that its prompt says no more than document and instruction.
    `prompts` has version and digest of each prompt.
    """

    kind: str
    model: str
    count: int = 3
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int | None = None
    seed: int = 0
    part: int | None = None
    accept: bool = False
    system: str = ""
    role: str = "output"
    generic: bool = True
    keywords: tuple[str, ...] = ()
    model_asked: str = ""
    scripted: bool = False
    prompts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "keywords": list(self.keywords), "prompts": {**self.prompts}}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "StepConfiguration":
        return cls(**{**stored, "keywords": tuple(stored.get("keywords", ()))})

    @property
    def greedy(self) -> bool:
        """Whether each token is the most likely one, so that the same request gets the same reply."""
        return self.temperature == 0


def pinned(study: Study, given: StepConfiguration, prompts: tuple[str, ...]) -> StepConfiguration:
    """Return the configuration with the model's own name and its prompts' digests. Raises PreparationRefusedError."""
    try:
        endpoint, model = find_model(given.model)
    except CallError as problem:
        raise PreparationRefusedError(problem.reason, "model") from None
    if endpoint.built_in:
        raise PreparationRefusedError(NOT_A_LANGUAGE_MODEL, "model")
    found = {name: prompt_for(study, APP, name, given.model) for name in prompts}
    said = {name: {"version": one.version, "digest": one.digest} for name, one in found.items()}
    return replace(given, model_asked=model.asked, scripted=endpoint.scripted, prompts=said)
