"""What the files of another tool say: records with texts, and raters' answers about them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any, TypeVar

from config.text_validation import time_text
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.conversion_choices import AskedChoice, ConversionChoices

HUMAN, MODEL = "human", "model"
S = TypeVar("S")


class AnswerKind(Enum):
    """The shape of an answer's value."""

    CHOICES = "choices"
    """A list of labels."""
    WORDS = "words"
    """A list of texts that may be labels: whether they are, all answers to the question say together."""
    TEXT = "text"
    STEP = "step"
    """A whole number on a scale."""
    NUMBER = "number"
    SPANS = "spans"
    """A list of (start, end, label or None, quoted text or None), in characters of the one text that was shown."""
    RANKING = "ranking"
    """{field: rank}."""
    EXTREMES = "best and worst"
    """{"best": field, "worst": field}."""
    NOTHING = "nothing"
    """Nothing was chosen or marked: the other answers to the question say of what."""
    PAIR = "pair"
    """The field of the better text, or `tie`."""


@dataclass(frozen=True)
class FoundAnswer:
    """A rater's answer to a question about a record, or about the text of one of its fields."""

    file: str
    line: int
    place: str
    record: str
    rater: str
    question: str
    kind: AnswerKind
    value: Any
    rater_kind: str = HUMAN
    about: str | None = None
    """The field of the text that it is about; None: the whole record."""
    pair: tuple[str, str] | None = None
    """The fields of the two texts compared: in the order shown, if it is known."""
    is_order_known: bool = True
    distribution: Mapping[str, float] | None = None
    """The probability of each field of the pair, if the tool gives a weight instead of a choice."""
    submitted_at: str | None = None
    seconds: float | None = None
    order: int | None = None
    """The record's place in the rater's order, from 1."""
    explanation: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class FoundRecord:
    """A record: its texts by field, in order, and what else it says.

    `texts` are those whose role the names of fields or a person decide. The others are what the tool says they are.
    """

    id: str
    texts: dict[str, str] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    instruction: str = ""
    document: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """All texts that have a name."""
        return {**self.texts, **self.outputs}


@dataclass
class Findings:
    """What the files say, and what is left out because our studies have no counterpart, by the reason."""

    told: ConversionChoices = field(default_factory=ConversionChoices)
    """What a person has decided where files are ambiguous."""
    asked: dict[tuple[str, str], AskedChoice] = field(default_factory=dict)
    """What a person has to decide."""
    records: dict[str, FoundRecord] = field(default_factory=dict)
    answers: list[FoundAnswer] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, AnswerKind] = field(default_factory=dict)
    """The kinds of questions that a file of settings tells."""
    choices: dict[str, list[str]] = field(default_factory=dict)
    """The labels that a file of settings offers, by question."""
    multiple: set[str] = field(default_factory=set)
    """The questions that take several labels, as far as a file of settings tells."""
    scales: dict[str, tuple[int, int]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    """What raters were asked, by question, if a file of settings tells."""

    state: dict[type, Any] = field(default_factory=dict)

    def of_tool(self, kind: type[S]) -> S:
        """Return what the tool keeps from one file to the next, of this type; new at first."""
        state: S = self.state.setdefault(kind, kind())
        return state

    def ask(self, choice: AskedChoice) -> None:
        """Note what a person has to decide, once, with the options of all places that need it."""
        known = self.asked.get(choice.key)
        self.asked[choice.key] = choice if known is None else known.with_options(choice.options)

    def add_record(self, record: FoundRecord, place: str = "") -> None:
        """Add a record. Raises FieldInvalidError if another one with its id has other texts."""
        known = self.records.setdefault(record.id, record)
        for mine, new in ((known.texts, record.texts), (known.outputs, record.outputs)):
            for name, text in new.items():
                if mine.setdefault(name, text) != text:
                    raise FieldInvalidError(place, f"differs in {quoted(name)} from an earlier record with its id")
        for part in ("instruction", "document"):
            text, earlier = getattr(record, part), getattr(known, part)
            if text and earlier and text != earlier:
                raise FieldInvalidError(place, f"differs in the {part} from an earlier record with its id")
            setattr(known, part, earlier or text)
        known.metadata |= record.metadata


def moment_text(value: Any, place: str) -> str | None:
    """Return a time as our files write it; one without offset is in UTC. Raises FieldInvalidError."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else datetime.fromtimestamp(value, UTC)
        return time_text(time if time.tzinfo else time.replace(tzinfo=UTC))
    except (TypeError, ValueError, OverflowError, OSError):
        raise FieldInvalidError(place, f"must be a time in ISO 8601, not {quoted(value)}") from None


def duration(value: Any, place: str) -> float | None:
    """Return seconds. Raises FieldInvalidError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
        raise FieldInvalidError(place, "must be a number of seconds, 0 or more")
    return float(value)


def texts_in(fields: Mapping[str, Any], left_out: Counter[str]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the texts of a record's fields, and the other values, which become metadata.

    A conversation, as a list of {"role", "content"}, is written as one text.
    """
    found: dict[str, str] = {}
    others: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, str):
            found[name] = value
        elif (said := _conversation(value)) is not None:
            found[name] = said
            left_out["conversations, written as one text"] += 1
        elif value is not None:
            others[name] = value
    return found, others


def _conversation(value: Any) -> str | None:
    turns = value if isinstance(value, list) else None
    if not turns or not all(
        isinstance(turn, dict) and isinstance(turn.get("role"), str) and isinstance(turn.get("content"), str)
        for turn in turns
    ):
        return None
    return "\n\n".join(f"{turn['role'].capitalize()}:\n{turn['content']}" for turn in turns)


def labels_of(value: Any, place: str) -> list[str]:
    """Return a list of labels that are texts, each once. Raises FieldInvalidError."""
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):
        raise FieldInvalidError(place, "must be a list of texts")
    found = list(value)
    if not all(isinstance(label, str) and label for label in found):
        raise FieldInvalidError(place, "must be a list of texts")
    return list(dict.fromkeys(found))
