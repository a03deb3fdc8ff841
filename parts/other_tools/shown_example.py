"""One answer of another tool's file as it will be in the study, so that a person can check who is where."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotation.questions.preference import TIE
from parts.other_tools.field_roles import ItemParts
from parts.other_tools.findings import AnswerKind, FoundAnswer

SIDES = ("left", "right")
LONGEST_TEXT = 600
FIRST = (AnswerKind.PAIR, AnswerKind.RANKING, AnswerKind.EXTREMES)
"""The kinds of which one is shown, if there is one, before all others."""
CHOSEN = "chosen"


@dataclass(frozen=True)
class ShownText:
    """A text of the example: the system, the side on which it was shown if that is known, and what was said of it."""

    system: str
    text: str
    side: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class ShownExample:
    """One answer: the item, what was asked, by whom, and the texts it is about, in the order shown."""

    item: str
    instruction: str
    question: str
    rater: str
    answer: str
    is_comparison: bool
    is_order_known: bool
    texts: tuple[ShownText, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the example as the findings of a dry run have it."""
        return asdict(self)

    def renamed(self, shown: Callable[[str], str]) -> "ShownExample":
        """Return the example with systems called as `shown` says."""
        texts = tuple(replace(text, system=shown(text.system)) for text in self.texts)
        better = next((text.system for text in texts if text.verdict.startswith(CHOSEN)), None)
        return replace(self, texts=texts, answer=self.answer if better is None else _is_better(better))

    @property
    def lines(self) -> Iterator[str]:
        """Yield the example as the command shows it."""
        what = "comparison" if self.is_comparison else "answer"
        yield f"One {what}, to check: item {self.item}, question {self.question}, by {self.rater}: {self.answer}"
        for shown in self.texts:
            about = ", ".join(part for part in (shown.side, shown.system, shown.verdict) if part)
            yield f"  {about}: {shown.text}"
        if self.is_comparison and not self.is_order_known:
            yield "  The order in which they were shown is not known."


def example_of(by_question: Mapping[str, Sequence[FoundAnswer]], parts: Mapping[str, ItemParts]) -> ShownExample | None:
    """Return an example: a comparison that somebody has decided, or else a ranking, or else the first answer."""
    answers = [answer for own in by_question.values() for answer in own if answer.record in parts]
    decided = (answer for answer in answers if answer.kind is AnswerKind.PAIR and answer.value != TIE)
    of_kinds = (answer for kind in FIRST for answer in answers if answer.kind is kind)
    answer = next(decided, None) or next(of_kinds, None) or next(iter(answers), None)
    return None if answer is None else _shown(answer, parts[answer.record])


def _shown(answer: FoundAnswer, parts: ItemParts) -> ShownExample:
    is_pair = answer.kind is AnswerKind.PAIR
    names = list(answer.pair or parts.outputs) if is_pair else [answer.about] if answer.about else list(parts.outputs)
    texts = tuple(
        ShownText(
            name,
            _short(parts.outputs.get(name, "")),
            SIDES[place] if is_pair and answer.is_order_known and len(names) == 2 else "",
            _verdict(answer, name),
        )
        for place, name in enumerate(names)
    )
    return ShownExample(
        answer.record,
        _short(parts.instruction),
        answer.question,
        answer.rater,
        _in_words(answer),
        is_pair,
        answer.is_order_known,
        texts,
    )


def _verdict(answer: FoundAnswer, name: str) -> str:
    match answer.kind:
        case AnswerKind.PAIR:
            weight = (answer.distribution or {}).get(name)
            chosen = CHOSEN if answer.value == name else ""
            return chosen if weight is None else f"{chosen or 'not chosen'}, weight {weight:.3g}"
        case AnswerKind.RANKING:
            return f"rank {answer.value[name]}" if name in answer.value else ""
        case AnswerKind.EXTREMES:
            return next((side for side, chosen in answer.value.items() if chosen == name), "")
    return ""


def _in_words(answer: FoundAnswer) -> str:
    """The answer, as short as a line of a summary."""
    match answer.kind:
        case AnswerKind.PAIR:
            return "a tie" if answer.value == TIE else _is_better(answer.value)
        case AnswerKind.SPANS:
            return f"{len(answer.value)} marked spans"
        case AnswerKind.RANKING | AnswerKind.EXTREMES:
            return answer.kind.value
    value = ", ".join(answer.value) if isinstance(answer.value, list) else str(answer.value)
    return _short(value) or "nothing chosen"


def _is_better(system: str) -> str:
    return f"{system} is better"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_TEXT else f"{flat[:LONGEST_TEXT]}…"
