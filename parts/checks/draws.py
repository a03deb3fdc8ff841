"""Which of a rater's claims get a hidden check instead of the study's next task: drawn from the site's secret key.

A draw depends only on the study, its seed, the rater's name, the number of the claim and that key, so that pages can
say how many tasks are left without a query, and so that a check comes when nobody's work decides it. A rater can know
all of these but the key: without it, they could compute which of their tasks are checks. With another key, later
claims are drawn again; nothing that was given or answered changes.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings

from annotation.models import Rater, Study
from annotation.protocols import protocols
from annotation.studies.secret_seeds import secret_digest

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
    draws = _draws(settings.SECRET_KEY, study.slug, study.option("seed", 0), rater, number // PER_DIGEST)
    drawn, bound = draws[number % PER_DIGEST], 0.0
    for kind in KINDS:
        bound += share_of(checks, kind)
        if drawn < bound:
            return kind
    return None


@lru_cache(maxsize=4096)
def _draws(key: str, slug: str, seed: int, rater: str, block: int) -> tuple[float, ...]:
    """Numbers from 0 to 1 for PER_DIGEST claims in a row."""
    digest = secret_digest(key, [slug, seed, "claims", rater, block])
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


def expected_checks(study: Study, tasks: int) -> int:
    """How many checks somebody can expect beside so many of the study's own tasks."""
    checks = checks_of(study)
    if checks is None:
        return 0
    share = sum(share_of(checks, kind) for kind in KINDS)
    return round(max(0, tasks - int(checks.get("first", FIRST_CLAIM))) * share / (1 - share))


def checks_among(study: Study, rater: Rater, tasks: int, items: int) -> int:
    """How many tasks of checks will come among a rater's next `tasks`, which are of so many items."""
    together = protocols()[study.protocol].keeps_raters(study.options)
    claims = min(items, tasks) if together else tasks
    drawn = checks_before(study, rater.name, rater.given, claims)
    return round(drawn * tasks / claims) if claims else 0
