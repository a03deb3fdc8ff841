"""The questions that another tool's answers belong to: their types, and the values that our studies have for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from annotation.models import Question
from annotation.questions.best_worst import QUESTION_TYPE as BEST_WORST
from annotation.questions.binary import QUESTION_TYPE as BINARY
from annotation.questions.category import QUESTION_TYPE as CATEGORY
from annotation.questions.likert import QUESTION_TYPE as LIKERT
from annotation.questions.preference import QUESTION_TYPE as PREFERENCE
from annotation.questions.rank import QUESTION_TYPE as RANK
from annotation.questions.slider import QUESTION_TYPE as SLIDER
from annotation.questions.spans import QUESTION_TYPE as SPANS
from annotation.questions.text import QUESTION_TYPE as TEXT
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.findings import AnswerKind, Findings, FoundAnswer

MOST_LABELS, LONGEST_LABEL = 50, 60
FEW_LABELS, SHORT_LABEL = 10, 30
USUAL_STARS = 5
LONGEST_KEY = 100
LONGEST_SCALE = 100
TYPES = {
    AnswerKind.CHOICES: CATEGORY.key, AnswerKind.TEXT: TEXT.key, AnswerKind.STEP: LIKERT.key,
    AnswerKind.NUMBER: SLIDER.key, AnswerKind.SPANS: SPANS.key, AnswerKind.RANKING: RANK.key,
    AnswerKind.PAIR: PREFERENCE.key, AnswerKind.EXTREMES: BEST_WORST.key,
}  # fmt: skip
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
WORDS = frozenset({AnswerKind.WORDS, AnswerKind.CHOICES, AnswerKind.TEXT})


class QuestionUnclearError(ValueError):
    """The answers to a question do not fit one type; the message says why."""


@dataclass(frozen=True)
class QuestionPlan:
    """A question: its key, type and body in a study file."""

    key: str
    type: str
    body: Mapping[str, Any]


def plan_of_study(question: Question) -> QuestionPlan:
    """The plan of a question that a study file has."""
    return QuestionPlan(question.key, question.type, question.spec)


def planned(name: str, answers: Sequence[FoundAnswer], found: Findings) -> QuestionPlan:
    """The question that these answers belong to. Raises QuestionUnclearError."""
    key = question_key(name)
    kind = _kind(name, answers, found)
    spec: dict[str, Any] = {}
    match kind:
        case AnswerKind.CHOICES:
            lists = [answer.value for answer in answers]
            labels = list(dict.fromkeys([*found.choices.get(name, ()), *sorted({one for own in lists for one in own})]))
            several = name in found.multiple or any(len(own) != 1 for own in lists)
            spec = {"choices": labels, **({"multiple": True} if several else {})}
        case AnswerKind.STEP:
            values = [answer.value for answer in answers]
            low, high = found.scales.get(name, (1, USUAL_STARS))
            spec = {"min": min(low, *values), "max": max(high, *values)}
        case AnswerKind.NUMBER:
            values = [answer.value for answer in answers]
            ends = found.scales.get(name, ())
            low, high = floor(min(*ends, *values, values[0])), ceil(max(*ends, *values, values[0]))
            spec = {"min": low, "max": max(high, low + 1)}
        case AnswerKind.SPANS:
            marked = {span[2] for answer in answers for span in answer.value} - {None}
            spec = {"labels": list(dict.fromkeys([*found.choices.get(name, ()), *sorted(marked)]))}
            spec = spec if spec["labels"] else {}
        case AnswerKind.RANKING:
            spec = {"ranks": max(2, *(max(len(answer.value), *answer.value.values(), 0) for answer in answers))}
    body = {"key": key, "type": TYPES[kind], "text": found.texts.get(name, name), "required": False, **spec}
    return QuestionPlan(key, TYPES[kind], body)


def question_key(name: str) -> str:
    """The key of a question: its name in the other tool. Raises QuestionUnclearError."""
    try:
        check_id(name, "name")
    except TextRefusedError as problem:
        raise QuestionUnclearError(f"its name {problem.reason}") from None
    if len(name) > LONGEST_KEY:
        raise QuestionUnclearError(f"its name has more than {LONGEST_KEY} characters")
    return name


def _kind(name: str, answers: Sequence[FoundAnswer], found: Findings) -> AnswerKind:
    kinds = {answer.kind for answer in answers}
    told = found.kinds.get(name)
    if told is AnswerKind.CHOICES and kinds <= {AnswerKind.CHOICES, AnswerKind.WORDS}:
        return told if len(_labels(name, answers, found)) > 1 else AnswerKind.TEXT
    if told is not None and (kinds == {told} or (told in WORDS and kinds <= WORDS)):
        return told
    if kinds <= WORDS:
        if AnswerKind.TEXT in kinds or not _are_labels(name, answers, found, AnswerKind.WORDS in kinds):
            return AnswerKind.TEXT
        return AnswerKind.CHOICES
    if kinds == {AnswerKind.STEP}:
        values = [answer.value for answer in answers]
        return AnswerKind.STEP if max(values) - min(1, *values) < LONGEST_SCALE else AnswerKind.NUMBER
    if kinds <= {AnswerKind.STEP, AnswerKind.NUMBER}:
        return AnswerKind.NUMBER
    if len(kinds) == 1:
        return kinds.pop()
    raise QuestionUnclearError(f"its answers are of several kinds: {', '.join(sorted(kind.value for kind in kinds))}")


def _are_labels(name: str, answers: Sequence[FoundAnswer], found: Findings, uncertain: bool) -> bool:
    """Whether texts are labels of a category: at least two, few, short, and repeated unless the tool calls them so."""
    given, labels = [label for answer in answers for label in answer.value], _labels(name, answers, found)
    if len(labels) < 2 or any(len(label) > LONGEST_LABEL or "\n" in label for label in labels if uncertain):
        return False
    if not uncertain:
        return True
    few = len(labels) <= FEW_LABELS and all(len(label) <= SHORT_LABEL for label in labels)
    return len(labels) <= MOST_LABELS and (few or len(labels) < len(given))


def _labels(name: str, answers: Sequence[FoundAnswer], found: Findings) -> set[str]:
    """The labels that were given or offered."""
    return {*(label for answer in answers for label in answer.value), *found.choices.get(name, ())}


def values_of(plan: QuestionPlan, answer: FoundAnswer, texts: Mapping[str, str], found: Findings) -> Iterator[Any]:
    """Yield the values that an answer has in our study: none, one, or one per text. Raises FieldInvalidError.

    `texts` are those of the unit: the outputs it is about.
    """
    kind, value = answer.kind, answer.value
    match plan.type:
        case CATEGORY.key if kind in WORDS:
            labels = [value] if isinstance(value, str) else value
            if plan.body.get("multiple"):
                yield labels
            elif len(labels) == 1:
                yield labels[0]
            else:
                raise FieldInvalidError("", "names several labels, but the question takes one")
        case TEXT.key if kind in WORDS:
            yield from ([value] if isinstance(value, str) else value)
        case BINARY.key if kind in WORDS or kind is AnswerKind.STEP:
            yield _truth(value)
        case LIKERT.key | SLIDER.key if kind in (AnswerKind.STEP, AnswerKind.NUMBER):
            yield value
        case LIKERT.key | SLIDER.key if kind in WORDS and len(value) == 1 and value[0].isascii() and value[0].isdigit():
            yield int(value[0])
        case SPANS.key if kind is AnswerKind.SPANS and plan.body.get("on") != "document":
            yield _marked(value, texts, found)
        case RANK.key if kind is AnswerKind.RANKING:
            yield value
        case PREFERENCE.key if kind is AnswerKind.PAIR:
            yield value
        case BEST_WORST.key if kind is AnswerKind.EXTREMES:
            yield value
        case _:
            raise FieldInvalidError("", f"is no answer to a question of type {plan.type}")


def _truth(value: Any) -> bool:
    text = str(value[0] if isinstance(value, list) and len(value) == 1 else value).lower()
    if text not in TRUTHS:
        raise FieldInvalidError("", f"must be yes or no, not {quoted(text)}")
    return TRUTHS[text]


def _marked(spans: Sequence[Any], texts: Mapping[str, str], found: Findings) -> dict[str, Any]:
    """Marked spans as a value; those that overlap one with the same label are left out and counted."""
    if len(texts) != 1:
        raise FieldInvalidError("", "marks spans, but it is not known in which text")
    ((output, text),) = texts.items()
    ends: dict[str | None, int] = {}
    kept = []
    placed = [(*_place(start, end, said, text), label) for start, end, label, said in spans]
    for start, end, label in sorted(placed, key=lambda one: (one[0], one[1], one[2] or "")):
        if start < ends.get(label, 0):
            found.left_out["spans that overlap another with the same label"] += 1
            continue
        ends[label] = end
        span = {"output": output, "start": start, "end": end, "text": text[start:end]}
        kept.append({**span, "label": label} if label is not None else span)
    return {"spans": kept, "none": [] if kept else [output]}


def _place(start: int, end: int, said: str | None, text: str) -> tuple[int, int]:
    """Where a span begins and ends in code points; tools that run in browsers may count units of UTF-16."""
    if 0 <= start < end <= len(text) and said in (None, text[start:end]):
        return start, end
    units = text.encode("utf-16-le")
    if said is not None and 0 <= start < end and units[2 * start : 2 * end] == said.encode("utf-16-le"):
        before = len(units[: 2 * start].decode("utf-16-le", "ignore"))
        return before, before + len(said)
    shown = "" if said is None else f" ({quoted(said)})"
    raise FieldInvalidError("", f"marks {start} to {end}{shown}, where the text has something else")
