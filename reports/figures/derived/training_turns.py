"""Turns of revision sessions as training examples: see `reports.figures.derived.computing.revision_examples`."""

from annotation.typed_columns import number, records, text, texts, whole, yes_no
from files.writing.table_list import DerivedTable, computed_by
from reports.figures.derived import FOLDER, always

TABLE = DerivedTable(
    f"{FOLDER}/training_turns",
    "one turn of a revision session, with the conversation before it and the answer to learn from it",
    always(
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
    ),
    computed_by("reports.figures.derived.computing.revision_examples.turn_lines"),
)  # fmt: skip
