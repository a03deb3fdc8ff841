"""How careful each rater is: hidden checks, agreement with the others, time and answers in a row.

What a kept report of the kind `rater_checks` contains. A worker computes it.
"""

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from agreement.care_figures import (
    LEAST_ANSWERS,
    LEAST_CHECKS,
    REPLICATES,
    Figure,
    clustered_mean,
    mean_share,
    passed_share,
    same_in_a_row,
    time_ratio,
)
from agreement.peer_distances import peer_distances
from annotation.models import Annotation, Rater, Study
from annotation.studies.planning import seeded
from annotation.studies.snapshots import study_snapshot
from recruiting.checks.answered_checks import answered_checks
from recruiting.checks.check_tables import CheckKind
from recruiting.checks.excluding import excluded
from recruiting.checks.filed_checks import filed_shares
from reports.agreement_report import choose
from reports.rows import PEOPLE, Choice
from reports.rows.opinions import Opinions, opinions
from reports.rows.rated_items import RatedItems
from reports.rows.submission_times import chosen_annotations

Report = dict[str, Any]


def kept_rater_checks(study: Study, choices: Mapping[str, Any]) -> Report:
    """{study, least, seconds, raters, questions}: the figures of each rater, and alpha with and without the excluded.

    A rater has {pk, name, excluded, gold, twins, repeats, agrees, time, in_a_row}, each a figure with its interval. Who
    has answered nothing is left out.
    """
    with study_snapshot(study) as present:
        choice, _ = choose(present, PEOPLE, frozenset(), "all")
        asked = _opinions(present, choice)
        out = set(excluded(present).values_list("rater_id", flat=True))
        shares, times = _shares(present), _times(present, choice)
        group = median(seconds for own in times.values() for seconds in own) if times else None
        people = Rater.objects.filter(study=present, kind=Rater.Kind.HUMAN).order_by("name")
        rows = {rater: _of_rater(rater, shares[rater.pk], times.get(rater.pk, []), group, asked) for rater in people}
        names = {rater.name for rater in people if rater.pk in out}
    return {
        "study": study.slug,
        "least": {"checks": LEAST_CHECKS, "answers": LEAST_ANSWERS},
        "replicates": REPLICATES,
        "seconds": group,
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


def _shares(study: Study) -> dict[int, dict[str, list[float]]]:
    """What each rater's checks count for, by rater and kind; those from files, too."""
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for rater, kind, share in filed_shares(study):
        found[rater][kind].append(share)
    for one in answered_checks(study):
        if one.share is not None:
            found[one.rater.pk][one.check.kind].append(one.share)
    return found


def _times(study: Study, choice: Choice) -> dict[int, list[float]]:
    """The seconds of each rater's submitted answers to the study's own tasks."""
    found: dict[int, list[float]] = defaultdict(list)
    rows = Annotation.objects.filter(chosen_annotations(study, choice), status=Annotation.Status.SUBMITTED)
    for rater, seconds in rows.order_by("pk").values_list("rater", "seconds"):
        if seconds is not None:
            found[rater].append(seconds)
    return found


def _of_rater(
    rater: Rater, shares: Mapping[str, list[float]], seconds: list[float], group: float | None,
    asked: Mapping[str, Opinions],
) -> dict[str, Figure]:  # fmt: skip
    seed = seeded(rater.study, "rater checks", rater.name) % 2**32
    gold, twins = shares.get(CheckKind.GOLD, []), shares.get(CheckKind.TWIN, [])
    return {
        "gold": passed_share(sum(share == 1 for share in gold), len(gold)),
        "twins": passed_share(sum(share == 1 for share in twins), len(twins)),
        "repeats": mean_share(shares.get(CheckKind.REPEAT, []), seed),
        "agrees": _agrees(rater.name, asked, seed),
        "time": time_ratio(seconds, group, seed),
        "in_a_row": same_in_a_row([_in_order(rater.name, one) for one in asked.values()]),
    }


def _agrees(name: str, asked: Mapping[str, Opinions], seed: int) -> Figure:
    """The mean share of the others who gave the rater's answer, over all questions and units that others rated."""
    values, items = [], []
    for one in asked.values():
        if name in one.ratings.raters:
            peers = peer_distances(one.ratings, one.level)
            mine = one.ratings.rater[peers.place] == one.ratings.raters.index(name)
            values.append(1 - peers.differs[mine])
            items.append(peers.item[mine])
    if not values:
        return mean_share([], seed, LEAST_ANSWERS)
    return clustered_mean(np.concatenate(values), np.concatenate(items), seed)


def _in_order(name: str, one: Opinions) -> list[float]:
    """The rater's values in the order of submission."""
    if name not in one.ratings.raters:
        return []
    found: list[float] = one.ratings.value[one.ratings.rater == one.ratings.raters.index(name)].tolist()
    return found


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
