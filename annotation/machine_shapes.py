"""The shapes in which machines answer questions: people's own shape, or a score, a choice or a ranking instead.

| shape | unit | value | level |
| score | one output | a finite number | interval |
| choice | two outputs | the better one's key, or "tie" | choice |
| ranking | the item | {output key: rank}, 1 is best, without gaps | rank |
| label | what the question is about, or the item | one of the question's choices | nominal |

Where a question has a scale and is asked about something else than one output, a score may be about that too. Texts,
marked spans, and the best and worst of the outputs have only their own shape. A shape is a level with a kind of unit,
both of which a row carries.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from annotation.answers import Sheet, Unit
from annotation.models import Question, Rater
from annotation.protocols import Protocol, UnitInvalidError
from annotation.questions import QuestionType, ValueInvalidError, finite_number, question_types
from annotation.questions.best_worst import is_best_worst
from annotation.questions.preference import TIE
from annotation.questions.rank import closed

SCORE, CHOICE, RANKING, LABEL, SPANS, TEXT, EXTREMES = (
    "interval", "choice", "rank", "nominal", "span", "text", "extremes"
)  # fmt: skip
"""The shapes by their level."""
PLURALS: Mapping[str, str] = {
    SCORE: "scores", CHOICE: "choices", RANKING: "rankings", LABEL: "labels", SPANS: "marked spans", TEXT: "texts",
    EXTREMES: "best and worst outputs",
}  # fmt: skip
OUTPUT, PAIR, WHOLE = "output", "pair", "task"
"""The kinds of units, as protocols name them."""
OF_UNIT: Mapping[str, str] = {OUTPUT: "of single outputs", PAIR: "of pairs", WHOLE: "of whole tasks"}
NAME_OUTPUTS = "is missing: name the output for a score, or two as outputs for a choice, or rank all of them"


@dataclass(frozen=True, slots=True)
class MachineAnswer:
    """A machine's answer to a question about a unit, checked except for what its outputs are."""

    question: Question
    unit: Unit
    value: Any
    level: str
    number: float | None = None
    off_scale: bool = False

    @property
    def shape(self) -> tuple[str, str]:
        return self.level, unit_kind(self.unit.output is not None, self.unit.other is not None)


def unit_kind(has_output: bool, has_other: bool) -> str:
    return PAIR if has_other else OUTPUT if has_output else WHOLE


def in_words(shape: tuple[str, str]) -> str:
    """Return a shape as the plural of its answers."""
    level, unit = shape
    return f"{PLURALS[level]} {OF_UNIT[unit]}" if level in (SCORE, LABEL) else PLURALS[level]


def own_level(question: Question) -> str:
    """Return the level of a machine's answers in the question's own shape; people's yes or no is nominal."""
    kind = question_types()[question.type]
    return SCORE if kind.scale(question.spec) is not None else kind.level


def own_shape(question: Question, protocol: Protocol) -> Q:
    """Return the condition for ratings of a question that have its own shape, as all of people's have."""
    unit = protocol.asks_about(question)
    return Q(rater__kind=Rater.Kind.HUMAN) | Q(
        level=own_level(question), output__isnull=unit == WHOLE, other_output__isnull=unit != PAIR
    )


def checked_answer(question: Question, protocol: Protocol, unit: Unit, value: Any) -> MachineAnswer:
    """Return a machine's answer in the shape that its unit and value have.

    Raises UnitInvalidError or ValueInvalidError if the question has no such answers.
    """
    kind, own = question_types()[question.type], protocol.asks_about(question)
    if unit.other is not None:
        return _about_pair(question, kind, own, unit, value)
    if unit.output is not None:
        return _about_output(question, kind, own, unit, value)
    return _about_task(question, kind, own, unit, value)


def _about_pair(question: Question, kind: QuestionType, own: str, unit: Unit, value: Any) -> MachineAnswer:
    if kind.level == TEXT and own == PAIR:
        return _own(question, kind, unit, value)
    if own == PAIR and kind.level != CHOICE and not _names_winner(value, unit):
        return _own(question, kind, unit, value)
    if kind.level == TEXT:
        raise UnitInvalidError("outputs", "must be left out: a question for a text cannot be answered by a choice")
    if TIE in (unit.output, unit.other):
        raise UnitInvalidError("outputs", f'an output called "{TIE}" cannot be compared, because it is also an answer')
    if not _names_winner(value, unit) or (value == TIE and not kind.takes_ties(question.spec)):
        if kind.level == CHOICE:
            kind.check(value, question.spec)
        raise ValueInvalidError(f'must be one of the outputs compared, or "{TIE}"')
    return MachineAnswer(question, unit, value, CHOICE)


def _names_winner(value: Any, unit: Unit) -> bool:
    return isinstance(value, str) and value in (unit.output, unit.other, TIE)


def _about_output(question: Question, kind: QuestionType, own: str, unit: Unit, value: Any) -> MachineAnswer:
    has_scale = kind.scale(question.spec) is not None
    if has_scale or (kind.level == TEXT and own == OUTPUT):
        return _own(question, kind, unit, value)
    if kind.level == TEXT:
        raise UnitInvalidError("output", "must be left out: a question for a text cannot be answered by a score")
    if kind.level == LABEL and not isinstance(value, int | float):
        if own == OUTPUT:
            return _own(question, kind, unit, value)
        raise UnitInvalidError("output", "must be left out: only a score is about one output here")
    return MachineAnswer(question, unit, value, SCORE, _number(value))


def _about_task(question: Question, kind: QuestionType, own: str, unit: Unit, value: Any) -> MachineAnswer:
    marks = kind.level == SPANS and isinstance(value, dict) and isinstance(value.get("spans"), list)
    if kind.level == EXTREMES and is_best_worst(value):
        return _own(question, kind, unit, value)
    if isinstance(value, dict) and not marks and not unit.variant and kind.level != TEXT:
        if kind.level == RANKING:
            kind.check(value, question.spec)
        return MachineAnswer(question, unit, _dense(value), RANKING)
    if own == WHOLE and kind.level != RANKING:
        return _own(question, kind, unit, value)
    if kind.level == LABEL and kind.scale(question.spec) is None and not isinstance(value, int | float):
        return _own(question, kind, unit, value)
    if kind.level == RANKING:
        kind.check(value, question.spec)
    raise UnitInvalidError("outputs" if own == PAIR else "output", NAME_OUTPUTS)


def _own(question: Question, kind: QuestionType, unit: Unit, value: Any) -> MachineAnswer:
    """Return an answer as people give it, or, if the question has a scale, any finite number."""
    kind.check_machine(value, question.spec)
    off_scale = kind.off_scale(value, question.spec)
    return MachineAnswer(question, unit, value, own_level(question), kind.number(value), off_scale)


def _number(value: Any) -> float:
    if isinstance(value, bool):
        raise ValueInvalidError("must be a finite number")
    return finite_number(value)


def _dense(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a ranking unchanged. Raises ValueInvalidError unless its ranks are 1, 2, ... without gaps."""
    if not value or not all(type(rank) is int and rank >= 1 for rank in value.values()):
        raise ValueInvalidError("must give a rank for each output, {output id: rank}, with 1 for the best")
    if closed(value) != value:
        raise ValueInvalidError("leaves out a rank: after a tie comes the next number")
    return value


def check_answer_shown(
    answer: MachineAnswer, sheet: Sheet, shown: list[str] | None, options: Mapping[str, Any]
) -> None:
    """Check an answer against the item's outputs. Raises ValueInvalidError.

    `sheet` has all outputs of the item, with texts if the question needs them.
    """
    question, kind = answer.question, question_types()[answer.question.type]
    named = [key for key in (answer.unit.output, answer.unit.other) if key is not None]
    if answer.level == RANKING:
        known = set(sheet.keys if shown is None else shown)
        strange = sorted(key for key in answer.value if key not in known)
        if strange:
            raise ValueInvalidError(
                f"ranks {strange[0]!r}, which is not an output {'shown' if shown else 'of the item'}"
            )
        if shown is not None and len(known) > len(answer.value):
            left = sorted(known - set(answer.value))
            raise ValueInvalidError(f"leaves out {left[0]!r}, which was shown: every output shown needs a rank")
        if kind.level == RANKING:
            kind.check_options(answer.value, question.spec, options)
    elif kind.needs_outputs and answer.level == kind.level:
        if answer.level == EXTREMES and shown is not None:
            sheet = sheet.only([key for key in sheet.keys if key in shown])
        kind.check_shown(answer.value, question.spec, sheet.only(named) if named else sheet)
        kind.check_options(answer.value, question.spec, options)
