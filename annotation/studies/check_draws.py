"""Which of a rater's claims get a hidden check instead of the study's next task: drawn from the study's seed.

A draw depends only on the study, the rater's name and the number of the claim, so that pages can say how many tasks are
left without a query, and so that a check comes when nobody's work decides it.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from annotation.models import Rater, Study
from annotation.protocols import protocols

KINDS = ("gold", "twins", "repeats")
"""The kinds of checks, in the order in which draws are shared out among them."""
FIRST_CLAIM = 3
"""How many claims come before the first that may get a check, if the study does not say."""
PER_DIGEST = 8
"""Draws of four bytes that one digest holds."""
WHOLE = 2**32


def checks_of(study: Study) -> Mapping[str, Any] | None:
    """The study's settings of hidden checks; None if it has none."""
    found: Mapping[str, Any] | None = study.recruiting.get("checks") if study.recruiting else None
    return found


def share_of(checks: Mapping[str, Any], kind: str) -> float:
    """The share of claims that get a check of a kind."""
    return float((checks.get(kind) or {}).get("share", 0.0))


def drawn_kind(study: Study, rater: str, number: int) -> str | None:
    """The kind of check drawn for a rater's claim `number`, counted from 0; None for the study's own next task."""
    checks = checks_of(study)
    if checks is None or number < checks.get("first", FIRST_CLAIM):
        return None
    draws = _draws(study.slug, study.option("seed", 0), rater, number // PER_DIGEST)
    drawn, bound = draws[number % PER_DIGEST], 0.0
    for kind in KINDS:
        bound += share_of(checks, kind)
        if drawn < bound:
            return kind
    return None


@lru_cache(maxsize=4096)
def _draws(slug: str, seed: int, rater: str, block: int) -> tuple[float, ...]:
    """Numbers from 0 to 1 for PER_DIGEST claims in a row."""
    digest = hashlib.sha256(f"{slug}\0{seed}\0{rater}\0checks\0{block}".encode()).digest()
    return tuple(int.from_bytes(digest[at : at + 4], "big") / WHOLE for at in range(0, 4 * PER_DIGEST, 4))


def drawn_from(study: Study, rater: str, number: int) -> Iterator[tuple[int, str | None]]:
    """The draws of a rater from claim `number` on, without an end."""
    while True:
        yield number, drawn_kind(study, rater, number)
        number += 1


def checks_before(study: Study, rater: str, number: int, tasks: int) -> int:
    """How many checks are drawn from claim `number` on before the rater has `tasks` more of the study's own tasks.

    No check comes after the last task.
    """
    if checks_of(study) is None or tasks <= 0:
        return 0
    found = left = 0
    for _, kind in drawn_from(study, rater, number):
        if kind is not None:
            found += 1
            continue
        left += 1
        if left == tasks:
            break
    return found


def checks_among(study: Study, rater: Rater, tasks: int, items: int) -> int:
    """How many tasks of checks will come among a rater's next `tasks`, which are of so many items."""
    together = protocols()[study.protocol].keeps_raters(study.options)
    claims = min(items, tasks) if together else tasks
    drawn = checks_before(study, rater.name, rater.given, claims)
    return round(drawn * tasks / claims) if claims else 0
