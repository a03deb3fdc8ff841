"""What each figure of a report is called, says and where it is defined: the lines a reader's page prints."""

from dataclasses import dataclass
from typing import Literal

Good = Literal["higher", "lower", "neither"]
Unit = Literal[
    "count", "share", "difference", "alpha", "kappa", "scale", "score", "percent", "rank", "strength", "bins", "table"
]


@dataclass(frozen=True)
class Figure:
    """One kind of figure: `anchor` is the heading in docs/statistics.md; `good` says which way is better.

    `line` is one sentence that says what it is and what is good; `unit` is what its numbers are.
    """

    title: str
    line: str
    unit: Unit
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
    "cohen_kappa_pairs": Figure(
        "Cohen's kappa",
        "Agreement of each pair of raters beyond chance; 1 is perfect, 0 is chance.",
        "kappa",
        "higher",
        "kappa-and-gwets-ac1",
    ),
    "kappa_linear_pairs": Figure(
        "Weighted kappa, linear",
        "Kappa of each pair of raters where a disagreement weighs as its distance; 1 is perfect.",
        "kappa",
        "higher",
        "kappa-and-gwets-ac1",
    ),
    "kappa_quadratic_pairs": Figure(
        "Weighted kappa, quadratic",
        "Kappa of each pair of raters where a disagreement weighs as its squared distance; 1 is perfect.",
        "kappa",
        "higher",
        "kappa-and-gwets-ac1",
    ),
    "kappa_raters": Figure(
        "Pairs of raters",
        "Which two raters each kappa of a pair is of.",
        "table",
        "neither",
        "kappa-and-gwets-ac1",
    ),
    "fleiss_kappa": Figure(
        "Fleiss' kappa",
        "Agreement of all raters beyond chance; 1 is perfect, 0 is chance.",
        "alpha",
        "higher",
        "kappa-and-gwets-ac1",
    ),
    "gwet_ac1": Figure(
        "Gwet's AC1",
        "Agreement beyond chance that stays meaningful where one answer is common; 1 is perfect.",
        "alpha",
        "higher",
        "kappa-and-gwets-ac1",
    ),
    "comparisons": Figure(
        "Comparisons of systems",
        "Paired tests between systems over items, corrected for their number; a small p-value says that they differ.",
        "table",
        "neither",
        "comparisons-of-systems",
    ),
    "pairs": _count("Pairs", "Different pairs of outputs that were judged.", "pairs-of-outputs"),
    "pairs_with_two_or_more": _count(
        "Pairs with two raters", "Pairs that two raters or more judged: only these show agreement.", "pairs-of-outputs"
    ),
    "repeated_by_same_rater": _count(
        "Repeated judgments",
        "Judgments replaced, in figures of agreement, by the same rater's later one of the pair.",
        "pairs-of-outputs",
    ),
    "alpha_masi": Figure(
        "Alpha, MASI",
        "Agreement beyond chance where a tie is half-way between the outputs; 1 is perfect, 0 is chance.",
        "alpha",
        "higher",
        "alpha-with-masi",
    ),
    "system_win_or_tie_rate": Figure(
        "Win or tie rate",
        "The share of judgments of its outputs that the system won or tied; 1 is all of them.",
        "share",
        "higher",
        "scores-of-systems",
    ),
    "system_score": Figure(
        "Score of the system",
        "The mean over rankings of how many outputs are not ranked better; the number ranked is best.",
        "score",
        "higher",
        "scores-of-systems",
    ),
    "win_tie_loss": Figure(
        "Wins, ties and losses",
        "How often each system won, tied and lost against each other one.",
        "table",
        "neither",
        "scores-of-systems",
    ),
    "bradley_terry": Figure(
        "Bradley-Terry strength",
        "Log-odds of winning against an average system; a difference of 1 is winning 2.7 times as often as losing.",
        "strength",
        "higher",
        "bradley-terry-with-ties",
    ),
    "bradley_terry_tie": Figure(
        "Bradley-Terry ties",
        "How readily equally strong outputs tie: ties in proportion to wins of one side.",
        "strength",
        "neither",
        "bradley-terry-with-ties",
    ),
    "position_bias": Figure(
        "Position bias",
        "How much more often the output shown first is chosen than the other; 0 is none.",
        "difference",
        "neither",
        "position-and-length",
    ),
    "length_bias_rate": Figure(
        "Length bias",
        "How much more often the longer output is chosen than the shorter; 0 is none.",
        "difference",
        "neither",
        "position-and-length",
    ),
    "score_by_position": Figure(
        "Score by place",
        "The mean score of the outputs shown at each place of the page; even is good.",
        "table",
        "neither",
        "position-and-length",
    ),
    "rankings_shared": _count(
        "Rankings shared", "Sets of outputs of one item that two raters or more ranked.", "whole-rankings"
    ),
    "alpha_masi_rankings": Figure(
        "Alpha of rankings, MASI",
        "Agreement beyond chance on whole rankings as sets of outputs with ranks; 1 is perfect.",
        "alpha",
        "higher",
        "whole-rankings",
    ),
    "alpha_ordinal_ranks": Figure(
        "Alpha of ranks, ordinal",
        "Agreement beyond chance on each output's rank by its order; 1 is perfect.",
        "alpha",
        "higher",
        "whole-rankings",
    ),
    "alpha_interval_ranks": Figure(
        "Alpha of ranks, interval",
        "Agreement beyond chance on each output's rank where distance counts; 1 is perfect.",
        "alpha",
        "higher",
        "whole-rankings",
    ),
    "dimensions.groups": _count(
        "Rankings compared", "Items, or single rankings, that both dimensions have.", "agreement-between-dimensions"
    ),
    "dimensions.left_out": _count(
        "Rankings without an order",
        "Items, or single rankings, all of whose outputs are tied in a dimension.",
        "agreement-between-dimensions",
    ),
    "dimensions.alpha_masi_rankings": Figure(
        "Dimensions, alpha of rankings",
        "How far two dimensions rank outputs alike as a whole; 1 is the same.",
        "alpha",
        "neither",
        "agreement-between-dimensions",
    ),
    "dimensions.alpha_ordinal_ranks": Figure(
        "Dimensions, ordinal alpha",
        "How far two dimensions give outputs alike scores by their order; 1 is the same.",
        "alpha",
        "neither",
        "agreement-between-dimensions",
    ),
    "dimensions.alpha_interval_ranks": Figure(
        "Dimensions, interval alpha",
        "How far two dimensions give outputs alike scores where distance counts; 1 is the same.",
        "alpha",
        "neither",
        "agreement-between-dimensions",
    ),
    "dimensions.item_tau_b": Figure(
        "Dimensions, Kendall's tau",
        "Mean rank correlation of two dimensions within items; 1 is the same order.",
        "alpha",
        "neither",
        "agreement-between-dimensions",
    ),
    "texts": _count("Texts", "Different outputs or documents that somebody looked through for spans.", "spans"),
    "texts_with_two_or_more": _count(
        "Texts with two raters", "Texts that two raters or more looked through: only these show agreement.", "spans"
    ),
    "spans": _count("Spans", "Spans marked in current answers.", "spans"),
    "spans_confirmed": _count("Confirmed spans", "Spans that a researcher confirmed.", "spans"),
    "spans_rejected": _count("Rejected spans", "Spans that a researcher rejected.", "spans"),
    "spans_undecided": _count("Open spans", "Spans that no researcher has decided on.", "spans"),
    "outputs_undecided": _count(
        "Open outputs",
        "Outputs left out of the shares without an error because a span of theirs is open.",
        "confirmed-spans",
    ),
    "span_alpha": Figure(
        "Alpha of spans",
        "Agreement beyond chance, character by character, on what is marked and how; 1 is perfect.",
        "alpha",
        "higher",
        "agreement-on-spans",
    ),
    "span_f1": Figure(
        "F1 of spans",
        "Mean overlap of what two raters marked, 1 where neither marked anything; 1 is perfect.",
        "share",
        "higher",
        "agreement-on-spans",
    ),
    "span_f1_marked": Figure(
        "F1 of spans, where marked",
        "Mean overlap of what two raters marked where at least one did; 1 is perfect.",
        "share",
        "higher",
        "agreement-on-spans",
    ),
    "span_f1_labels": Figure(
        "F1 of spans with labels",
        "Mean overlap of what two raters marked with the same label; 1 is perfect.",
        "share",
        "higher",
        "agreement-on-spans",
    ),
    "span_f1_tokens": Figure(
        "F1 of spans by word",
        "Mean overlap of the words that two raters marked; 1 is perfect.",
        "share",
        "higher",
        "agreement-on-spans",
    ),
    "span_accuracy": Figure(
        "Span accuracy",
        "The share of decided spans that a researcher confirmed; 1 is all of them.",
        "share",
        "higher",
        "confirmed-spans",
    ),
    "system_without_confirmed_span": Figure(
        "Outputs without an error",
        "The share of the system's outputs in which no span was confirmed; 1 is all of them.",
        "share",
        "higher",
        "confirmed-spans",
    ),
}
"""Figures by their dotted names in a report, the names of systems left out.

Those of two dimensions stand under `dimensions`, for both parts of their report.
"""
