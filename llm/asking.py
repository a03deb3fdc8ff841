"""What a model is asked, on whose account, and what it replies."""

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
class PromptMark:
    """Which prompt a request was made from: `<app>/<name>`, its version, and the digest of its text."""

    key: str
    version: str
    digest: str


@dataclass(frozen=True)
class Source:
    """A passage of a paper: `number` counts the papers of a question from 0."""

    number: int
    title: str
    text: str


@dataclass(frozen=True)
class Material:
    """What a model without language reads: the task and its parts. A language model reads the messages."""

    task: Step
    question: str
    passages: tuple[Source, ...] = ()
    previous_answer: str = ""
    instruction: str = ""
    summary: str = ""
    language: str = "en"


@dataclass(frozen=True)
class Request:
    """One logical call: `model` is `endpoint/model`. `schema` is a JSON schema that the model is told to follow: the
    reply must be JSON then, and who reads it checks what it holds. `top_logprobs` asks for the log-probabilities of
    that many candidates a token."""

    model: str
    messages: tuple[Message, ...]
    prompt: PromptMark | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    top_logprobs: int | None = None
    schema: Mapping[str, Any] | None = None
    material: Material | None = None


@dataclass(frozen=True)
class Charge:
    """Whose budgets pay for a call; `work` and `step` say what it was for, like `turn:12` and `summary`."""

    study: "Study | None"
    run: str = ""
    person: "Person | None" = None
    work: str = ""
    step: str = ""


@dataclass(frozen=True)
class Usage:
    """The tokens of a call as the endpoint counted them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Candidate:
    """A token that a model could have written, and the natural logarithm of its probability."""

    token: str
    logprob: float


@dataclass(frozen=True)
class TokenLogprob:
    """A token of a reply, with the candidates for its place, likeliest first."""

    token: str
    logprob: float
    top: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One request to an endpoint: when, for how long, and how it ended (`answered` or a kind of failure).

    `status` is 0 where none was received; `billable` says that it may have to be paid; `waited` is how long was
    waited before it, in seconds.
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
    """All that is known of a call: of a good one, and, as far as it got, of one that failed.

    `raw` is the last reply as it was received; `flags` name what was odd in a reply that could be used.
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
    """What a good call gave, and its row in the ledger."""

    text: str
    finish_reason: str
    model_returned: str
    usage: Usage | None
    logprobs: tuple[TokenLogprob, ...] | None
    refusal: str
    parsed: Any
    call: "Call"
