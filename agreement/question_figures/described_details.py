"""The details of one question beyond its figures: distributions, ranks, letters, wins, windows, places, lengths."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from agreement.answers.answer_distributions import distribution, outcome_distribution
from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.scored_outputs import ScoresOfOutputs, scores_of_choices, scores_of_rankings, scores_of_ratings
from agreement.comparisons.letter_display import TOO_MANY_GROUPS, letter_display
from agreement.comparisons.randomisation_tests import MOST_SYSTEMS, TOO_MANY_SYSTEMS, randomisation_tests
from agreement.disagreement.agreement_windows import TimedAnswers, agreement_of, agreement_windows
from agreement.intervals.bootstrap import Estimate, ItemSums, estimate
from agreement.question_figures.pair_report import SETS
from agreement.reliability.alpha import Level, alpha_sums
from agreement.reliability.masi import masi_sums
from agreement.systems.length_effects import length_effects
from agreement.systems.place_effects import PlacedValues, length_shares, place_effects, side_shares, with_figures
from agreement.systems.system_ranks import RankSums
from agreement.systems.win_matrix import Meetings, meetings_of_choices, meetings_of_scores, win_matrix, win_shares

SIGNIFICANT = 0.05
"""The corrected p below which two systems get different letters."""
FEWEST_OUTPUTS = 5
"""Outputs of a system that has a rank and letters: with fewer, many draws of items would have none."""
TOO_FEW_OUTPUTS = f"fewer than {FEWEST_OUTPUTS} outputs of the system have an answer"
NO_ORDER = "the answers have no order from bad to good"
NO_SYSTEMS = "the question is not about single outputs of several systems"

Report = dict[str, Any]


@dataclass(frozen=True)
class Resampling:
    """How often items are drawn for intervals, and the seed of all draws."""

    replicates: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class GivenValues:
    """The values of a question about outputs or tasks with what is known of each, in the order of submission.

    `place` (R,) is the place on the page from 0 or UNKNOWN, `time` (R,) is in seconds since 1970 or NaN, `words` (U,)
    are those of the output or NaN. `level` is that of alpha. `steps` are the values that can be chosen, and `scale` is
    None unless higher values are better.
    """

    ratings: Ratings
    level: Level
    place: Ints
    time: Floats
    words: Floats
    steps: Sequence[float] = ()
    scale: tuple[float, float] | None = None


@np.errstate(over="ignore", invalid="ignore")  # figures too large for a float say so themselves
def describe_values(given: GivenValues, resampling: Resampling) -> Report:
    """The details of a question whose answers are values.

    With a scale they have ranks and letters of systems, wins, and effects of places and lengths.
    """
    ratings = given.ratings
    last = _latest(ratings.unit, ratings.rater, len(ratings.raters))
    steps = tuple(given.steps) or tuple(range(len(ratings.categories)))
    report = _agreement(_timed_values(given, last), resampling) | {
        "distribution": distribution(
            ratings.value, ratings.system[ratings.unit], ratings.systems, steps, given.scale
        ),
    }  # fmt: skip
    scores = None if given.scale is None else scores_of_ratings(ratings, given.words)
    meetings = None if scores is None else meetings_of_scores(scores)
    report |= _of_systems(scores, meetings, resampling)
    if given.scale is None:
        return report | {"positions": None, "lengths": None}
    kept = last[ratings.system[ratings.unit[last]] >= 0]
    placed = PlacedValues(ratings.unit[kept], ratings.value[kept], given.place[kept], ratings.item)
    return report | _effects(placed, scores, resampling)


def describe_pairs(choices: PairChoices, time: Floats, resampling: Resampling) -> Report:
    """The details of a preference question; `time` is (R,), one entry per judgment."""
    answers = _timed_pairs(choices, time)
    return {
        **_agreement(answers, resampling),
        "distribution": outcome_distribution(choices),
        **_of_systems(scores_of_choices(choices), meetings_of_choices(choices), resampling),
        "positions": {"shares": side_shares(choices, resampling.replicates, resampling.seed)},
        "lengths": {"shares": length_shares(choices, resampling.replicates, resampling.seed)},
    }


def describe_ranks(rankings: Rankings, time: Floats, resampling: Resampling) -> Report:
    """The details of a rank question; `time` is (N,), one entry per ranking."""
    choices = rankings.choices()
    scores = scores_of_rankings(rankings)
    first, _ = rankings.pairs()
    unit, item = _units_of_entries(rankings)
    last = _latest(unit, rankings.rater[rankings.ranking], len(rankings.raters))
    placed = PlacedValues(unit[last], rankings.scores()[last], rankings.position[last], item)
    return {
        **_agreement(_timed_pairs(choices, time[rankings.ranking[first]]), resampling),
        "distribution": distribution(
            rankings.rank.astype(np.float64), rankings.system, rankings.systems,
            range(1, int(rankings.rank.max(initial=0)) + 1), None,
        ),
        **_of_systems(scores, meetings_of_choices(choices), resampling),
        **_effects(placed, scores, resampling),
    }  # fmt: skip


def _units_of_entries(rankings: Rankings) -> tuple[Ints, Ints]:
    """The unit of each ranked output, (E,), and the item of each unit, (U,)."""
    systems = max(len(rankings.systems), 1)
    key, unit = np.unique(rankings.item[rankings.ranking] * systems + rankings.system, return_inverse=True)
    return unit.astype(np.int64), key // systems


def _latest(unit: Ints, rater: Ints, raters: int) -> Ints:
    """The numbers of the answers without repeats: the last one per rater and unit."""
    key = unit * max(raters, 1) + rater
    _, last = np.unique(key[::-1], return_index=True)
    return np.sort(key.size - 1 - last).astype(np.int64)


def _timed_values(given: GivenValues, last: Ints) -> TimedAnswers:
    ratings, level = given.ratings, given.level

    def alpha(unit: Ints, value: Floats, item: Ints, items: int) -> ItemSums:
        return alpha_sums(unit, value, item, items, (level,))

    return TimedAnswers(
        ratings.unit[last], ratings.rater[last], ratings.value[last], given.time[last], ratings.item, alpha,
        f"alpha_{level}",
    )  # fmt: skip


def _timed_pairs(choices: PairChoices, time: Floats) -> TimedAnswers:
    sets = csr_array([[float(element in chosen) for element in (0, 1)] for chosen in SETS])

    def alpha(unit: Ints, value: Floats, item: Ints, items: int) -> ItemSums:
        return masi_sums(("alpha_masi",), unit, value.astype(np.int64), item, items, sets, choices.sides)

    last = _latest(choices.pair, choices.rater, len(choices.raters))
    return TimedAnswers(
        choices.pair[last], choices.rater[last], choices.choice[last].astype(np.float64), time[last], choices.item,
        alpha, "alpha_masi",
    )  # fmt: skip


def _agreement(answers: TimedAnswers, resampling: Resampling) -> Report:
    whole = agreement_of(answers, resampling.replicates, resampling.seed)
    return {
        "agreement": {"figure": answers.name, **whole},
        "over_time": agreement_windows(answers, resampling.replicates, resampling.seed),
    }


def _effects(placed: PlacedValues, scores: ScoresOfOutputs | None, resampling: Resampling) -> Report:
    draws, seed = resampling.replicates, resampling.seed
    return {
        "positions": place_effects(placed, draws, seed),
        "lengths": None if scores is None else length_effects(scores, draws, seed),
    }


def _of_systems(scores: ScoresOfOutputs | None, meetings: Meetings | None, resampling: Resampling) -> Report:
    """`systems`, `tests` and `wins` of systems; each is empty with the reason under `undefined` if there are none."""
    empty: Report = {"systems": [], "tests": [], "wins": []}
    if scores is None or meetings is None:
        return empty | {"undefined": {"systems": NO_ORDER}}
    if np.unique(scores.system).size < 2:
        return empty | {"undefined": {"systems": NO_SYSTEMS}}
    outputs = np.bincount(scores.system, minlength=len(scores.systems))
    ranked = scores.of_systems(outputs >= FEWEST_OUTPUTS)
    rows = _ranks(scores, ranked, resampling)
    tests, undefined = [], {}
    if len(ranked.systems) > MOST_SYSTEMS:
        undefined["letters"] = TOO_MANY_SYSTEMS
    else:
        tests = randomisation_tests(ranked, resampling.seed)
    letters = {} if undefined else _letters(rows, tests)
    if letters is None:
        undefined["letters"] = TOO_MANY_GROUPS
    for row in rows:
        row["letters"] = (letters or {}).get(row["name"])
    shares = win_shares(meetings)
    of_wins = estimate([shares], meetings.items, resampling.replicates, resampling.seed) if shares else {}
    return {"systems": rows, "tests": tests, "wins": win_matrix(meetings, of_wins), "undefined": undefined}


def _ranks(scores: ScoresOfOutputs, ranked: ScoresOfOutputs, resampling: Resampling) -> list[Report]:
    """A row per system, from the highest mean score to the lowest, with places among the `ranked`."""
    outputs = np.bincount(scores.system, minlength=len(scores.systems))
    sums: list[ItemSums] = [scores.means(), *([RankSums(ranked.means())] if ranked.systems else [])]
    found = estimate(sums, scores.items, resampling.replicates, resampling.seed)
    none = Estimate(None, TOO_FEW_OUTPUTS, None, TOO_FEW_OUTPUTS, 0)
    rows = [
        with_figures(
            {"name": name, "outputs": int(outputs[code])},
            {"mean": found["mean", name], "rank": found.get(("rank", name), none)},
        )
        for code, name in enumerate(scores.systems)
        if found["mean", name].value is not None
    ]
    return sorted(rows, key=lambda row: (row["rank"] is None, -row["mean"], row["name"]))


def _letters(rows: Sequence[Report], tests: Sequence[Report]) -> dict[str, str] | None:
    """The letters of the ranked systems; None if there would be too many."""
    names = [row["name"] for row in rows if row["rank"] is not None]
    apart = [
        frozenset(one["systems"]) for one in tests if one["p_holm"] is not None and one["p_holm"] < SIGNIFICANT
    ]  # fmt: skip
    return letter_display(names, apart)
