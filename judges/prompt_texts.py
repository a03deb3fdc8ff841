"""Pieces of prompts. Texts that are judged are data: each stands between two marks that it cannot contain."""

import hashlib
from collections.abc import Sequence

from judges.protocol import CaseOutput


def fenced(name: str, text: str) -> str:
    """Return a text between two lines with `name` and a mark that is drawn from it, so that no text can end it."""
    mark = mark_of(text)
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


def mark_of(text: str) -> str:
    """Return the mark that is drawn from a text, by which erasing finds prompts that have it."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def numbered(outputs: Sequence[CaseOutput], name: str = "output") -> str:
    """Return outputs, fenced and numbered from 1 in the order shown."""
    return "\n\n".join(fenced(f"{name} {place}", output.text) for place, output in enumerate(outputs, start=1))
