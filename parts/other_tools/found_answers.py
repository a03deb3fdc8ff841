"""The answers of other tools' files before they become lines: about which text, each once, by question."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from annotation.questions.preference import TIE
from files.import_problems import FileProblems, quoted
from parts.other_tools.findings import AnswerKind, Findings, FoundAnswer

LISTS = (AnswerKind.CHOICES, AnswerKind.SPANS)
"""The kinds whose answers may be empty lists."""


def settle_texts(found: Findings) -> None:
    """Give each answer the text that a person has named for its question, unless the file names one."""
    shows = found.told.shows
    found.answers = [
        replace(answer, about=shows[answer.question])
        if answer.about is None and answer.pair is None and answer.question in shows
        else answer
        for answer in found.answers
    ]


def fields_named(found: Findings) -> set[str]:
    """Return the fields that answers are about, compare or rank."""
    named: set[str] = set()
    for answer in found.answers:
        named |= {answer.about} if answer.about is not None else set()
        named |= set(answer.pair or ())
        if answer.kind is AnswerKind.RANKING:
            named |= set(answer.value)
        elif answer.kind is AnswerKind.EXTREMES:
            named |= set(answer.value.values())
    return named


def answers_by_question(
    found: Findings, answers: Iterable[FoundAnswer], problems: Mapping[str, FileProblems], is_pairwise: bool
) -> dict[str, list[FoundAnswer]]:
    """Return the answers to each question, each once; an answer that two files have differently is a problem.

    In a study of pairs a ranking of two texts is a choice between them.
    """
    by_question: dict[str, list[FoundAnswer]] = defaultdict(list)
    for answer in _once(found, answers, problems):
        by_question[answer.question].append(_as_choice(answer) if is_pairwise else answer)
    return {name: kept for name, own in by_question.items() if (kept := _with_empty_ones(name, own, found))}


def _once(
    found: Findings, answers: Iterable[FoundAnswer], problems: Mapping[str, FileProblems]
) -> Iterator[FoundAnswer]:
    """Yield the answers without those that an earlier file has, too; a rater's later answers in one file stay."""
    known: dict[tuple[Any, ...], FoundAnswer] = {}
    for answer in answers:
        who = (answer.record, answer.question, answer.rater, answer.rater_kind, answer.about)
        earlier = known.setdefault(who, answer)
        if earlier.file == answer.file:
            yield answer
        elif _said(earlier) == _said(answer):
            found.left_out["answers that another file has, too"] += 1
        elif earlier.submitted_at == answer.submitted_at:
            reason = f"differs from the answer of {quoted(answer.rater)} in {earlier.file}"
            problems[answer.file].add(answer.line, answer.place, reason)
        else:
            yield answer


def _said(answer: FoundAnswer) -> str:
    return json.dumps([answer.kind.value, answer.value, sorted(answer.pair or ())], sort_keys=True, default=str)


def _as_choice(answer: FoundAnswer) -> FoundAnswer:
    if answer.kind is not AnswerKind.RANKING or len(answer.value) != 2:
        return answer
    (one, rank), (other, other_rank) = answer.value.items()
    better = TIE if rank == other_rank else one if rank < other_rank else other
    pair = answer.pair or (one, other)
    known = answer.pair is not None and answer.is_order_known
    return replace(answer, kind=AnswerKind.PAIR, value=better, pair=pair, is_order_known=known)


def _with_empty_ones(name: str, answers: list[FoundAnswer], found: Findings) -> list[FoundAnswer]:
    """The answers with the kind of the others for those that chose or marked nothing."""
    empty = [answer for answer in answers if answer.kind is AnswerKind.NOTHING]
    if not empty:
        return answers
    kinds: set[AnswerKind | None] = {answer.kind for answer in answers if answer.kind is not AnswerKind.NOTHING}
    kinds = kinds or {found.kinds.get(name)}
    kind = next((kind for kind in LISTS if kinds == {kind}), None)
    if kind is None:
        found.left_out[f"empty answers to {name!r}"] += len(empty)
        return [answer for answer in answers if answer.kind is not AnswerKind.NOTHING]
    return [replace(answer, kind=kind) if answer.kind is AnswerKind.NOTHING else answer for answer in answers]
