"""Pairs of outputs of which people prefer one: see `reports.figures.derived.computing.pair_votes`."""

from annotation.typed_columns import text, whole
from files.writing.table_list import DerivedTable, computed_by
from reports.figures.derived import FOLDER, always

TABLE = DerivedTable(
    f"{FOLDER}/preference_pairs",
    "two outputs of an item of which people prefer one",
    always(
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
    ),
    computed_by("reports.figures.derived.computing.pair_votes.preference_lines"),
)
