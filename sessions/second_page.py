"""What the desk shows somebody who rates a turn of another person's session."""

from collections.abc import Mapping
from typing import Any

from sessions.differences import differences
from sessions.reading_matter import place_of
from sessions.rendering import as_markdown, parts_of, unknown
from sessions.showing import KINDS, ShownAnswer


def second_page(turn: Mapping[str, Any] | None, markdown: bool = False) -> dict[str, Any]:
    """The turn's texts as its own user read them, what changed, and its papers with what was read of each."""
    if turn is None:
        return {}
    count = len(turn["papers"])
    return {
        "question": turn["question"],
        "kind": KINDS[turn["kind"]],
        "instruction": turn["instruction"],
        "answer": _answer("The new answer", turn["answer"], count, markdown),
        "previous": _answer("The answer before", turn["previous_answer"], count, markdown),
        "found": differences(turn["previous_answer"], turn["answer"]),
        "papers": [_paper(paper, turn["passages"], turn["earlier"]) for paper in turn["papers"]],
    }


def _answer(title: str, text: str, papers: int, markdown: bool) -> ShownAnswer:
    html = as_markdown(text, papers) if markdown else None
    return ShownAnswer(None, title, "", text, [] if html else parts_of(text, papers), html, unknown(text, papers))


def _paper(paper: Mapping[str, Any], passages: list[Any], earlier: list[Any]) -> dict[str, Any]:
    read = {(one["paragraph"]): (one["text"], False) for one in earlier if one["paper"] == paper["number"]}
    read |= {(one["paragraph"]): (one["text"], True) for one in passages if one["paper"] == paper["number"]}
    shown = [{"place": place_of(place), "text": text, "now": now} for place, (text, now) in sorted(read.items())]
    return {**paper, "authors": ", ".join(paper["authors"]), "passages": shown, "now": any(one["now"] for one in shown)}
