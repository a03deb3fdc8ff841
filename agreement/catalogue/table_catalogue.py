"""Tables of a report that are no figure of their own, and the columns of tables whose rows are mappings."""

from agreement.catalogue.p_values import MEANS, SHARES, SHARES_OF_OUTPUTS, SYSTEMS, columns_of
from agreement.catalogue.report_catalogue import Figure, count_of

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
    "comparisons.items": count_of("Items", "Items that have both systems.", SYSTEMS),
    "comparisons.mean_difference": Figure(
        "Mean difference", "The first system's mean minus the second's, over shared items.", "difference", "neither",
        SYSTEMS,
    ),
    **columns_of(MEANS, "comparisons."),
    "comparisons.first_only": count_of("Only the first", "Items on which only the first system has no error.", SHARES),
    "comparisons.second_only": count_of(
        "Only the second", "Items on which only the second system has no error.", SHARES
    ),
    **columns_of(SHARES_OF_OUTPUTS, "comparisons."),
    "systems.items": count_of("Items", "Items that the system's figures rest on.", "intervals"),
    "score_by_position.n": count_of("Outputs ranked", "How many outputs were shown there.", "position-and-length"),
    "score_by_position.score": Figure(
        "Mean score", "Mean score of the outputs that were shown there.", "score", "higher", "position-and-length"
    ),
}  # fmt: skip
"""Columns by the dotted name of their table and their key in its rows."""
