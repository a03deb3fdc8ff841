"""Pairs of outputs of which people prefer neither: see `reports.figures.derived.computing.pair_votes`."""

from annotation.typed_columns import text, whole
from files.writing.table_list import DerivedTable, computed_by
from reports.figures.derived import FOLDER, always

TABLE = DerivedTable(
    f"{FOLDER}/preference_ties",
    "two outputs of an item of which people prefer neither",
    always(
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
    ),
    computed_by("reports.figures.derived.computing.pair_votes.tie_lines"),
)
