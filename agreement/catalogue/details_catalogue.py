"""Name, description and definition of every figure of the details of a report."""

from agreement.catalogue.disagreement_catalogue import MATRIX
from agreement.catalogue.p_values import RANDOMISATION, RANKS, columns_of
from agreement.catalogue.report_catalogue import Figure, count_of

DISTRIBUTIONS, WINS = "distributions-of-answers", "wins-of-systems"
WINDOWS, PLACES, LENGTHS = "agreement-over-time", "effects-of-places", "effects-of-lengths"
TIMES, EXCLUSIONS = "time-per-answer", "log-of-exclusions"

DETAIL_TABLES: dict[str, Figure] = {
    "distribution": Figure(
        "Distribution of answers", "Percent of each system's answers, with their number; rows add up to 100.", "table",
        "neither", DISTRIBUTIONS, "System",
    ),
    "systems": Figure(
        "Ranks and letters", "Systems that share a letter do not differ significantly; the interval of a rank says "
        "where the system would lie in like samples of items.", "table", "neither", RANKS, "System",
    ),
    "tests": Figure(
        "Paired randomisation tests", "Whether two systems differ over the items that they share, with Holm's "
        "correction for all pairs.", "table", "neither", RANKS, "Two systems",
    ),
    "wins": Figure(
        "Win matrix", "How often the row's outputs beat the column's for the same item, in percent, ties as half.",
        "table", "neither", WINS, "System",
    ),
    "over_time": Figure(
        "Agreement over time", "Units in the order of their last answer, in windows of equal size; a trend means that "
        "raters or items have changed.", "table", "neither", WINDOWS, "Last answers",
    ),
    "places": Figure(
        "Effect of the place on the page", "Whether the same output gets other answers at another place; 0 is none.",
        "table", "neither", PLACES, "Place",
    ),
    "sides": Figure(
        "Effect of the side", "Whether the output shown first is chosen more often; equal shares mean no effect.",
        "table", "neither", PLACES, "Chosen",
    ),
    "lengths": Figure(
        "Effect of the length", "Mean scores of outputs by their words; equal means are no effect.", "table", "neither",
        LENGTHS, "Words",
    ),
    "longer": Figure(
        "Effect of the length", "Whether the longer output is chosen more often; longer may also be better.", "table",
        "neither", LENGTHS, "Chosen",
    ),
    "raters": Figure(
        "Raters against raters", "Percent of shared units with the same answer, with the number of shared units.",
        "table", "neither", MATRIX, "Rater",
    ),
    "time": Figure(
        "Time per answer", "Median seconds per answer with the quartiles, of all raters together.", "table", "neither",
        TIMES, "Answers",
    ),
    "exclusions": Figure(
        "Log of exclusions", "What the figures leave out, and what they count although one may ask.", "table",
        "neither", EXCLUSIONS, "What",
    ),
}  # fmt: skip

DETAIL_COLUMNS: dict[str, Figure] = {
    "mean": Figure("Mean score", "Mean score of the system's outputs.", "score", "higher", RANKS),
    "rank": Figure("Rank", "Place among the systems by mean score; 1 is the best.", "rank", "lower", RANKS),
    "letters": Figure(
        "Letters", "Systems without a common letter differ at the 5 % level.", "table", "neither", RANKS
    ),
    "outputs": count_of("Outputs", "Outputs of the system with an answer.", RANKS),
    "items": count_of("Items", "Items that have both systems.", RANKS),
    "mean_difference": Figure(
        "Mean difference", "The first system's mean score minus the second's, over shared items.", "difference",
        "neither", RANKS,
    ),
    **columns_of(RANDOMISATION),
    "units": count_of("Units", "Units with two or more raters.", WINDOWS),
    "raters": count_of("Raters", "Raters of these units.", WINDOWS),
    "alpha": Figure(
        "Alpha", "Agreement beyond chance; 1 is perfect, 0 is chance.", "alpha", "higher", "krippendorffs-alpha"
    ),
    "percent_agreement": Figure(
        "Percent agreement", "How often two raters of the same unit agree; 1 is perfect.", "share", "higher",
        "percent-agreement",
    ),
    "n": count_of("Answers", "Answers at this place.", PLACES),
    "effect": Figure(
        "Effect", "Mean of the answer minus the other raters' answers to the same output; 0 is none.", "difference",
        "neither", PLACES,
    ),
    "mean_answer": Figure("Mean answer", "Mean of the answers at this place.", "score", "neither", PLACES),
    "share": Figure("Share", "Share of the judgments; 1 is all.", "share", "neither", PLACES),
    "length_mean": Figure("Mean score", "Mean score of the outputs of this length.", "score", "neither", LENGTHS),
    "length_outputs": count_of("Outputs", "Outputs of this length.", LENGTHS),
    "answers": count_of("Answers", "Submitted answers to tasks.", TIMES),
    "seconds": Figure("By the server", "From opening the task to submitting it.", "seconds", "neither", TIMES),
    "visible_seconds": Figure("Page visible", "While the page was visible.", "seconds", "neither", TIMES),
    "active_seconds": Figure("Page in use", "While the page was in use.", "seconds", "neither", TIMES),
    "number": count_of("Number", "How many there are.", EXCLUSIONS),
    "counted": Figure("Counted", "Whether the figures count them.", "table", "neither", EXCLUSIONS),
    "dates": Figure("Dates", "The first and the last day, in UTC.", "table", "neither", EXCLUSIONS),
    "which": Figure("Which", "The single ones, with what they lost.", "table", "neither", EXCLUSIONS),
}  # fmt: skip

EXCLUDED: dict[str, Figure] = {
    kind: Figure(title, line, "count", "neither", EXCLUSIONS)
    for kind, title, line in (
        ("item_withdrawn", "Items withdrawn", "Items that researchers took out of tasks and figures, with the reason."),
        ("item_restored", "Items restored", "Items that were withdrawn for a while and count again."),
        ("other_pool", "Items of other pools", "Items that are not rated in the study itself, which no figure counts."),
        ("person_not_chosen", "People not chosen", "People whom the reader of the report has not chosen."),
        ("machine_not_chosen", "Models and metrics not chosen", "Machines are counted only if a reader chooses them."),
        ("other_guidelines", "Other guidelines versions", "Ratings under versions that the report does not count."),
        (
            "shown_other_guidelines",
            "Machines shown other guidelines",
            "Ratings by machines that were shown versions that the report does not count.",
        ),
        ("skipped", "Tasks skipped", "Tasks that raters skipped with a reason."),
        ("flagged_unanswered", "Tasks flagged, not answered", "Tasks with a reported problem and no answer."),
        ("taken_back", "Answers taken back", "Answers that their raters took back and did not submit again."),
        ("flagged_answered", "Answers with a flag", "Answers whose raters reported a problem; they count."),
        ("surplus", "Surplus answers", "Answers beyond the planned raters of a task; they count."),
        ("other_shapes", "Machine ratings of another shape", "Answers of machines in another shape than people's."),
        ("other_reruns", "Ratings of earlier runs", "Ratings of other reruns of a machine than its latest."),
        ("run_replaced", "Runs replaced", "Runs of machines that a researcher has replaced by another run."),
        (
            "rater_excluded",
            "Raters excluded by researchers",
            "Raters whom a researcher has excluded, whose answers these "
            "figures still have; the page Rater checks has agreement without them.",
        ),
        ("earlier_revision", "Earlier revisions", "Answers that a later revision by the same rater replaces."),
    )
}
"""The rows of the log of exclusions, by their kind."""
