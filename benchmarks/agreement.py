"""Time and peak memory of alpha on 3,000,000 ratings, and of whole reports on ratings, rankings, choices and spans.

    python -m benchmarks.agreement

Each measurement runs in its own process. The peak is the highest resident size of that process, including arrays and
libraries. The krippendorff package is measured on the same ratings, for comparison.
"""

import json
import resource
import subprocess
import sys
import time

import krippendorff
import numpy as np

from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Ratings
from agreement.question_figures.pair_report import describe_choices, describe_rankings
from agreement.question_figures.question_report import describe
from agreement.reliability.alpha import alpha
from agreement.spans.span_marks import SpanAnswers
from agreement.spans.span_report import describe_spans

UNITS, RATERS, SYSTEMS = 1_000_000, 3, 3
REPORT_UNITS = 20_000
RANKINGS, RANKED = 10_000, 5
REPEATS = 3


def likert(units: int) -> np.ndarray:
    """Return values 1 to 5, shape (units, raters), that agree more than by chance."""
    rng = np.random.default_rng(0)
    values = rng.integers(1, 6, size=(units, 1), dtype=np.int8)
    values = values + rng.integers(-1, 2, size=(units, RATERS), dtype=np.int8)
    return np.clip(values, 1, 5)


def flat(units: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(units), RATERS), likert(units).ravel().astype(np.float64)


def time_ours(level: str) -> tuple[float, float]:
    unit, value = flat(UNITS)
    return clocked(lambda: alpha(unit, value, level))


def time_package(level: str) -> tuple[float, float]:
    values = likert(UNITS).T.astype(np.float64)
    return clocked(lambda: krippendorff.alpha(reliability_data=values, level_of_measurement=level))


def time_report(kind: str) -> tuple[float, float]:
    unit, value = flat(REPORT_UNITS)
    if kind == "many_values":
        value = value + np.random.default_rng(1).normal(size=value.size)
    systems = 1 if kind == "one_output" else SYSTEMS
    ratings = Ratings(
        unit=unit,
        rater=np.tile(np.arange(RATERS), REPORT_UNITS),
        value=value,
        item=np.arange(REPORT_UNITS) // systems,
        system=np.arange(REPORT_UNITS) % systems,
        raters=tuple(f"r{n}" for n in range(RATERS)),
        systems=tuple(f"s{n}" for n in range(systems)),
    )
    return clocked(lambda: describe(ratings, level="interval", scale=(1, 5))["alpha_ordinal"])


def rankings(raters: int, *, gaps: bool) -> Rankings:
    """Return rankings of all outputs of items, each by this number of raters, who agree more than by chance."""
    rng = np.random.default_rng(2)
    number = np.arange(RANKINGS)
    quality = rng.normal(size=(RANKINGS // raters + 1, RANKED))[number // raters]
    rank = np.clip(np.round(3 + quality + rng.normal(size=quality.shape)), 1, RANKED).astype(np.int64)
    if not gaps:
        rank = 1 + (np.sort(rank)[:, None, :] < rank[:, :, None]).sum(axis=2)
    return Rankings(
        item=number // raters,
        rater=number % raters if raters > 1 else number % 33,
        ranking=np.repeat(number, RANKED),
        system=np.tile(np.arange(RANKED), RANKINGS),
        rank=rank.ravel(),
        position=rng.permuted(np.tile(np.arange(RANKED), (RANKINGS, 1)), axis=1).ravel(),
        length=rng.integers(50, 200, RANKINGS * RANKED).astype(np.float64),
        raters=tuple(f"r{n:02}" for n in range(33)),
        systems=tuple(f"s{n}" for n in range(RANKED)),
    )


def time_rankings(kind: str) -> tuple[float, float]:
    given = rankings(1 if kind == "alone" else RATERS, gaps=kind == "gaps")
    assert given.choices().choice.size == 100_000
    return clocked(lambda: describe_rankings(given)["system_score"]["s0"])


def time_choices(systems: int) -> tuple[float, float]:
    rng = np.random.default_rng(3)
    pairs = 33_334
    first = rng.integers(0, systems - 1, pairs)
    choices = PairChoices(
        pair=np.repeat(np.arange(pairs), RATERS),
        rater=np.tile(np.arange(RATERS), pairs),
        choice=rng.integers(0, 3, pairs * RATERS),
        shown_first=rng.integers(0, 2, pairs * RATERS),
        item=np.arange(pairs) // 10,
        first=first,
        second=rng.integers(first + 1, systems),
        length=rng.integers(50, 200, (pairs, 2)).astype(np.float64),
        raters=tuple(f"r{n}" for n in range(RATERS)),
        systems=tuple(f"s{n:02}" for n in range(systems)),
    )
    return clocked(lambda: describe_choices(choices)["alpha_masi"])


def time_spans(texts: int) -> tuple[float, float]:
    """Time the report on texts of 1,500 code points, in each of which three raters mark two spans."""
    rng = np.random.default_rng(4)
    answers, none = texts * RATERS, np.zeros(0, dtype=np.int64)
    start = rng.integers(0, 1400, answers * 2)
    spans = SpanAnswers(
        text=np.repeat(np.arange(texts), RATERS),
        rater=np.tile(np.arange(RATERS), texts),
        answer=np.repeat(np.arange(answers), 2),
        start=start,
        end=start + rng.integers(1, 100, start.size),
        label=rng.integers(0, 3, start.size),
        verdict=rng.integers(-1, 2, start.size),
        weight=np.ones(start.size),
        item=np.arange(texts) // RANKED,
        system=np.arange(texts) % RANKED,
        length=np.full(texts, 1500),
        token_text=none,
        token_start=none,
        token_end=none,
        raters=tuple(f"r{n}" for n in range(RATERS)),
        systems=tuple(f"s{n}" for n in range(RANKED)),
        labels=("x", "y", "z"),
    )
    return clocked(lambda: describe_spans(spans)["span_alpha"])


def clocked(figure) -> tuple[float, float]:
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        result = figure()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), result


CASES = {
    **{f"alpha {level}, 3,000,000 ratings": (time_ours, level) for level in ("nominal", "ordinal", "interval")},
    **{f"krippendorff {level}, the same": (time_package, level) for level in ("nominal", "interval")},
    "report, 60,000 ratings, 3 outputs per item": (time_report, "likert"),
    "report, 60,000 ratings, 1 output per item": (time_report, "one_output"),
    "report, 60,000 distinct values": (time_report, "many_values"),
    "report, 10,000 rankings, 3 per item": (time_rankings, "dense"),
    "report, 10,000 rankings with gaps": (time_rankings, "gaps"),
    "report, 10,000 rankings of as many items": (time_rankings, "alone"),
    "report, 100,002 choices, 5 systems": (time_choices, 5),
    "report, 100,002 choices, 20 systems": (time_choices, 20),
    "report, 60,000 spans in 10,000 texts": (time_spans, 10_000),
}


def measure(case: str) -> dict[str, float]:
    function, argument = CASES[case]
    seconds, figure = function(argument)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "figure": figure, "peak_mb": peak}


def main() -> None:
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
        return
    print(f"{'best of ' + str(REPEATS):44} {'seconds':>8} {'peak MB':>8} {'figure':>8}")
    for case in CASES:
        command = [sys.executable, "-m", "benchmarks.agreement", case]
        row = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        print(f"{case:44} {row['seconds']:8.3f} {row['peak_mb']:8.0f} {row['figure']:8.4f}")


if __name__ == "__main__":
    main()
