"""What a judge protocol is: one module in `judges/judge_protocols/`, its prompt files, and one test.

A protocol gets a case (what is to be judged) and an asker (the way to the model), and returns a reading. It knows
neither the database nor who asks: the same code judges, estimates, shows a prompt, and reads kept replies again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.machine_shapes import CHOICE, EXTREMES, LABEL, RANKING, SCORE
from config.registry import discover
from judges.options import Option
from judges.turn_split import TurnSplit
from llm.call_errors import CallError
from llm.capabilities import Needs
from llm.endpoint_file import Api
from llm.endpoints import Model
from llm.requests import Message, PromptReference, Reply

__all__ = [
    "CHOICE", "EXTREMES", "LABEL", "RANKING", "SCORE", "Abilities", "Asker", "Case", "CaseOutput", "CaseQuestion",
    "CaseReference", "CaseTurn", "Example", "ExampleChoice", "JudgeProtocol", "Parameters", "Reading",
    "ReplyInvalidError", "judge_protocols",
]  # fmt: skip

UnitKind = Literal["output", "pair", "item", "turn"]


class ReplyInvalidError(Exception):
    """A reply cannot be read; `reason` says why in a few words, such as `no rating`, and names no text of the reply."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class CaseOutput:
    """An output to be judged: its key, which no prompt may contain, and its text."""

    key: str
    text: str


@dataclass(frozen=True)
class CaseQuestion:
    """A question of the study. `low` and `high` end its scale, if it has one; `choices` are its values, if it has any.

    `labels` has a text for each of the choices, which may be empty. `ranks` is the worst rank that it takes, if any,
    and `level` that of people's answers. `judge_text` is what the run's configuration says instead of `text`, or "".
    """

    key: str
    type: str
    text: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    takes_ties: bool = True
    judge_text: str = ""
    ranks: int | None = None
    level: str = ""

    @property
    def said(self) -> str:
        """The text for a judge: the configuration's own, or that of the study with its help."""
        return self.judge_text or "\n".join(one for one in (self.text, self.help) if one)


@dataclass(frozen=True)
class CaseReference:
    """A reference answer: its id in the item, who wrote it (human or model), and its text."""

    key: str
    writer: str
    text: str


@dataclass(frozen=True)
class CaseTurn:
    """A turn of a session: the question, the answer before, the instruction and the new answer; what people said."""

    question: str
    previous_answer: str
    instruction: str
    answer: str
    comment: str = ""


@dataclass(frozen=True)
class Example:
    """A judged example: one output or several, with the value and perhaps a rationale; or a turn with its rating."""

    value: Any
    document: str = ""
    instruction: str = ""
    outputs: tuple[CaseOutput, ...] = ()
    rationale: str = ""
    turn: CaseTurn | None = None


@dataclass(frozen=True)
class ExampleChoice:
    """Which examples a prompt gets: `written` by the study's researchers, `random` ones, or similar `turns`.

    With a `split`, turns of its training part are the examples, and only those of its test part are judged.
    """

    source: Literal["written", "random", "turns"]
    count: int
    split: TurnSplit | None = None


@dataclass(frozen=True)
class Case:
    """What one judgment is about: `outputs` in the order shown; `seed` is drawn from the run's seed and the unit."""

    question: CaseQuestion | None
    document: str = ""
    instruction: str = ""
    outputs: tuple[CaseOutput, ...] = ()
    references: tuple[CaseReference, ...] = ()
    guidelines: str = ""
    examples: tuple[Example, ...] = ()
    turn: CaseTurn | None = None
    replicate: int = 1
    seed: int = 0
    language: str = "en"

    @property
    def asked(self) -> CaseQuestion:
        """The question; a protocol that labels turns without one must not ask for it."""
        if self.question is None:
            raise TypeError("This case has no question.")
        return self.question

    @property
    def judged_turn(self) -> CaseTurn:
        """The turn; only a protocol whose unit is a turn may ask for it."""
        if self.turn is None:
            raise TypeError("This case has no turn.")
        return self.turn


@dataclass(frozen=True)
class Parameters:
    """The parameters of a call, as in `llm.requests.Request`. A `max_tokens` of None leaves the limit to the site."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    top_logprobs: int | None = None
    continuation: str = ""
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Reading:
    """What was read from the replies to one case.

    `value` has the protocol's shape: a finite number; the better output's key or "tie"; {output key: rank}; a label; or
    {"best": output key, "worst": output key}.
    `distribution` is {answer: probability}; `missing` is the probability of no allowed answer; `outcome` is that of
    several agents. `details` is JSON: what else is kept, such as the values of single samples.
    """

    value: Any
    explanation: str = ""
    distribution: Mapping[str, float] | None = None
    missing: float | None = None
    outcome: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


UNUSABLE: Mapping[str, str] = {
    "refused": "refused",
    "filtered": "filtered",
    "truncated": "truncated",
    "bad_reply": "invalid",
}
"""The outcome of a judgment by the kind of a call's failure, where the model did answer."""


def outcome_of_failure(problem: CallError) -> str:
    """Return the outcome of a judgment whose call failed although the model answered; raise the failure otherwise."""
    if problem.passing or problem.kind not in UNUSABLE:
        raise problem
    return UNUSABLE[problem.kind]


@dataclass(frozen=True)
class Abilities:
    """What the model can do, as the operator's file says. `candidates` counts those per token with log-probabilities.

    With `echo` the model returns the log-probabilities of a given text.
    """

    api: Api = "chat"
    candidates: int = 0
    echo: bool = False
    json_schema: bool = False
    seed: bool = False


def abilities_of(model: Model) -> Abilities:
    """Return what the operator's file says of a model."""
    able = {name: name in model.supports for name in ("echo", "json_schema", "seed")}
    return Abilities(model.api, model.logprobs, **able)


class Asker(ABC):
    """The way to the model for one judgment."""

    abilities: Abilities

    @abstractmethod
    def render(self, prompt: str, values: Mapping[str, str]) -> tuple[tuple[Message, ...], PromptReference]:
        """Return the messages of the prompt file `prompt` with its placeholders replaced, and what it was."""

    @abstractmethod
    def send(
        self,
        messages: tuple[Message, ...],
        prompt: PromptReference,
        parameters: Parameters,
        name: str,
        sample: int = 1,
        agent: int = 0,
        round: int = 1,
        retry: int = 0,
    ) -> Reply:
        """Send messages and return the reply. `name`, one word, and the numbers tell the judgment's calls apart.

        Raises CallError. If the model answered and the reply cannot be used, its kind is in `UNUSABLE`.
        """

    def ask(self, prompt: str, values: Mapping[str, str], parameters: Parameters, **place: Any) -> Reply:
        """Fill a prompt and send it; the call is named after the prompt. Raises as `send` does."""
        messages, reference = self.render(prompt, values)
        return self.send(messages, reference, parameters, prompt, **place)

    def ask_for_sample(
        self, prompt: str, values: Mapping[str, str], parameters: Parameters, **place: Any
    ) -> Reply | str:
        """As `ask`, but return the outcome (such as `refused`) of a reply that cannot be used."""
        try:
            return self.ask(prompt, values, parameters, **place)
        except CallError as problem:
            return outcome_of_failure(problem)


class JudgeProtocol(ABC):
    """How a language model judges. Instances have no state."""

    key: str
    label: str
    source: str
    """Where the method is described, such as `riSum, section 3.3`."""
    unit: UnitKind
    shape: str
    """The shape of its answers: SCORE, CHOICE, RANKING, LABEL or EXTREMES."""
    prompts: tuple[str, ...]
    """Its prompt files in `judges/prompts/`, without the ending. A study may bring its own text for each."""
    options: Mapping[str, Option] = {}
    parser: int = 1
    """Increased when replies are read differently, so that readings say how they were made."""
    label_kind: str = ""
    """The kind of turn label that it writes instead of answering a question."""

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        """Return a sentence about why the protocol cannot answer a question, or ""."""
        return ""

    def needs(self, options: Mapping[str, Any]) -> Needs:
        """Return what every model must be able to do for this protocol."""
        return Needs()

    def variant(self, options: Mapping[str, Any]) -> str:
        """Return what tables call the protocol with these options, such as the name that a paper gave to them."""
        return self.key

    def prompt_names(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return those of its prompt files that it uses with these options."""
        return self.prompts

    def most_calls(self, options: Mapping[str, Any]) -> int:
        """Return the most calls that one case may take."""
        return 1

    def more_tokens_in(self, options: Mapping[str, Any]) -> int:
        """Return the most tokens by which the prompts of a case's calls are longer than its first one, all together."""
        return 0

    def both_orders(self, options: Mapping[str, Any]) -> bool:
        """Return whether each pair is judged in both orders, as two judgments."""
        return False

    def needs_references(self, options: Mapping[str, Any]) -> bool:
        """Return whether its prompt gets references; items without one that the run names are then no units."""
        return False

    def examples(self, options: Mapping[str, Any]) -> ExampleChoice | None:
        """Return which examples its prompt gets."""
        return None

    def shows_guidelines(self, options: Mapping[str, Any]) -> bool:
        """Return whether the prompt gets the annotators' guidelines; ratings then name their version."""
        return False

    def best_answer(self, case: Case, options: Mapping[str, Any], place: int) -> str:
        """Return what a reply says if the output at `place` of those shown, from 0, is the best, or the turn good."""
        if self.shape == SCORE:
            high = options.get("high", case.question.high if case.question else None)
            return "Yes" if high is None else f"{high:g}"
        if self.shape == LABEL:
            return "good"
        return "1" if self.shape == RANKING else str(place + 1)

    @abstractmethod
    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        """Ask the model about a case and return what was read.

        Raises ReplyInvalidError, and CallError as the asker does.
        """


def judge_protocols() -> Mapping[str, JudgeProtocol]:
    """Return all judge protocols by key."""
    return discover("judge_protocols", "JUDGE_PROTOCOL", in_each=True)
