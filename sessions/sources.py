"""Passages as prompts hold them."""

from collections.abc import Iterable

from llm.asking import Source


def cited_passages(passages: Iterable[Source]) -> str:
    """The passages, each under its paper's number and title: the number by which answers cite it."""
    return "\n\n".join(f"[{passage.number}] {passage.title}\n{passage.text}" for passage in passages)
