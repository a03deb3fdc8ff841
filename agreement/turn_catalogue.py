"""What each figure of revision sessions is called, says and where it is defined: the lines a reader's page prints."""

from agreement.catalogue import Figure

SESSIONS = "revision-sessions"
WORDS = "words-and-edits"
SECOND = "second-ratings"
LABELS = "labels-of-turns"


def _count(title: str, line: str) -> Figure:
    return Figure(title, line, "count", "neither", SESSIONS)


def _mean(title: str, line: str) -> Figure:
    return Figure(title, line, "score", "neither", WORDS)


TURN_FIGURES: dict[str, Figure] = {
    "overview": Figure(
        "Sessions and turns", "How much was asked of each model, and how often people mended its answer.",
        "table", "neither", SESSIONS,
    ),
    "sessions": _count("Sessions", "Sessions that got a first answer."),
    "turns": _count("Turns", "Instructions that were answered."),
    "edited": Figure(
        "Edited", "Turns whose answer the user put right; fewer is better.", "share", "lower", SESSIONS
    ),
    "turns_per_session": Figure(
        "Turns a session", "Mean over sessions; fewer is sooner satisfied, or given up.", "score", "neither", SESSIONS
    ),
    "information": Figure("Information", "Instructions that ask for more information.", "share", "neither", SESSIONS),
    "style": Figure("Style", "Instructions that ask for another form.", "share", "neither", SESSIONS),
    "statuses": Figure("How sessions ended", "Sessions by their state.", "table", "neither", SESSIONS),
    "ratings_by_kind": Figure(
        "Ratings by kind of instruction", "How often an answer was rated so; more good ones are better.",
        "table", "higher", SESSIONS,
    ),
    "rating": Figure("Ratings", "The session users' own ratings of the turns.", "share", "neither", SESSIONS),
    "kinds_by_position": Figure(
        "Kinds of instruction by position", "What people ask for first and what later; neither is better.",
        "table", "neither", SESSIONS,
    ),
    "instruction_types": Figure(
        "Types of instructions", "What was asked for, as researchers typed it, and how often it came out good.",
        "table", "higher", LABELS,
    ),
    "type_share": Figure("Share", "Of the turns with a type.", "share", "neither", LABELS),
    "good": Figure("Good", "The share of its rated turns that are rated good; 1 is all.", "share", "higher", LABELS),
    "error_categories": Figure(
        "What went wrong", "Categories of errors among the turns rated neutral or bad.", "table", "neither", LABELS
    ),
    "error_share": Figure("Share", "Of the categorised turns rated neutral or bad.", "share", "neither", LABELS),
    "retrieval": Figure(
        "What retrieval gave", "Whether the passages sufficed for the instruction, where somebody judged it.",
        "table", "neither", LABELS,
    ),
    "text_figures": Figure(
        "Words and edits", "How much was asked in how many words, and how much of the text was changed by it.",
        "table", "neither", WORDS,
    ),
    "measured": Figure("Turns", "Turns rated good, or edited until they were.", "count", "neither", WORDS),
    "instruction_words": _mean("Instruction, words", "Mean length of the instruction."),
    "source_words": _mean("Before, words", "Mean length of the answer before the turn."),
    "target_words": _mean("After, words", "Mean length of the answer after it, as edited."),
    "length_ratio": _mean("Length ratio", "Mean of words after by words before; above 1 it grew."),
    "edit_distance": _mean("Edit distance", "Mean number of words inserted, deleted or replaced."),
    "edit_ratio": _mean("Edit ratio", "Mean of the edit distance by words before; 0 is nothing changed."),
    "second_ratings": Figure(
        "Second ratings", "How far other people, who rated a sample of turns blind, agree with the sessions' users.",
        "table", "higher", SECOND,
    ),
    "cohen_kappa": Figure(
        "Cohen's kappa", "Agreement beyond chance; 1 is perfect, 0 is chance.", "alpha", "higher", SECOND
    ),
    "accuracy": Figure("Accuracy", "Second ratings that equal the first; 1 is all.", "share", "higher", SECOND),
    "precision": Figure(
        "Precision", "Of the second ratings that say good, the share that the user rated good; three-way the mean of "
        "all ratings.", "share", "higher", SECOND,
    ),
    "recall": Figure(
        "Recall", "Of the turns that the user rated good, the share that the second rating calls good; three-way the "
        "mean of all ratings.", "share", "higher", SECOND,
    ),
    "f1": Figure("F1", "The harmonic mean of precision and recall; three-way the mean.", "share", "higher", SECOND),
}  # fmt: skip
