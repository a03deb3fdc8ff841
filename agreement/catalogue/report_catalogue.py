"""Name, description and definition of every figure in a report, as its page prints them."""

from dataclasses import dataclass
from typing import Literal

Good = Literal["higher", "lower", "neither"]
Unit = Literal[
    "count", "share", "difference", "alpha", "kappa", "scale", "score", "percent", "rank", "strength", "p", "bins",
    "table", "weight", "seconds",
]  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """One kind of figure.

    `line` says in one sentence what it is and what is good, `unit` what its numbers are, `good` which direction is
    better. `anchor` is its heading in docs/statistics.md. `rows` heads the first column of a table.
    """

    title: str
    line: str
    unit: Unit
    good: Good
    anchor: str
    rows: str = ""


def count_of(title: str, line: str, anchor: str = "counts") -> Figure:
    """A figure that counts something."""
    return Figure(title, line, "count", "neither", anchor)


def _alpha(title: str, line: str, anchor: str) -> Figure:
    return Figure(title, line, "alpha", "higher", anchor)


def _share(title: str, line: str, anchor: str) -> Figure:
    return Figure(title, line, "share", "higher", anchor)


def _kappa(title: str, line: str) -> Figure:
    return Figure(title, line, "kappa", "higher", "kappa-and-gwets-ac1")


def _rank(title: str, line: str) -> Figure:
    return Figure(title, line, "rank", "lower", "average-rank")


def _percent(title: str, line: str) -> Figure:
    return Figure(title, line, "percent", "higher", "aggregates")


def _between_dimensions(title: str, line: str) -> Figure:
    return Figure(title, line, "alpha", "neither", "agreement-between-dimensions")


RATINGS: dict[str, Figure] = {
    "ratings": count_of("Ratings", "Current answers to this question, including repeats."),
    "repeats": count_of("Repeats", "Answers that a later one by the same rater replaces in agreement figures."),
    "raters": count_of("Raters", "People, models or metrics that answered this question."),
    "items": count_of("Items", "Items with an answer to this question; intervals resample them."),
    "units": count_of("Units", "Outputs or whole tasks with an answer to this question."),
    "units_with_two_or_more": count_of(
        "Units with two raters", "Units that two or more raters answered: only these show agreement."
    ),
    "items_with_other_answers": count_of(
        "Items with rarer answers", "Items with another answer than the most common one: with few, intervals of alpha "
        "are too short.", "intervals",
    ),
    "off_scale": count_of("Off the scale", "Values outside the question's scale, kept as given.", "off-scale-values"),
    "percent_agreement": _share(
        "Percent agreement", "How often two raters of the same unit agree, including by chance; 1 is perfect.",
        "percent-agreement",
    ),
    "leave_one_out": _share(
        "Leave-one-out agreement", "How often a rater gives the most common answer of the others; 1 is perfect.",
        "leave-one-out-agreement",
    ),
    "alpha_nominal": _alpha(
        "Alpha, nominal",
        "Agreement beyond chance on the same answer; 1 is perfect, 0 is chance, 0.8 or more is considered reliable.",
        "krippendorffs-alpha",
    ),
    "alpha_ordinal": _alpha(
        "Alpha, ordinal",
        "Agreement beyond chance on the order of answers; 1 is perfect, 0 is chance, "
        "0.8 or more is considered reliable.",
        "krippendorffs-alpha",
    ),
    "alpha_interval": _alpha(
        "Alpha, interval",
        "Agreement beyond chance if distances count; 1 is perfect, 0 is chance, 0.8 or more is considered reliable.",
        "krippendorffs-alpha",
    ),
    "icc_single": _alpha(
        "ICC(1), one rater",
        "The share of the variance of single ratings that lies between units; 1 is perfect, 0 is chance.",
        "intraclass-correlation",
    ),
    "icc_average": _alpha(
        "ICC(1), mean of raters",
        "The same for the mean of as many raters as a unit has here; 1 is perfect, 0 is chance.",
        "intraclass-correlation",
    ),
    "local_alpha.mean": _alpha(
        "Local alpha", "Mean over items of the alpha among each item's own outputs; 1 is perfect, 0 is chance.",
        "local-alpha",
    ),
    "local_alpha.se": Figure(
        "Standard error of local alpha", "How far the mean would vary between samples.", "alpha", "lower", "local-alpha"
    ),
    "local_alpha.n": count_of("Items in local alpha", "Items with an output that two raters answered.", "local-alpha"),
    "local_alpha.share_at_least_half": _share(
        "Items with local alpha of 0.5 or more", "The share of items on whose outputs raters agree well; 1 is all.",
        "local-alpha",
    ),
    "local_alpha.histogram": Figure(
        "Histogram of local alpha", "Number of items by alpha; bars further right mean better agreement.", "bins",
        "neither", "local-alpha",
    ),
    "system_mean": Figure(
        "System mean", "The mean of the outputs' mean ratings, on the question's own scale.", "scale", "higher",
        "system-means",
    ),
    "aggregates.mean.score": _percent("Mean score", "Each output at its mean rating; 100 is the top of the scale."),
    "aggregates.majority.score": _percent(
        "Majority score", "Each output at its most common rating, ties at random; 100 is the top of the scale."
    ),
    "aggregates.none.score": _percent(
        "Mean of individual ratings",
        "Every rating counts once, so outputs rated more often count more; 100 is the top of the scale.",
    ),
    "aggregates.mean.rank": _rank(
        "Average rank by mean", "The output's expected place within its item by mean rating; 1 is best."
    ),
    "aggregates.majority.rank": _rank(
        "Average rank by majority", "The output's expected place within its item by most common rating; 1 is best."
    ),
    "aggregates.none.rank": _rank(
        "Average rank by individual ratings",
        "The output's expected place within its item by one random rating of each output; 1 is best.",
    ),
    "cohen_kappa_pairs": _kappa(
        "Cohen's kappa", "Agreement of two raters beyond chance; 1 is perfect, 0 is chance."
    ),
    "kappa_linear_pairs": _kappa(
        "Weighted kappa, linear", "Kappa that weights a disagreement by its distance; 1 is perfect."
    ),
    "kappa_quadratic_pairs": _kappa(
        "Weighted kappa, quadratic", "Kappa that weights a disagreement by its squared distance; 1 is perfect."
    ),
    "kappa_raters": Figure(
        "Pairs of raters", "Cohen's kappa for each pair of raters.", "table", "neither", "kappa-and-gwets-ac1", "Raters"
    ),
    "fleiss_kappa": _alpha(
        "Fleiss' kappa", "Agreement of all raters beyond chance; 1 is perfect, 0 is chance.", "kappa-and-gwets-ac1"
    ),
    "gwet_ac1": _alpha(
        "Gwet's AC1", "Agreement beyond chance, stable when one answer is far more common; 1 is perfect.",
        "kappa-and-gwets-ac1",
    ),
    "comparisons": Figure(
        "Comparisons of systems", "Paired tests over shared items; a small p-value means that two systems differ.",
        "table", "neither", "comparisons-of-systems", "Systems",
    ),
}  # fmt: skip

PAIRS_AND_RANKS: dict[str, Figure] = {
    "pairs": count_of("Pairs", "Pairs of outputs that were judged.", "pairs-of-outputs"),
    "pairs_with_two_or_more": count_of(
        "Pairs with two raters", "Pairs that two or more raters judged: only these show agreement.", "pairs-of-outputs"
    ),
    "repeated_by_same_rater": count_of(
        "Repeated judgments", "Judgments that a later one of the pair by the same rater replaces in agreement figures.",
        "pairs-of-outputs",
    ),
    "alpha_masi": _alpha(
        "Alpha, MASI", "Agreement beyond chance if a tie is half-way between the outputs; 1 is perfect, 0 is chance.",
        "alpha-with-masi",
    ),
    "system_win_or_tie_rate": _share(
        "Win or tie rate", "The share of judgments that the system won or tied; 1 is all.", "scores-of-systems"
    ),
    "system_score": Figure(
        "System score",
        "Mean number of outputs not ranked above the system's own, itself included; the number of outputs is best.",
        "score", "higher", "scores-of-systems",
    ),
    "win_tie_loss": Figure(
        "Wins, ties and losses", "How often each system won, tied and lost against every other.", "table", "neither",
        "scores-of-systems", "System",
    ),
    "bradley_terry": Figure(
        "Bradley-Terry strength",
        "Log-odds of winning against an average system; 1 more means winning 2.7 times as often as losing.", "strength",
        "higher", "bradley-terry-with-ties",
    ),
    "bradley_terry_tie": Figure(
        "Bradley-Terry ties", "How readily equally strong outputs tie, relative to a win of either.", "strength",
        "neither", "bradley-terry-with-ties",
    ),
    "position_bias": Figure(
        "Position bias", "How much more often the output shown first is chosen; 0 is none.", "difference", "neither",
        "position-and-length",
    ),
    "length_bias_rate": Figure(
        "Length bias", "How much more often the longer output is chosen; 0 is none.", "difference", "neither",
        "position-and-length",
    ),
    "score_by_position": Figure(
        "Score by position", "Mean score of the outputs shown at each position; even values are good.", "table",
        "neither", "position-and-length", "Position on the page",
    ),
    "rankings_shared": count_of(
        "Shared rankings", "Sets of outputs of one item that two or more raters ranked.", "whole-rankings"
    ),
    "alpha_masi_rankings": _alpha(
        "Alpha of rankings, MASI", "Agreement beyond chance on whole rankings, as sets of outputs with ranks; 1 is "
        "perfect.", "whole-rankings",
    ),
    "alpha_ordinal_ranks": _alpha(
        "Alpha of ranks, ordinal", "Agreement beyond chance on the order of ranks; 1 is perfect.", "whole-rankings"
    ),
    "alpha_interval_ranks": _alpha(
        "Alpha of ranks, interval", "Agreement beyond chance on ranks if distances count; 1 is perfect.",
        "whole-rankings",
    ),
    "dimensions.groups": count_of(
        "Compared rankings", "Items, or single rankings, that both dimensions have.", "agreement-between-dimensions"
    ),
    "dimensions.left_out": count_of(
        "Rankings without an order", "Items, or single rankings, with all outputs tied in one dimension.",
        "agreement-between-dimensions",
    ),
    "dimensions.alpha_masi_rankings": _between_dimensions(
        "Alpha of rankings", "How similarly the two dimensions rank outputs as a whole; 1 is the same."
    ),
    "dimensions.alpha_ordinal_ranks": _between_dimensions(
        "Ordinal alpha", "How similarly the two dimensions order outputs; 1 is the same."
    ),
    "dimensions.alpha_interval_ranks": _between_dimensions(
        "Interval alpha", "How similar the scores in the two dimensions are if distances count; 1 is the same."
    ),
    "dimensions.item_tau_b": _between_dimensions(
        "Kendall's tau", "Mean rank correlation of the two dimensions within items; 1 is the same order."
    ),
}  # fmt: skip

BEST_WORST: dict[str, Figure] = {
    "sets": count_of("Sets", "Sets of outputs of which the best and the worst were named.", "best-and-worst"),
    "sets_with_two_or_more": count_of(
        "Sets with two raters", "Sets that two or more raters judged: only these show agreement.", "best-and-worst"
    ),
    "percent_agreement_best": _share(
        "Agreement on the best", "How often two raters of a set name the same best output, including by chance; 1 is "
        "perfect.", "best-and-worst",
    ),
    "percent_agreement_worst": _share(
        "Agreement on the worst", "How often two raters of a set name the same worst output, including by chance; 1 is "
        "perfect.", "best-and-worst",
    ),
    "free_kappa_best": _alpha(
        "Free-marginal kappa of the best", "Agreement on the best output beyond that of random choices; 1 is perfect, "
        "0 is chance.", "best-and-worst",
    ),
    "free_kappa_worst": _alpha(
        "Free-marginal kappa of the worst", "Agreement on the worst output beyond that of random choices; 1 is "
        "perfect, 0 is chance.", "best-and-worst",
    ),
    "alpha_best": _alpha(
        "Alpha of the best", "Agreement beyond chance on the best output; 1 is perfect, 0 is chance.", "best-and-worst"
    ),
    "alpha_worst": _alpha(
        "Alpha of the worst", "Agreement beyond chance on the worst output; 1 is perfect, 0 is chance.",
        "best-and-worst",
    ),
    "alpha_implied_pairs": _alpha(
        "Alpha of implied pairs", "Agreement beyond chance on which of two outputs is better, as far as best and worst "
        "imply it; 1 is perfect.", "best-and-worst",
    ),
    "split_half": _alpha(
        "Split-half reliability", "Correlation of the outputs' scores from one half of the raters with those from the "
        "other; 1 is perfect, 0 is chance.", "best-and-worst",
    ),
    "system_best_worst": Figure(
        "Best minus worst", "How much more often the system's output was the best than the worst of those shown; 1 is "
        "always the best.", "difference", "higher", "best-and-worst",
    ),
    "system_best_share": _share(
        "Best", "The share of sets in which the system's output was named as the best; 1 is all.", "best-and-worst"
    ),
    "system_worst_share": Figure(
        "Worst", "The share of sets in which the system's output was named as the worst; 0 is none.", "share", "lower",
        "best-and-worst",
    ),
}  # fmt: skip

SPANS: dict[str, Figure] = {
    "texts": count_of("Texts", "Outputs or documents that a rater checked for spans.", "spans"),
    "texts_with_two_or_more": count_of(
        "Texts with two raters", "Texts that two or more raters checked: only these show agreement.", "spans"
    ),
    "spans": count_of("Spans", "Spans marked in current answers.", "spans"),
    "spans_confirmed": count_of("Confirmed spans", "Spans that a researcher confirmed.", "spans"),
    "spans_rejected": count_of("Rejected spans", "Spans that a researcher rejected.", "spans"),
    "spans_undecided": count_of("Undecided spans", "Spans without a researcher's verdict.", "spans"),
    "outputs_undecided": count_of(
        "Undecided outputs", "Outputs left out of the shares without an error because of an undecided span.",
        "confirmed-spans",
    ),
    "span_alpha": _alpha(
        "Alpha of spans", "Agreement beyond chance, character by character, on spans and their labels; 1 is perfect.",
        "agreement-on-spans",
    ),
    "span_f1": _share(
        "F1 of spans", "Mean overlap of two raters' spans, 1 if neither marked any; 1 is perfect.", "agreement-on-spans"
    ),
    "span_f1_marked": _share(
        "F1 of spans, if marked", "Mean overlap of two raters' spans if at least one of them marked any; 1 is perfect.",
        "agreement-on-spans",
    ),
    "span_f1_labels": _share(
        "F1 of spans with labels", "Mean overlap of two raters' spans with the same label; 1 is perfect.",
        "agreement-on-spans",
    ),
    "span_f1_tokens": _share(
        "F1 of spans by word", "Mean overlap of the words in two raters' spans; 1 is perfect.", "agreement-on-spans"
    ),
    "span_accuracy": _share(
        "Span accuracy", "The share of spans with a verdict that were confirmed; 1 is all.", "confirmed-spans"
    ),
    "system_without_confirmed_span": _share(
        "Outputs without an error", "The share of the system's decided outputs without a confirmed span; 1 is all.",
        "confirmed-spans",
    ),
    "system_error_free_least": _share(
        "Without an error, at least", "The share of all outputs, if undecided ones have errors.", "confirmed-spans"
    ),
    "system_error_free_most": _share(
        "Without an error, at most", "The share of all outputs, if undecided ones have no errors.", "confirmed-spans"
    ),
    "system_undecided": count_of(
        "Undecided", "Outputs with spans of which nobody has decided whether they are errors.", "confirmed-spans"
    ),
    "severity_alpha": _alpha(
        "Alpha of severity", "Agreement beyond chance on how severe the errors of a text are in sum; 1 is perfect.",
        "severity-of-spans",
    ),
    "system_severity": Figure(
        "Severity", "Mean sum of the weights of the errors marked in one of the system's outputs; 0 is none.",
        "weight", "lower", "severity-of-spans",
    ),
    "system_severity_per_100_words": Figure(
        "Severity per 100 words", "Sum of the weights of the errors marked per 100 words of the system's outputs; 0 is "
        "none.", "weight", "lower", "severity-of-spans",
    ),
}  # fmt: skip

FIGURES: dict[str, Figure] = RATINGS | PAIRS_AND_RANKS | BEST_WORST | SPANS
"""All figures by their dotted names in a report, without the names of systems.

Figures of two dimensions are under `dimensions`, for both parts of their report.
"""
