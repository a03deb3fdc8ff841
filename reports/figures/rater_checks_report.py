"""How careful each rater is: agreement with the others, time, answers in a row, and what parts add.

What a kept report of the kind `rater_checks` contains. A worker computes it.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.utils.module_loading import import_string

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import places_by_code
from agreement.disagreement.care_figures import (
    LEAST_ANSWERS,
    LEAST_CHECKS,
    REPLICATES,
    Figure,
    clustered_mean,
    longest_run,
    mean_share,
    medians_of_others,
    passed_share,
    same_share,
    time_ratio,
)
from agreement.disagreement.peer_distances import peer_distances
from agreement.reliability.leave_one_out import rating_scores
from annotation.members.standing import excluded
from annotation.models import Annotation, Rater, Study
from annotation.studies.planning import seeded
from annotation.studies.rater_forms import Form, forms_in_order
from annotation.studies.snapshots import study_snapshot
from config.parts import parts
from reports.figures.agreement_report import choose
from reports.figures.rater_columns import RaterColumn
from reports.figures.rows import PEOPLE, Choice
from reports.figures.rows.opinions import Opinions, opinions
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.submission_times import chosen_annotations

Report = dict[str, Any]
NONE, NO_ITEM = np.empty(0), np.empty(0, dtype=np.int64)


@dataclass
class _Work:
    """What one rater did: shares by a part's figure, seconds per task, forms in order, and scores with their items."""

    shares: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    seconds: list[float] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)
    items: list[Ints] = field(default_factory=list)


def kept_rater_checks(study: Study, choices: Mapping[str, Any]) -> Report:
    """{study, least, seconds, raters, questions}: the figures of each rater, and alpha with and without the excluded.

    A rater has {pk, name, excluded, agrees, time, in_a_row, same_forms} and the keys of parts, each a figure with its
    interval. Who has answered nothing is left out. Third raters' answers, which exist only where others disagree, count
    for everything but agreement.
    """
    with study_snapshot(study) as present:
        choice, _ = choose(present, PEOPLE, frozenset(), "all")
        asked = _opinions(present, choice)
        out = set(excluded(present).values_list("rater_id", flat=True))
        people = list(Rater.objects.filter(study=present, kind=Rater.Kind.HUMAN).order_by("name"))
        work = _work(present, replace(choice, only_planned=False), asked, {rater.name: rater.pk for rater in people})
        seconds = np.array([one for rater in people for one in work[rater.pk].seconds])
        whose = np.repeat(np.arange(len(people)), [len(work[rater.pk].seconds) for rater in people])
        others = medians_of_others(seconds, whose, len(people))
        rows = {rater: _of_rater(rater, work[rater.pk], median) for rater, median in zip(people, others, strict=True)}
        names = {rater.name for rater in people if rater.pk in out}
    return {
        "study": study.slug,
        "least": {"checks": LEAST_CHECKS, "answers": LEAST_ANSWERS},
        "replicates": REPLICATES,
        "seconds": float(np.median(seconds)) if seconds.size else None,
        "raters": [
            {"pk": rater.pk, "name": rater.name, "excluded": rater.pk in out, **row}
            for rater, row in rows.items()
            if rater.pk in out or any(figure["n"] for figure in row.values())
        ],
        "questions": {key: _with_and_without(one, names) for key, one in asked.items()},
    }


def _opinions(study: Study, choice: Choice) -> dict[str, Opinions]:
    """The latest answers to each question that has comparable ones."""
    rated = RatedItems(study)
    found = {one.key: opinions(rated, one, choice) for one in study.questions.order_by("position")}
    return {key: one.latest() for key, one in found.items() if one is not None}


def _work(study: Study, choice: Choice, asked: Mapping[str, Opinions], people: Mapping[str, int]) -> dict[int, _Work]:
    """What each rater did, by primary key. Agreement counts the answers in `asked`, the rest those of `choice`."""
    found: dict[int, _Work] = defaultdict(_Work)
    for shares in dict.fromkeys(column.shares for column in _added()):
        for rater, key, share in import_string(shares)(study):
            found[rater].shares[key].append(share)
    rows = Annotation.objects.filter(chosen_annotations(study, choice), status=Annotation.Status.SUBMITTED)
    for rater, seconds in rows.order_by("pk").values_list("rater", "seconds"):
        if seconds is not None:
            found[rater].seconds.append(seconds)
    for rater, form in forms_in_order(choice.rows(study)):
        found[rater].forms.append(form)
    for opinion in asked.values():
        ratings = opinion.ratings
        place, scores = rating_scores(ratings)
        item, by_rater = ratings.item[ratings.unit[place]], places_by_code(ratings.rater[place], len(ratings.raters))
        for name, own in zip(ratings.raters, by_rater, strict=True):
            found[people[name]].scores.append(scores[own])
            found[people[name]].items.append(item[own])
    return found


def _of_rater(rater: Rater, work: _Work, others: float | None) -> dict[str, Figure]:
    seed = seeded(rater.study, "rater checks", rater.name) % 2**32
    return {
        **{column.key: _of_shares(work.shares.get(column.key, []), column) for column in _added()},
        "agrees": clustered_mean(np.concatenate([NONE, *work.scores]), np.concatenate([NO_ITEM, *work.items])),
        "time": time_ratio(work.seconds, others, seed),
        "in_a_row": longest_run(work.forms, seed),
        "same_forms": same_share(work.forms),
    }


def _added() -> list[RaterColumn]:
    """The figures that parts add."""
    return [column for part in parts() for column in part.rater_columns]


def _of_shares(shares: list[float], column: RaterColumn) -> Figure:
    if column.counts_passed:
        return passed_share(sum(share == 1 for share in shares), len(shares))
    return mean_share(shares)


def _with_and_without(one: Opinions, names: set[str]) -> Report:
    """Alpha of everybody and without the excluded, None if undefined, with the numbers of ratings."""
    out = [code for code, name in enumerate(one.ratings.raters) if name in names]
    kept = one.only(np.flatnonzero(~np.isin(one.ratings.rater, out)))
    return {
        "level": one.level,
        "all": {"ratings": int(one.ratings.value.size), "alpha": peer_distances(one.ratings, one.level).alpha},
        "without_excluded": {
            "ratings": int(kept.ratings.value.size), "alpha": peer_distances(kept.ratings, kept.level).alpha
        },
    }  # fmt: skip
