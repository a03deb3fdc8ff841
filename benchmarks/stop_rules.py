"""How often each stop rule is wrong, and how many answers it saves: `python -m benchmarks.stop_rules [RUNS]`.

Prints a row per study, rule and correction. With RUNS simulated studies each (2,000 if not said), a share of wrong
results of at most 5 % plus its sampling error is what the corrections promise; "uncorrected" shows what they prevent.
"""

import sys
import time

from parts.stopping.figures.sequential_looks import METHODS, SequentialDesign, StopRule
from tests.parts.stopping.figures.coverage_simulation import (
    SimulatedStudy,
    UncorrectedDesign,
    agreeing_raters,
    scored_systems,
    simulate_plans,
    simulate_stops,
    two_systems,
)

ALPHA = 0.05
RATES = {"low": 0.0, "high": 1.0}
STUDIES: tuple[tuple[str, SimulatedStudy, tuple[int, ...]], ...] = (
    ("separated from 1/2", two_systems(0.5, StopRule(null=0.5, **RATES)), tuple(range(60, 601, 60))),
    ("width 0.15", two_systems(0.5, StopRule(width=0.15, **RATES)), tuple(range(100, 1001, 100))),
    ("width 0.15", two_systems(0.8, StopRule(width=0.15, **RATES)), tuple(range(100, 1001, 100))),
    ("width 0.10", two_systems(0.95, StopRule(width=0.10, **RATES)), tuple(range(50, 501, 50))),
    ("ranks separated", scored_systems((3.0, 3.0), StopRule(null=0.0)), tuple(range(90, 901, 90))),
    ("ranks separated", scored_systems((3.0, 3.3, 3.6), StopRule(null=0.0)), tuple(range(90, 901, 90))),
    ("width 0.40", scored_systems((2.5, 3.5), StopRule(width=0.40)), tuple(range(90, 901, 90))),
    ("width 0.20", agreeing_raters(0.85, StopRule(width=0.20, high=1.0)), tuple(range(200, 1001, 100))),
    ("width 0.20", agreeing_raters(0.95, StopRule(width=0.20, high=1.0)), tuple(range(100, 801, 100))),
)

SEVERAL = tuple(two_systems(rate, StopRule(width=0.15, **RATES)) for rate in (0.45, 0.5, 0.5, 0.55))
"""Four questions with a rule each."""


def main(runs: int) -> None:
    print(f"{'study':22} {'rule':20} {'correction':20} {'wrong':>7} {'stopped':>8} {'answers':>8} {'of':>6}")
    for rule, study, looks in STUDIES:
        for method in ("uncorrected", *METHODS):
            kind = UncorrectedDesign if method == "uncorrected" else SequentialDesign
            got = simulate_stops(study, kind(looks, ALPHA, method), runs, seed=1)
            wrong, stopped = got["wrong"] / runs, got["stopped"] / runs
            print(
                f"{study.name:22} {rule:20} {method:20} {wrong:7.3f} {stopped:8.2f} {got['mean_answers']:8.0f} "
                f"{looks[-1]:6}",
                flush=True,
            )
    for method in METHODS:
        for is_split in (False, True):
            got = simulate_plans(SEVERAL, SequentialDesign(tuple(range(100, 1001, 100)), ALPHA, method), runs, seed=1,
                                 is_split=is_split)  # fmt: skip
            name = "four rules, split" if is_split else "four rules"
            print(f"{name:22} {'width 0.15':20} {method:20} {got['wrong'] / runs:7.3f} {got['stopped'] / runs:8.2f} "
                  f"{got['mean_answers']:8.0f}")  # fmt: skip


if __name__ == "__main__":
    begun = time.monotonic()
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
    print(f"{time.monotonic() - begun:.0f} s")
