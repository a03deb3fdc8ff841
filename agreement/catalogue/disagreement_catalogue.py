"""Name, description and definition of every figure of the page that says where raters disagree."""

from agreement.catalogue.report_catalogue import Figure, count_of

ANCHOR = "where-raters-disagree"
MATRIX, PULL, END = "raters-against-raters", "pull-of-an-item", "expected-end"

DISAGREEMENT: dict[str, Figure] = {
    "ratings": count_of("Ratings", "Ratings of units that at least one other rater rated.", ANCHOR),
    "items": count_of("Items", "Items with such a rating; intervals are over items.", ANCHOR),
    "differ": Figure(
        "Differ", "How often another rater of the same unit gave another answer; 0 is never, 1 is always.", "share",
        "lower", ANCHOR,
    ),
    "relative": Figure(
        "Against chance", "Disagreement divided by that expected by chance; 0 is none, 1 is as much as by chance.",
        "alpha", "lower", ANCHOR,
    ),
    "bias": Figure(
        "Bias", "Mean difference from the mean of the others' ratings of the same unit; 0 is none.", "scale",
        "neither", ANCHOR,
    ),
    "alpha": Figure(
        "Alpha", "Agreement beyond chance; 1 is perfect, 0 is chance, 0.8 or more is considered reliable.", "alpha",
        "higher", "krippendorffs-alpha",
    ),
    "pull": Figure(
        "Pull on alpha", "Alpha minus alpha without the item; below 0 means that the item lowers agreement.",
        "difference", "neither", PULL,
    ),
    "without": Figure("Alpha without it", "Alpha of all other items.", "alpha", "higher", PULL),
    "matrix": Figure(
        "Raters against raters", "How often two raters gave the same answer to the units that both rated; 1 is always.",
        "table", "neither", MATRIX, "Rater",
    ),
    "confusion": Figure(
        "Answers against answers", "What the others said if one rater gave the answer of the row.", "table", "neither",
        MATRIX, "One rater",
    ),
    "seconds": Figure("Median seconds", "From opening a task to submitting it.", "count", "neither", END),
    "per_hour": Figure(
        "Answers per active hour", "Answers divided by the hours in which the page was in use.", "count", "neither",
        END,
    ),
    "agrees": Figure(
        "Agree", "How often another rater of the same unit gave the same answer, over all questions.", "share",
        "higher", ANCHOR,
    ),
    "expected_end": Figure(
        "Expected end", "When the last answer is expected at the pace of the last days.", "count", "neither", END,
    ),
}  # fmt: skip

GROUPS: dict[str, Figure] = {
    kind: Figure(f"By {name}", line, "table", "lower", ANCHOR, head)
    for kind, name, line, head in (
        ("system", "system", "Whether raters disagree more on the outputs of some systems.", "System"),
        ("rater", "rater", "Whether some raters disagree more with the others of their units.", "Rater"),
        ("length", "length of the output", "Whether raters disagree more on long or short outputs.", "Length"),
        ("category", "category", "Whether raters disagree more on some kinds of items.", "Category"),
        ("guidelines", "guidelines version", "Each version's ratings by themselves.", "Version"),
        ("position", "position", "Whether it matters in which place the output was shown.", "Place"),
    )
}
"""The tables of groups, by the kind of group."""
