"""Which of a rater's claims get a hidden check instead of the study's next task: drawn from the site's secret key.

A draw depends only on the study, its seed, the rater's name, the number of the claim and that key, so that pages can
say how many tasks are left without a query, and so that a check comes when nobody's work decides it. A rater can know
all of these but the key: without it, they could compute which of their tasks are checks. With another key, later
claims are drawn again; nothing that was given or answered changes.
"""

from functools import lru_cache

from django.conf import settings

from annotation.models import Rater, Study
from annotation.protocols import protocols
from annotation.studies.secret_seeds import secret_digest
from parts.checks.settings import CheckSettings, checks_of

PER_DIGEST = 8
"""Draws of four bytes that one digest holds."""
WHOLE = 2**32


def drawn_kind(study: Study, rater: str, number: int) -> str | None:
    """The kind of check drawn for a rater's claim `number`, counted from 0; None for the study's own next task."""
    checks = checks_of(study)
    return None if checks is None else _drawn(checks, study, rater, number)


def _drawn(checks: CheckSettings, study: Study, rater: str, number: int) -> str | None:
    if number < checks.first:
        return None
    draws = _draws(settings.SECRET_KEY, study.slug, study.options.get("seed", 0), rater, number // PER_DIGEST)
    drawn, bound = draws[number % PER_DIGEST], 0.0
    for kind, given in checks.kinds.items():
        bound += given.share
        if drawn < bound:
            return kind
    return None


@lru_cache(maxsize=4096)
def _draws(key: str, slug: str, seed: int, rater: str, block: int) -> tuple[float, ...]:
    """Numbers from 0 to 1 for PER_DIGEST claims in a row."""
    digest = secret_digest(key, [slug, seed, "claims", rater, block])
    return tuple(int.from_bytes(digest[at : at + 4], "big") / WHOLE for at in range(0, 4 * PER_DIGEST, 4))


def checks_before(study: Study, rater: str, number: int, tasks: int) -> int:
    """How many checks are drawn from claim `number` on before the rater has `tasks` more of the study's own tasks.

    No check comes after the last task.
    """
    checks = checks_of(study)
    if checks is None or tasks <= 0:
        return 0
    found = left = 0
    while left < tasks:
        if _drawn(checks, study, rater, number + found + left) is None:
            left += 1
        else:
            found += 1
    return found


def expected_checks(study: Study, tasks: int) -> int:
    """How many checks somebody can expect beside so many of the study's own tasks."""
    checks = checks_of(study)
    if checks is None:
        return 0
    share = sum(kind.share for kind in checks.kinds.values())
    return round(max(0, tasks - checks.first) * share / (1 - share))


def checks_among(study: Study, rater: Rater, tasks: int, items: int) -> int:
    """How many tasks of checks will come among a rater's next `tasks`, which are of so many items."""
    together = protocols()[study.protocol].keeps_raters(study.options)
    claims = min(items, tasks) if together else tasks
    drawn = checks_before(study, rater.name, rater.given, claims)
    return round(drawn * tasks / claims) if claims else 0
