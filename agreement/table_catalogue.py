"""Tables of a report that are no figure of their own, and the columns of tables whose rows are mappings."""

from agreement.catalogue import Figure, count_of

COMPARISONS = "comparisons-of-systems"
SHARES = "comparisons-of-shares"


def _p(title: str, line: str, anchor: str) -> Figure:
    return Figure(title, line, "p", "neither", anchor)


TABLES: dict[str, Figure] = {
    "dimensions": Figure(
        "Agreement between dimensions",
        "Whether outputs that are good in one dimension are good in the other; 1 is the same order, 0 is chance.",
        "table", "neither", "agreement-between-dimensions", "Two questions",
    ),
    "balance": Figure(
        "Balance of positions", "How often each system is shown at each position; a small p means that it is uneven.",
        "table", "neither", "balance-of-positions", "System",
    ),
    "by_category": Figure(
        "Agreement by category", "Figures of each category's items; an item with several categories counts in each.",
        "table", "neither", "by-category", "Category",
    ),
}  # fmt: skip

COLUMNS: dict[str, Figure] = {
    "comparisons.items": count_of("Items", "Items that have both systems.", COMPARISONS),
    "comparisons.mean_difference": Figure(
        "Mean difference", "The first system's mean minus the second's, over shared items.", "difference", "neither",
        COMPARISONS,
    ),
    "comparisons.t_p": _p("p, paired t", "Two-sided p-value of the paired t-test, for this pair alone.", COMPARISONS),
    "comparisons.t_p_holm": _p(
        "p, paired t, Holm", "The same with Holm's correction for all pairs of systems.", COMPARISONS
    ),
    "comparisons.wilcoxon_p": _p(
        "p, Wilcoxon", "Two-sided p-value of Wilcoxon's signed-rank test, for this pair alone.", COMPARISONS
    ),
    "comparisons.wilcoxon_p_holm": _p(
        "p, Wilcoxon, Holm", "The same with Holm's correction for all pairs of systems.", COMPARISONS
    ),
    "comparisons.first_only": count_of("Only the first", "Items on which only the first system has no error.", SHARES),
    "comparisons.second_only": count_of(
        "Only the second", "Items on which only the second system has no error.", SHARES
    ),
    "comparisons.mcnemar_p": _p("p, McNemar", "Two-sided p-value of McNemar's test, for this pair alone.", SHARES),
    "comparisons.mcnemar_p_holm": _p(
        "p, McNemar, Holm", "The same with Holm's correction for all pairs of systems.", SHARES
    ),
    "comparisons.exact_p": _p(
        "p, exact McNemar", "The same from the binomial distribution; prefer it if fewer than 25 items differ.", SHARES
    ),
    "comparisons.exact_p_holm": _p(
        "p, exact McNemar, Holm", "The same with Holm's correction for all pairs of systems.", SHARES
    ),
    "systems.items": count_of("Items", "Items that the system's figures rest on.", "intervals"),
    "score_by_position.n": count_of("Outputs ranked", "How many outputs were shown there.", "position-and-length"),
    "score_by_position.score": Figure(
        "Mean score", "Mean score of the outputs that were shown there.", "score", "higher", "position-and-length"
    ),
}  # fmt: skip
"""Columns by the dotted name of their table and their key in its rows."""
