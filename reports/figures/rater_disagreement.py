"""Why raters disagree, for each question of a study: what a kept report of the kind `disagreement` contains."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM
from agreement.disagreement.disagreement_report import Groups, describe_disagreement
from agreement.disagreement.peer_distances import group_rows, peer_distances
from annotation.models import Item, Question, Study
from annotation.studies.snapshots import study_snapshot
from reports.figures.agreement_report import choose
from reports.figures.rows import Choice
from reports.figures.rows.opinions import NO_ANSWERS_TO_COMPARE, Opinions, opinions
from reports.figures.rows.rated_items import RatedItems
from reports.report_kinds.agreement import leaves_out, of_pairs, tells_pairs_apart

QUARTILES = (0.25, 0.5, 0.75)
MOST_VALUES_SHOWN = 12
Report = dict[str, Any]


def kept_disagreement(study: Study, choices: Mapping[str, Any]) -> Report:
    """The report that is kept under these choices, which `reports.report_kinds.disagreement` describes.

    Raises ChoiceInvalidError.
    """
    kinds = frozenset(choices["kinds"])
    with study_snapshot(study):
        choice, said = choose(
            study, kinds, frozenset(), choices["guidelines"], without_excluded=leaves_out(choices),
            pairs_by_name=tells_pairs_apart(choices),
        )  # fmt: skip
        rated = RatedItems(study)
        questions = {one.key: _of_question(rated, one, choice) for one in study.questions.order_by("position")}
    return {"study": study.slug, "kinds": sorted(kinds), "guidelines": said, **of_pairs(choice.pairs_by_name),
            "questions": questions,
            "raters": _by_rater(questions)}  # fmt: skip


def _of_question(rated: RatedItems, question: Question, choice: Choice) -> Report:
    everything = opinions(rated, question, replace(choice, version=None, pooled=True))
    if everything is None:
        return {"level": None, "reason": NO_ANSWERS_TO_COMPARE}
    chosen = everything if choice.pooled else opinions(rated, question, choice)
    assert chosen is not None  # everything is not
    chosen = chosen.latest()
    made = describe_disagreement(chosen.ratings, chosen.level, _groups(rated, chosen))
    _name_worst_items(rated, made["by"])
    made["by"]["guidelines"] = {"rows": _by_version(everything), "left_out": 0}
    made["labels"] = {f"{value:g}": label for value, label in chosen.labels.items()}
    _name_items(rated, chosen, made["pull"])
    return made


def _groups(rated: RatedItems, chosen: Opinions) -> dict[str, Groups]:
    """The groups of each kind. A kind that cannot tell anything, because it has one group, is empty."""
    ratings = chosen.ratings
    systems = chosen.systems[ratings.unit]
    kinds: dict[str, Groups] = {
        "system": {
            name: np.flatnonzero((systems == code).any(axis=1)) for code, name in enumerate(ratings.systems)
        },
        "rater": {name: np.flatnonzero(ratings.rater == code) for code, name in enumerate(ratings.raters)},
        "length": _by_length(chosen),
        "category": _by_category(rated, chosen),
        "position": {
            str(place + 1): np.flatnonzero(chosen.position == place)
            for place in np.unique(chosen.position[chosen.position >= 0]).tolist()
        },
    }  # fmt: skip
    return {kind: groups if len(groups) > 1 or kind == "category" else {} for kind, groups in kinds.items()}


def _by_length(chosen: Opinions) -> Groups:
    """Quarters of the rated units by the words of their outputs; fewer if many have the same number."""
    rated = np.unique(chosen.ratings.unit)
    words = chosen.words[rated]
    known = words[~np.isnan(words)]
    if not known.size:
        return {}
    ends = np.unique(np.append(np.quantile(known, QUARTILES, method="inverted_cdf"), known.max()))
    of_rating = chosen.words[chosen.ratings.unit]
    groups, low = {}, known.min()
    for end in ends.tolist():
        name = f"{low:.0f} to {end:.0f} words" if low < end else f"{end:.0f} words"
        groups[name] = np.flatnonzero((of_rating >= low) & (of_rating <= end))
        low = end + 1
    return groups


def _by_category(rated: RatedItems, chosen: Opinions) -> Groups:
    codes: dict[str, list[int]] = defaultdict(list)
    for code, names in enumerate(rated.categories):
        for name in names:
            codes[name].append(code)
    item = chosen.ratings.item[chosen.ratings.unit]
    return {name: np.flatnonzero(np.isin(item, np.array(codes[name]))) for name in sorted(codes)}


def _by_version(everything: Opinions) -> list[Report]:
    """The disagreement among the ratings of each version of the guidelines by itself; [] if there is one version."""
    versions = np.unique(everything.version).tolist()
    rows = []
    for version in versions if len(versions) > 1 else []:
        own = everything.of_version(version).latest().ratings
        peers = peer_distances(own, everything.level)
        rows += group_rows(peers, {str(version or "none"): np.arange(peers.place.size)})
    return rows


def _name_worst_items(rated: RatedItems, by: Mapping[str, Report]) -> None:
    """Put primary keys and keys of items for their codes in the rows of groups."""
    rows = [row for kind in by.values() for row in kind["rows"]]
    keys = _keys(rated, {code for row in rows for code in row["worst"]})
    for row in rows:
        row["worst"] = [keys[code] for code in row["worst"]]


def _keys(rated: RatedItems, codes: set[int]) -> dict[int, tuple[int, str]]:
    """The primary keys and keys of items by their codes."""
    pks = {code: int(rated.items[code]) for code in codes}
    keys = dict(Item.objects.filter(pk__in=pks.values()).values_list("pk", "key"))
    return {code: (pk, keys[pk]) for code, pk in pks.items()}


def _name_items(rated: RatedItems, chosen: Opinions, pull: Mapping[str, list[Report]]) -> None:
    """Put keys of items for their codes, and what their raters said of each unit."""
    rows = [row for side in pull.values() for row in side]
    ratings, wanted = chosen.ratings, {row["item"] for row in rows}
    keys = _keys(rated, wanted)
    given: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for number in np.flatnonzero(np.isin(ratings.item[ratings.unit], sorted(wanted))).tolist():
        unit = int(ratings.unit[number])
        given[int(ratings.item[unit])][unit].append(chosen.in_words(number))
    for row in rows:
        code = row.pop("item")
        row |= dict(zip(("pk", "key"), keys[code], strict=True))
        row["units"] = [
            {"system": _system(ratings, unit), "answers": sorted(values)[:MOST_VALUES_SHOWN]}
            for unit, values in sorted(given[code].items())
            if len(values) > 1
        ][:MOST_VALUES_SHOWN]


def _system(ratings: Any, unit: int) -> str:
    code = int(ratings.system[unit])
    return "" if code == NO_SYSTEM else str(ratings.systems[code])


def _by_rater(questions: Mapping[str, Report]) -> dict[str, Report]:
    """Each rater's agreement with the others over all questions, weighted by ratings."""
    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for made in questions.values():
        for row in made.get("by", {}).get("rater", {}).get("rows", ()):
            found[row["name"]].append((row["ratings"], 1 - row["differ"]))
    return {name: _pooled(parts) for name, parts in sorted(found.items())}


def _pooled(parts: list[tuple[int, float]]) -> Report:
    ratings = sum(n for n, _ in parts)
    return {"ratings": ratings, "agrees": sum(n * share for n, share in parts) / ratings}
