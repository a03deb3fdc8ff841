"""Requests to a model, who pays for them, and replies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from accounts.models import Person
    from annotation.models import Study
    from llm.models import Call

Role = Literal["system", "user", "assistant"]
Step = Literal["first", "summary", "information", "style"]


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
class Request:
    """One logical call, which may be sent several times; `model` is `endpoint/model`.

    With a JSON `schema` the reply must be JSON; the caller checks its content. `top_logprobs` requests the
    log-probabilities of that many candidates per token. Every field except `prompt` enters the digest by which the
    ledger recognises the same request: whatever tells two samples of one request apart has to be a field.
    """

    model: str
    messages: tuple[Message, ...]
    prompt: PromptReference | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    top_logprobs: int | None = None
    schema: Mapping[str, Any] | None = None
    material: AnswerMaterial | None = None


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

    `status` is 0 if no response came; `billable` means that it may have to be paid; `waited` is the wait before it,
    in seconds.
    """

    number: int
    started_at: str
    seconds: float
    status: int
    ended: str
    billable: bool = True
    request_id: str = ""
    waited: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """All that is known of a call when it has ended, well or badly.

    `raw` is the last reply as received; `flags` name the oddities of a usable reply.
    """

    text: str = ""
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
