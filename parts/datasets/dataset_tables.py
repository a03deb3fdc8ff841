"""The tables: what a row of each is, and its columns, which are the same in every study.

What computes the lines is a dotted name: web processes load this module and must not load crowd-kit.
"""

from annotation.typed_columns import Column, ColumnKind, anything, number, records, text, texts, whole, yes_no
from files.writing.table_list import DERIVED, DerivedTable, computed_by

LABEL_MODELS = "label_models"
"""The kind of report with what the models of raters find."""


def _label(name: str, about: str) -> Column:
    return Column(name, ColumnKind.VALUE, about)


OF_LABELS = (
    text("question", "the question"),
    text("item", "the item; absent for turns"),
    text("output", "the output that was judged"),
    texts("outputs", "instead: the two outputs that were compared, sorted"),
    text("session", "instead: the session of the turn that was judged"),
    whole("turn", "the turn's number"),
    whole("raters", "people who answered, each counted once with the latest answer"),
    number("agreement", "share of the raters who gave the most frequent label"),
    _label("majority", "the most frequent label; absent if several are"),
    anything("tied", "instead: the labels that are equally frequent, sorted"),
    number("mean", "mean of the answers that are numbers; of yes and no, the share of yes"),
    _label("dawid_skene", "the most probable label by Dawid and Skene's model"),
    number("dawid_skene_probability", "its probability"),
    _label("mace", "the most probable label by MACE"),
    number("mace_probability", "its probability"),
    _label("glad", "the most probable label by GLAD"),
    number("glad_probability", "its probability"),
)
OF_PAIRS = (
    text("question", "the question"),
    text("item", "the item"),
    text("prompt", "its instruction, an empty line and its document", always_text=True),
    text("chosen", "the text of the output that most people prefer", always_text=True),
    text("rejected", "the text of the other output", always_text=True),
    text("chosen_system", "the system that wrote the chosen output"),
    text("rejected_system", "the system that wrote the rejected output"),
    whole("votes_chosen", "people who prefer the chosen output"),
    whole("votes_rejected", "people who prefer the rejected output"),
    whole("votes_tied", "people who call the two equally good"),
)
OF_TIES = (
    text("question", "the question"),
    text("item", "the item"),
    text("prompt", "its instruction, an empty line and its document", always_text=True),
    text("first", "the text of the output whose system comes first by name", always_text=True),
    text("second", "the text of the other output", always_text=True),
    text("first_system", "the system that wrote the first output"),
    text("second_system", "the system that wrote the second output"),
    whole("votes_first", "people who prefer the first output"),
    whole("votes_second", "people who prefer the second output"),
    whole("votes_tied", "people who call the two equally good"),
)
OF_TURNS = (
    text("session", "the session"),
    whole("turn", "the turn's number from 1"),
    text("item", "the item"),
    text("model", "the model that wrote the answer"),
    records(
        "conversation", "what was said before: the question, the first answer, and each instruction and answer",
        text("role", "user or assistant"), text("content", "what was said", always_text=True),
    ),
    text("instruction", "the user's instruction in this turn", always_text=True),
    text("kind", "information or style"),
    records(
        "passages", "the passages that the model was given", text("document", "the paper"),
        whole("paragraph", "its paragraph from 0"), whole("rank", "the passage's rank"),
        number("score", "the search's score"), text("text", "the passage", always_text=True),
    ),
    text("previous_answer", "the answer that was to be revised", always_text=True),
    text("answer", "the model's answer", always_text=True),
    text("target", "the edited answer, or the model's if it was rated good; absent otherwise"),
    yes_no("edited", "whether the target is the user's edit"),
    text("rating", "the user's rating"),
    text("comment", "the user's comment"),
    texts("other_ratings", "the ratings of others, by their names"),
)  # fmt: skip

AGGREGATED_LABELS = DerivedTable(
    f"{DERIVED}/aggregated_labels",
    "one unit and question, with the labels that follow from all its raters",
    lambda study: OF_LABELS,
    computed_by("parts.datasets.unit_labels.aggregated_lines"),
    report=LABEL_MODELS,
)
PREFERENCE_PAIRS = DerivedTable(
    f"{DERIVED}/preference_pairs",
    "two outputs of an item of which people prefer one",
    lambda study: OF_PAIRS,
    computed_by("parts.datasets.pair_votes.preference_lines"),
)
PREFERENCE_TIES = DerivedTable(
    f"{DERIVED}/preference_ties",
    "two outputs of an item of which people prefer neither",
    lambda study: OF_TIES,
    computed_by("parts.datasets.pair_votes.tie_lines"),
)
TRAINING_TURNS = DerivedTable(
    f"{DERIVED}/training_turns",
    "one turn of a revision session, with the conversation before it and the answer to learn from it",
    lambda study: OF_TURNS,
    computed_by("parts.datasets.revision_examples.turn_lines"),
)
