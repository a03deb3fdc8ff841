"""The report on a study's revision sessions, as docs/formats.md describes it, as plain values for JSON and pages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agreement.catalogue.turn_catalogue import NO_SESSIONS, NO_TURNS, NO_VALUES
from agreement.turns.label_agreement import Label, label_agreement
from agreement.turns.second_rating_figures import collapsed, second_ratings
from agreement.turns.turn_figures import (
    GOOD,
    error_categories,
    instruction_types,
    kinds_by_position,
    overview,
    ratings_by_kind,
    shares,
    text_figures,
)
from agreement.turns.turn_intervals import add_rating_intervals, add_text_intervals
from annotation.models import Study
from annotation.studies.snapshots import study_snapshot
from reports.figures.rows import ChoiceInvalidError
from reports.figures.rows.turn_rows import RetrievalLabel, session_rows
from sessions.models import RevisionSession
from sessions.turn_labels import VALUES, Kind

REPLICATES = 1000
REASONS = {"share": NO_TURNS, "mean": NO_VALUES, "turns_per_session": NO_SESSIONS}
"""The reason if a figure of this name is undefined."""

Report = dict[str, Any]


def session_report(study: Study, *, labeller: str | None = None) -> Report:
    """Tables 2, 3, 4 and 6 and Figure 2 of KIWI, what retrieval gave, second ratings and the agreement on labels.

    With `labeller`, the labels are that rater's or run's alone; by default a person's latest counts. `undefined` has
    the reason for each figure that is None, by its dotted name. Raises ChoiceInvalidError for a labeller without a
    label.
    """
    with study_snapshot(study):
        rows = session_rows(study, labeller)
    if labeller is not None and labeller not in rows.labellers:
        raise ChoiceInvalidError(f"{labeller!r} has labelled no turn of this study.")
    ratings, texts = ratings_by_kind(rows.turns), text_figures(rows.turns)
    add_rating_intervals(ratings, rows.turns, list(rows.sessions), replicates=REPLICATES)
    add_text_intervals(texts, rows.turns, list(rows.sessions), replicates=REPLICATES)
    report: Report = {
        "study": study.slug,
        "protocol": study.protocol,
        "models": sorted(set(rows.sessions.values())),
        "labellers": {"chosen": labeller, "all": rows.labellers},
        "statuses": shares(rows.statuses, RevisionSession.Status.values),
        "overview": overview(rows.turns, rows.sessions),
        "ratings_by_kind": ratings,
        "kinds_by_position": kinds_by_position(rows.turns),
        "instruction_types": instruction_types(rows.turns),
        "error_categories": error_categories(rows.turns),
        "retrieval": _retrieval(rows.retrieval),
        "text_figures": texts,
        "label_agreement": {
            kind: label_agreement(rows.labels.get(kind, []), replicates=REPLICATES) for kind in Kind.values
        },
        "second_ratings": {
            **second_ratings(rows.pairs, replicates=REPLICATES),
            "between": _between(rows.second),
        },
    }
    report["undefined"] = {**dict(_undefined(report)), **dict(_reasons(report))}
    return report


def _between(second: Sequence[Label]) -> Report:
    """Agreement between second raters of the same turn, with ratings as in `second_ratings`."""
    two_way = [(turn, rater, collapsed(rating)) for turn, rater, rating in second]
    return {
        "two_way": label_agreement(two_way, replicates=REPLICATES),
        "three_way": label_agreement(second, replicates=REPLICATES),
    }


def _retrieval(judged: Sequence[RetrievalLabel]) -> Report:
    """Whether the passages were sufficient: of all labelled turns, and of those rated neutral or bad."""
    failed = [one for one in judged if one.number and one.rating not in (None, GOOD)]
    values = VALUES[Kind.RETRIEVAL]
    return {
        "all": shares((one.value for one in judged), values),
        "failed": shares((one.value for one in failed), values),
    }


def _undefined(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The reasons why shares and means are None, by dotted name; positions in lists count from 0."""
    if isinstance(part, dict):
        for key, value in part.items():
            if value is None and key in REASONS:
                yield ".".join((*path, key)), REASONS[key]
            else:
                yield from _undefined(value, (*path, key))
    elif isinstance(part, list):
        for place, value in enumerate(part):
            yield from _undefined(value, (*path, str(place)))


def _reasons(part: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Remove the reasons under `undefined` from the parts of a report, and yield them by dotted name."""
    if not isinstance(part, dict):
        return
    for name, reason in part.pop("undefined", {}).items():
        yield ".".join((*path, name)), reason
    for key, value in part.items():
        yield from _reasons(value, (*path, key))


def kept_session_report(study: Study, choices: Mapping[str, Any]) -> Report:
    """The report that is kept under these choices; `labeller` is the only one."""
    return session_report(study, labeller=choices["labeller"])
