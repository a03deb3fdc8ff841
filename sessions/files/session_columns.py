"""The typed columns of sessions and labels in CSV and Parquet."""

from annotation.typed_columns import number, record, records, text, time, whole, yes_no
from files.tables.typed_tables import RATER, TypedTable

PASSAGE_FIELDS = (text("document"), whole("paragraph"), whole("rank"), number("score"), text("text"))
LABEL_FIELDS = (text("value"), text("rater"))
TURN_FIELDS = (
    whole("number"), text("instruction"), text("kind"), records("passages", "", *PASSAGE_FIELDS), text("searcher"),
    text("index"), text("summary"), text("previous_answer"), text("answer"), text("rating"), text("comment"),
    text("edited_answer"), time("submitted_at"), number("seconds"), record("instruction_type", "", *LABEL_FIELDS),
    record("error_category", "", *LABEL_FIELDS),
)  # fmt: skip
SESSIONS = TypedTable(
    (
        text("id", "the session's name"),
        text("item", "the item's name"),
        text("rater", "whose session it is, under a name of this study"),
        text("model", "the model that wrote the answers"),
        text("status", "satisfied, max_turns or abandoned; none while it continues"),
        time("started_at", "when it began"),
        time("ended_at", "when it ended"),
        text("initial_answer", "the first answer", always_text=True),
        records("initial_passages", "the passages it was written from", *PASSAGE_FIELDS),
        records("turns", "the turns in their order", *TURN_FIELDS),
        text("final_answer", "the answer after the last turn", always_text=True),
    )
)  # fmt: skip
LABELS = TypedTable(
    (
        text("session", "the session's name"),
        whole("turn", "the turn's number; 0 is the first answer"),
        text("kind", "instruction_type, error_category or retrieval"),
        text("value", "the label"),
        *RATER,
        whole("revision", "1, 2, ...; the highest counts"),
        time("at", "when"),
        text("run", "of machines: the run"),
        whole("replicate", "of machines: which rerun"),
        text("prompt_digest", "of machines: the digest of the prompt"),
        text("reply", "of machines: the model's reply"),
    )
)  # fmt: skip
LABEL_SAMPLES = TypedTable(
    (
        text("kind", "instruction_type, error_category or retrieval"),
        text("source", "what turns it was drawn from: all, failed, passages or failed_passages"),
        whole("size", "turns asked for, of each model if per_model"),
        yes_no("per_model", "whether so many turns of each model were drawn"),
        whole("seed", "what decided the order"),
        records("turns", "the turns in the order of the queue", text("session"), whole("turn")),
        time("made_at", "when it was drawn"),
    )
)  # fmt: skip
