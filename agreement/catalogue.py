"""What each figure of a report is called, says and where it is defined: the lines a reader's page prints."""

from dataclasses import dataclass
from typing import Literal

Good = Literal["higher", "lower", "neither"]


@dataclass(frozen=True)
class Figure:
    """One kind of figure: `anchor` is the heading in docs/statistics.md; `good` says which way is better.

    `line` is one sentence that says what it is and what is good; `unit` is what its numbers are.
    """

    title: str
    line: str
    unit: Literal["count", "share", "alpha", "scale", "percent", "rank", "bins"]
    good: Good
    anchor: str


def _count(title: str, line: str, anchor: str = "counts") -> Figure:
    return Figure(title, line, "count", "neither", anchor)


FIGURES: dict[str, Figure] = {
    "ratings": _count("Ratings", "Current answers to this question, repeats included."),
    "repeats": _count("Repeats", "Answers replaced, in figures of agreement, by the same rater's later one."),
    "raters": _count("Raters", "Different raters who answered this question."),
    "items": _count("Items", "Items with an answer to this question; intervals resample them."),
    "units": _count("Units", "Different outputs or tasks with an answer to this question."),
    "units_with_two_or_more": _count(
        "Units with two raters", "Units that two raters or more answered: only these show agreement."
    ),
    "off_scale": _count(
        "Off the scale", "Values outside the question's scale; kept as given, 0 for people.", "off-scale-values"
    ),
    "percent_agreement": Figure(
        "Percent agreement",
        "How often two raters of the same unit agree, chance included; 1 is perfect.",
        "share",
        "higher",
        "percent-agreement",
    ),
    "leave_one_out": Figure(
        "Leave-one-out agreement",
        "How often a rater gives the answer most of the others gave; 1 is perfect.",
        "share",
        "higher",
        "leave-one-out-agreement",
    ),
    "alpha_nominal": Figure(
        "Alpha, nominal",
        "Agreement beyond chance on the same answer; 1 is perfect, 0 is chance, from 0.8 on reliable.",
        "alpha",
        "higher",
        "krippendorffs-alpha",
    ),
    "alpha_ordinal": Figure(
        "Alpha, ordinal",
        "Agreement beyond chance on the order of values; 1 is perfect, 0 is chance, from 0.8 on reliable.",
        "alpha",
        "higher",
        "krippendorffs-alpha",
    ),
    "alpha_interval": Figure(
        "Alpha, interval",
        "Agreement beyond chance where distance counts; 1 is perfect, 0 is chance, from 0.8 on reliable.",
        "alpha",
        "higher",
        "krippendorffs-alpha",
    ),
    "local_alpha.mean": Figure(
        "Local alpha",
        "Mean over items of alpha among the item's own outputs; 1 is perfect, 0 is chance.",
        "alpha",
        "higher",
        "local-alpha",
    ),
    "local_alpha.se": Figure(
        "Standard error of local alpha", "How far the mean would vary between samples.", "alpha", "lower", "local-alpha"
    ),
    "local_alpha.n": _count("Items in local alpha", "Items with an output that two raters answered.", "local-alpha"),
    "local_alpha.share_at_least_half": Figure(
        "Items with local alpha of 0.5 or more",
        "The share of items on whose outputs raters agree well; 1 is all of them.",
        "share",
        "higher",
        "local-alpha",
    ),
    "local_alpha.histogram": Figure(
        "Histogram of local alpha",
        "How many items have which alpha; good is a mass at the right with a short tail to the left.",
        "bins",
        "neither",
        "local-alpha",
    ),
    "system_mean": Figure(
        "Mean of the system",
        "The mean of its outputs' mean ratings, on the question's own scale.",
        "scale",
        "higher",
        "system-means",
    ),
    "aggregates.mean.score": Figure(
        "Mean score", "Each output at its mean rating; 100 is the top of the scale.", "percent", "higher", "aggregates"
    ),
    "aggregates.majority.score": Figure(
        "Majority score",
        "Each output at its most frequent rating, ties at random; 100 is the top of the scale.",
        "percent",
        "higher",
        "aggregates",
    ),
    "aggregates.none.score": Figure(
        "Score of all ratings",
        "Each rating by itself, so outputs rated more often count more; 100 is the top of the scale.",
        "percent",
        "higher",
        "aggregates",
    ),
    "aggregates.mean.rank": Figure(
        "Average rank by mean",
        "The output's expected place in its item by mean rating; 1 is best.",
        "rank",
        "lower",
        "average-rank",
    ),
    "aggregates.majority.rank": Figure(
        "Average rank by majority",
        "The output's expected place in its item by most frequent rating; 1 is best.",
        "rank",
        "lower",
        "average-rank",
    ),
    "aggregates.none.rank": Figure(
        "Average rank by single ratings",
        "The output's expected place in its item by one rating drawn for each output; 1 is best.",
        "rank",
        "lower",
        "average-rank",
    ),
}
"""Figures by their dotted names in a report, the names of systems left out."""
