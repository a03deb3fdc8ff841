"""Time and peak memory of alpha on 3,000,000 ratings and of a whole report on 60,000.

    python -m benchmarks.agreement

Each measurement runs in its own process: its peak is the process's highest resident size, arrays and libraries
included. The krippendorff package is measured beside it on the same ratings.
"""

import json
import resource
import subprocess
import sys
import time

import krippendorff
import numpy as np

from agreement.alpha import alpha
from agreement.data import Ratings
from agreement.report import describe

UNITS, RATERS, SYSTEMS = 1_000_000, 3, 3
REPORT_UNITS = 20_000
REPEATS = 3


def likert(units: int) -> np.ndarray:
    """Values 1..5 of each unit by each rater, (units, raters), that agree more than by chance."""
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
    "report, 60,000 ratings, 3 outputs an item": (time_report, "likert"),
    "report, 60,000 ratings, 1 output an item": (time_report, "one_output"),
    "report, 60,000 distinct values": (time_report, "many_values"),
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
