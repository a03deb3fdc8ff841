"""The report on a study's revision sessions, as docs/formats.md describes it: plain values, for JSON and for pages."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.cache import cache

from agreement.second_ratings import second_ratings
from agreement.turns import (
    GOOD,
    TurnRow,
    error_categories,
    has_good_target,
    instruction_types,
    kinds_by_position,
    overview,
    ratings_by_kind,
    shares,
    text_figures,
)
from annotation.models import Study
from reports.rows.turns import Judged, session_rows
from sessions.labelling import VALUES, Kind
from sessions.models import RevisionSession

REPLICATES = 1000
TEXTS_IN_A_REQUEST = 10_000
"""How many turns are measured while somebody waits for a page; a command measures any number."""
KEPT_SECONDS = 30 * 24 * 3600
TOO_MANY = "there are so many turns that only manage.py session_report measures their texts"
NO_TURNS = "there is no such turn"
NO_VALUES = "no turn has a value"
NO_SESSIONS = "there is no session"
REASONS = {"share": NO_TURNS, "mean": NO_VALUES, "turns_per_session": NO_SESSIONS}
"""Why a figure of this name is undefined, where it is."""

Report = dict[str, Any]


def session_report(study: Study, *, replicates: int = REPLICATES, most_texts: int | None = None) -> Report:
    """Tables 2, 3, 4 and 6 and Figure 2 of KIWI, what retrieval gave, and what second ratings say of the first.

    `text_figures` is None where more turns than `most_texts` would have to be measured. `undefined` has the reason for
    each figure that is None, by its dotted name.
    """
    rows = session_rows(study)
    second = second_ratings(rows.second, replicates=replicates)
    undefined = {f"second_ratings.{name}": reason for name, reason in second.pop("undefined").items()}
    measured = sum(has_good_target(turn) for turn in rows.turns)
    report: Report = {
        "study": study.slug,
        "protocol": study.protocol,
        "models": sorted(set(rows.sessions.values())),
        "statuses": shares(rows.statuses, RevisionSession.Status.values),
        "overview": overview(rows.turns, rows.sessions),
        "ratings_by_kind": ratings_by_kind(rows.turns),
        "kinds_by_position": kinds_by_position(rows.turns),
        "instruction_types": instruction_types(rows.turns),
        "error_categories": error_categories(rows.turns),
        "retrieval": _retrieval(rows.judged),
        "text_figures": None if most_texts is not None and measured > most_texts else _texts(rows.turns),
        "second_ratings": second,
    }
    if report["text_figures"] is None:
        undefined["text_figures"] = TOO_MANY
    report["undefined"] = {**dict(_undefined(report)), **undefined}
    return report


def _retrieval(judged: Sequence[Judged]) -> Report:
    """What the passages were good for: of all turns judged, and of those rated neutral or bad."""
    failed = [one for one in judged if one.number and one.rating not in (None, GOOD)]
    values = VALUES[Kind.RETRIEVAL]
    return {
        "all": shares((one.value for one in judged), values),
        "failed": shares((one.value for one in failed), values),
    }


def _texts(turns: Sequence[TurnRow]) -> Report:
    """The figures of texts, kept under a digest of all that they are made of: they take about a millisecond a turn."""
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(repr(turn).encode("utf-8", "surrogatepass"))
    key = f"session-texts-1-{digest.hexdigest()}"
    kept: Report | None = cache.get(key)
    if kept is None:
        kept = text_figures(turns)
        cache.set(key, kept, KEPT_SECONDS)
    return kept


def _undefined(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The reasons why shares and means are None, by dotted name; a place in a list counts from 0."""
    if isinstance(part, dict):
        for key, value in part.items():
            if value is None and key in REASONS:
                yield ".".join((*path, key)), REASONS[key]
            else:
                yield from _undefined(value, (*path, key))
    elif isinstance(part, list):
        for place, value in enumerate(part):
            yield from _undefined(value, (*path, str(place)))
