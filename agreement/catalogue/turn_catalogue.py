"""Name, description and definition of the figures of revision sessions, as a report's page prints them."""

from agreement.catalogue.report_catalogue import Figure, Good, count_of

SESSIONS = "revision-sessions"
WORDS = "words-and-edits"
SECOND = "second-ratings"
BETWEEN = "agreement-between-second-raters"
LABELS = "labels-of-turns"
LABELLERS = "agreement-between-labellers"

SECOND_RATING_FIGURES = ("cohen_kappa", "accuracy", "precision", "recall", "f1")
NO_TURNS = "there are no such turns"
NO_VALUES = "no turn has a value"
NO_SESSIONS = "there are no sessions"


def _mean(title: str, line: str) -> Figure:
    return Figure(title, line, "score", "neither", WORDS)


def _share(title: str, line: str, anchor: str, good: Good = "neither") -> Figure:
    return Figure(title, line, "share", good, anchor)


def _table(title: str, line: str, anchor: str, rows: str, good: Good = "neither") -> Figure:
    return Figure(title, line, "table", good, anchor, rows)


TURN_FIGURES: dict[str, Figure] = {
    "overview": _table(
        "Sessions and turns", "How much was asked of each model, and how often users edited its answers.", SESSIONS,
        "Model",
    ),
    "sessions": count_of("Sessions", "Sessions with a first answer.", SESSIONS),
    "turns": count_of("Turns", "Instructions with an answer.", SESSIONS),
    "edited": _share("Edited", "Turns whose answer the user edited; fewer is better.", SESSIONS, "lower"),
    "turns_per_session": Figure(
        "Turns per session", "Mean over sessions; users with fewer turns were satisfied, or gave up, earlier.", "score",
        "neither", SESSIONS,
    ),
    "information": _share("Information", "Instructions that ask for more information.", SESSIONS),
    "style": _share("Style", "Instructions that ask for another style, length or layout.", SESSIONS),
    "statuses": _table("How sessions ended", "Sessions by status.", SESSIONS, "Status"),
    "status": _share("Share", "Of all sessions.", SESSIONS),
    "ratings_by_kind": _table(
        "Ratings by kind of instruction", "How often answers were rated good, neutral or bad; more good is better.",
        SESSIONS, "Model", "higher",
    ),
    "kinds_by_position": _table(
        "Kinds of instruction by position", "What users ask for first and what later; neither is better.", SESSIONS,
        "Position",
    ),
    "instruction_types": _table(
        "Types of instructions", "What users asked for, as labelled, and how often the result was rated good.", LABELS,
        "Type", "higher",
    ),
    "type_share": _share("Share", "Of the turns with a type.", LABELS),
    "good": _share("Good", "The share of the rated turns that were rated good; 1 is all.", LABELS, "higher"),
    "error_categories": _table(
        "What went wrong", "Categories of errors in turns rated neutral or bad.", LABELS, "Category"
    ),
    "error_share": _share("Share", "Of the turns rated neutral or bad that have a category.", LABELS),
    "retrieval": _table(
        "What retrieval found", "Whether the passages were sufficient for the instruction, as labelled.", LABELS,
        "Passages",
    ),
    "retrieval_all": _share("All labelled turns", "Of all turns with such a label.", LABELS),
    "retrieval_failed": _share(
        "Rated neutral or bad", "Of the labelled turns rated neutral or bad, as in the source study.", LABELS
    ),
    "label_agreement": _table(
        "Agreement between labellers", "How far people and models who labelled the same turns agree.", LABELLERS,
        "Labels", "higher",
    ),
    "label_pairs": _table(
        "Pairs of labellers", "Cohen's kappa for each pair of labellers.", LABELLERS, "Labellers", "higher"
    ),
    "labellers": count_of("Labellers", "People and models with such labels.", LABELLERS),
    "turns_with_two_or_more": count_of("Turns with two", "Turns that two or more of them labelled.", LABELLERS),
    "pair_turns": count_of("Turns", "Turns that both of them labelled.", LABELLERS),
    "percent_agreement": _share(
        "Percent agreement", "How often two of them agree on a turn, including by chance; 1 is perfect.", LABELLERS,
        "higher",
    ),
    "alpha_nominal": Figure(
        "Alpha, nominal", "Agreement of all of them beyond chance; 1 is perfect, 0 is chance.", "alpha", "higher",
        LABELLERS,
    ),
    "text_figures": _table(
        "Words and edits", "How long instructions and answers are, and how much of the answer changed.", WORDS,
        "Group",
    ),
    "measured": count_of("Turns", "Turns rated good, or edited until they were.", WORDS),
    "instruction_words": _mean("Instruction, words", "Mean length of the instruction."),
    "source_words": _mean("Before, words", "Mean length of the answer before the turn."),
    "target_words": _mean("After, words", "Mean length of the answer after the turn, as edited."),
    "length_ratio": _mean("Length ratio", "Mean of words after divided by words before; above 1 it grew."),
    "edit_distance": _mean("Edit distance", "Mean number of words inserted, deleted or replaced."),
    "edit_ratio": _mean("Edit ratio", "Mean of the edit distance divided by words before; 0 means no change."),
    "second_ratings": _table(
        "Second ratings", "How far people who rated a sample of turns blind agree with the sessions' users.", SECOND,
        "Ratings", "higher",
    ),
    "cohen_kappa": Figure(
        "Cohen's kappa", "Agreement beyond chance; 1 is perfect, 0 is chance.", "alpha", "higher", SECOND
    ),
    "accuracy": _share("Accuracy", "Second ratings that equal the user's; 1 is all.", SECOND, "higher"),
    "precision": _share(
        "Precision", "Of the second ratings that are good, the share that the user rated good; three-way, the mean over"
        " the ratings.", SECOND, "higher",
    ),
    "recall": _share(
        "Recall", "Of the turns that the user rated good, the share whose second rating is good; three-way, the mean "
        "over the ratings.", SECOND, "higher",
    ),
    "f1": _share("F1", "The harmonic mean of precision and recall; three-way, the mean.", SECOND, "higher"),
    "second_agreement": _table(
        "Agreement between second raters", "How far second raters of the same turn agree with each other.", BETWEEN,
        "Ratings", "higher",
    ),
    "second_pairs": _table(
        "Pairs of second raters", "Cohen's kappa for each pair of second raters.", BETWEEN, "Raters", "higher"
    ),
    "second_raters": count_of("Raters", "People who gave second ratings.", BETWEEN),
}  # fmt: skip
