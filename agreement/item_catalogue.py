"""Name, description and definition of the figures of single items, as the table of items prints them."""

from agreement.catalogue import Figure

ITEM_FIGURES: dict[str, Figure] = {
    "disagreement": Figure(
        "Disagreement", "Differences between the item's raters against chance: 0 is agreement, 1 is chance.", "score",
        "lower", "disagreement-of-items",
    ),
}  # fmt: skip
