"""The typed columns of what was prepared, for CSV and Parquet: those of all kinds of lines together."""

from collections.abc import Mapping
from typing import Any

from annotation.file_tables.typed_tables import TypedTable
from annotation.typed_columns import anything, text, texts, whole

WITH_TEXT = frozenset({"document", "suggestion", "text"})
"""The kinds of lines whose text may be empty."""


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "text": row.get("text", "")} if row.get("what") in WITH_TEXT else dict(row)


PREPARING = TypedTable(
    (
        text("what", "the kind of line: sample, document, trial, step, suggestion, text or call"),
        anything("id", "its name: a number or, of documents and texts, a text"),
        text("file", "of samples: the file they were drawn from"),
        text("sha256", "of samples: the digest of the file"),
        whole("seed", "of samples"),
        whole("per_source", "of samples: documents per source"),
        whole("fewest_words", "of samples: the shortest document"),
        whole("most_words", "of samples: the longest document"),
        whole("sample", "of documents: the sample"),
        text("source", "of documents: the source"),
        text("document", "of suggestions, texts and calls: the document"),
        whole("number", "of suggestions, texts and calls: the suggestion's number"),
        text("role", "of texts"),
        text("kind", "of steps and suggestions"),
        text("text", "of documents, suggestions and texts"),
        whole("words", "of documents"),
        anything("content", "of documents: the other keys of its line"),
        text("original", "of suggestions: the text before it was changed"),
        texts("kinds", "of suggestions"),
        text("writer", "of texts: human or model"),
        text("edited_from", "of texts: the text that was edited"),
        anything("difference", "of texts: what was edited"),
        whole("evaluators", "of trials"),
        texts("documents", "of trials"),
        text("rated_in", "of trials: the study that rated them"),
        anything("result", "of trials"),
        text("winner", "of trials"),
        whole("step", "of suggestions, texts and calls: the step that made it"),
        whole("place", "of calls"),
        whole("trial", "of steps: the trial"),
        anything("configuration", "of steps"),
        text("status", "of steps and calls"),
        anything("estimate", "of steps: what it was expected to cost"),
        text("message", "of steps"),
        text("state", "of suggestions"),
        text("outcome", "of calls"),
        text("reason", "of suggestions and calls"),
        text("item", "of suggestions: the item made from it"),
        anything("counts", "of samples and calls"),
    ),
    line_of=_line,
)  # fmt: skip
