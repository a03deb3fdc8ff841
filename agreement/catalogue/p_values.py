"""Each p-value: its test, how it is corrected for the number of tests, and where it is shown."""

from collections.abc import Iterable
from dataclasses import dataclass

from agreement.catalogue.report_catalogue import Figure

HOLM = "Holm, all pairs of systems"
YEKUTIELI = "Benjamini-Yekutieli, all people"
NO_CORRECTION = "none"
SYSTEMS, SHARES, RANKS = "comparisons-of-systems", "comparisons-of-shares", "ranks-and-letters-of-systems"


@dataclass(frozen=True)
class PValue:
    """A p-value: its key in the rows of a report, its title and description, and its heading in docs/statistics.md.

    With Holm's correction, the corrected value is beside it as `<key>_holm`.
    """

    key: str
    title: str
    line: str
    anchor: str
    computed_in: str
    correction: str
    shown: str


MEANS = (
    PValue(
        "t_p", "p, paired t", "Two-sided p-value of the paired t-test, for this pair alone.", SYSTEMS,
        "agreement.comparisons.mean_comparisons", HOLM, "comparisons of systems; source studies",
    ),
    PValue(
        "wilcoxon_p", "p, Wilcoxon", "Two-sided p-value of Wilcoxon's signed-rank test, for this pair alone.", SYSTEMS,
        "agreement.comparisons.signed_ranks", HOLM, "comparisons of systems; source studies",
    ),
)  # fmt: skip
"""Of the means of systems."""
SHARES_OF_OUTPUTS = (
    PValue(
        "mcnemar_p", "p, McNemar", "Two-sided p-value of McNemar's test, for this pair alone.", SHARES,
        "agreement.comparisons.share_comparisons", HOLM, "comparisons of shares; source studies",
    ),
    PValue(
        "exact_p", "p, exact McNemar",
        "The same from the binomial distribution; prefer it if fewer than 25 items differ.", SHARES,
        "agreement.comparisons.share_comparisons", HOLM, "comparisons of shares; source studies",
    ),
)  # fmt: skip
"""Of the shares of outputs without a confirmed span."""
RANDOMISATION = (
    PValue(
        "p", "p, randomisation", "Two-sided p-value of the test, for this pair alone.", RANKS,
        "agreement.comparisons.randomisation_tests", HOLM, "details of a question, ranks and letters",
    ),
)  # fmt: skip
"""Of the mean scores of systems; their letters follow from the corrected values."""
REPLACEMENT = PValue(
    "alternative_annotator.p", "p", "One-sided p-value of the paired t-test, before the correction.",
    "alternative-annotator-test", "agreement.meta_evaluation.alternative_annotator", YEKUTIELI,
    "leaderboard, details of judges",
)  # fmt: skip
"""Of a judge against each person; `wins` is its decision after the correction."""
BALANCE = PValue(
    "balance.p", "p", "P-value of the chi-squared test that orders were drawn at random.", "balance-of-positions",
    "agreement.systems.position_balance", NO_CORRECTION, "balance of positions",
)  # fmt: skip
P_VALUES = (*MEANS, *SHARES_OF_OUTPUTS, *RANDOMISATION, REPLACEMENT, BALANCE)


def keys_of(p_values: Iterable[PValue]) -> tuple[str, ...]:
    """Return the keys without a correction, in order."""
    return tuple(one.key for one in p_values)


def columns_of(p_values: Iterable[PValue], table: str = "") -> dict[str, Figure]:
    """Return the columns of these p-values and of their corrected ones, by their names in the table."""
    columns = {}
    for one in p_values:
        columns[f"{table}{one.key}"] = Figure(one.title, one.line, "p", "neither", one.anchor)
        if one.correction == HOLM:
            line = "The same with Holm's correction for all pairs of systems."
            columns[f"{table}{one.key}_holm"] = Figure(f"{one.title}, Holm", line, "p", "neither", one.anchor)
    return columns
