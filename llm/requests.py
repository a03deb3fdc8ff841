"""Requests to a model, who pays for them, and replies."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from accounts.models import Person
    from annotation.models import Study
    from llm.models import Call

Role = Literal["system", "user", "assistant"]
Step = Literal["first", "summary", "information", "style"]
ThinkingMark = Literal["", "marked", "unopened"]
LONGEST_STEP = 50
"""Characters that the ledger stores of a step."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True)
class PromptReference:
    """The prompt that a request was made from: `<app>/<name>`, its version, and the digest of its text."""

    key: str
    version: str
    digest: str


@dataclass(frozen=True)
class SourcePassage:
    """A passage of a paper; `number` is the paper's place among those of the question, from 0."""

    number: int
    title: str
    text: str


@dataclass(frozen=True)
class AnswerMaterial:
    """The task and its parts as data, for the extractive model. A language model reads the messages instead."""

    task: Step
    question: str
    passages: tuple[SourcePassage, ...] = ()
    previous_answer: str = ""
    instruction: str = ""
    summary: str = ""
    language: str = "en"


@dataclass(frozen=True)
class JudgmentPlace:
    """The place of a call in a judgment, which tells it apart from calls with the same messages and parameters.

    `order` holds the outputs' keys in the order shown; `retry` counts how often the same was asked again because the
    reply could not be read. Nothing of it is sent.
    """

    replicate: int = 1
    sample: int = 1
    agent: int = 0
    round: int = 1
    order: tuple[str, ...] = ()
    retry: int = 0

    def step(self, name: str) -> str:
        """Return the call's own step: the name of what is asked, which is one word, and this place."""
        order = hashlib.sha256("\0".join(self.order).encode()).hexdigest()[:8] if self.order else "0"
        step = f"{name} {self.replicate}.{self.sample}.{self.agent}.{self.round}.{order}.{self.retry}"
        if not name or " " in name or len(step) > LONGEST_STEP:
            raise ValueError(f"The step {step!r} must begin with one word and have at most {LONGEST_STEP} characters.")
        return step


@dataclass(frozen=True)
class Request:
    """One logical call, which may be sent several times; `model` is `endpoint/model`.

    A model with the API `completions` gets the messages joined by empty lines, without their roles. With a
    `continuation` nothing is generated: the reply holds the log-probabilities of this text after the messages.
    `top_logprobs` requests the log-probabilities of that many candidates per token. With a JSON `schema` the reply must
    be JSON; the caller checks its content. A `temperature` or `top_p` of None is left to the endpoint. The answer may
    have `max_tokens`; what the model thinks before comes on top (`Model.thinking_tokens`).

    Every field except `prompt` enters the digest by which the ledger recognises the same request: whatever tells two
    samples of one request apart has to be a field, such as their `place`.
    """

    model: str
    messages: tuple[Message, ...]
    prompt: PromptReference | None = None
    temperature: float | None = 0.0
    top_p: float | None = 1.0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    top_logprobs: int | None = None
    continuation: str = ""
    schema: Mapping[str, Any] | None = None
    place: JudgmentPlace | None = None
    material: AnswerMaterial | None = None

    def text(self) -> str:
        """Return the messages as one text, for models without roles."""
        return "\n\n".join(message.content for message in self.messages)

    def ends_by_length(self) -> bool:
        """Return whether a usable reply ends because of its length: one token was requested, or none."""
        return self.max_tokens == 1 or bool(self.continuation)


@dataclass(frozen=True)
class Charge:
    """Whose budgets pay for a call; `work` and `step` are what it is for, such as `turn:12` and `summary`."""

    study: "Study | None"
    run: str = ""
    person: "Person | None" = None
    work: str = ""
    step: str = ""


@dataclass(frozen=True)
class Usage:
    """The tokens of a call, as counted by the endpoint."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Candidate:
    """A token that the model could have written, and the natural logarithm of its probability."""

    token: str
    logprob: float


@dataclass(frozen=True)
class TokenLogprob:
    """A token of a reply, with the candidates for its place, most likely first."""

    token: str
    logprob: float
    top: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One request sent to an endpoint: its start, duration and end (`answered` or a kind of failure).

    `status` is 0 if no response came; `billable` means that it may have to be paid, `usage` for how many tokens;
    `waited` is the wait before it, in seconds.
    """

    number: int
    started_at: str
    seconds: float
    status: int
    ended: str
    billable: bool = True
    request_id: str = ""
    waited: float = 0.0
    usage: Usage | None = None


@dataclass(frozen=True)
class Outcome:
    """All that is known of a call when it has ended, well or badly.

    `raw` is the last reply as received; `flags` name the oddities of a usable reply. `thinking` is what the model
    thought before it answered, which is never part of the `text`; `marks` says whether it was marked there, and whether
    only its end was.
    """

    text: str = ""
    thinking: str = ""
    marks: ThinkingMark = ""
    finish_reason: str = ""
    model_returned: str = ""
    usage: Usage | None = None
    logprobs: tuple[TokenLogprob, ...] | None = None
    refusal: str = ""
    parsed: Any = None
    attempts: tuple[Attempt, ...] = ()
    request_id: str = ""
    raw: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """The reply of a successful call, and the call's row in the ledger."""

    text: str
    finish_reason: str
    model_returned: str
    usage: Usage | None
    logprobs: tuple[TokenLogprob, ...] | None
    refusal: str
    parsed: Any
    call: "Call"
