"""Passages in prompts."""

from collections.abc import Iterable

from llm.requests import SourcePassage


def cited_passages(passages: Iterable[SourcePassage]) -> str:
    """Return the passages as text, each under the title of its paper and the number by which answers cite it."""
    return "\n\n".join(f"[{passage.number}] {passage.title}\n{passage.text}" for passage in passages)
