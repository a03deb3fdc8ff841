"""The typed columns of the tables that studies of any protocol have, for CSV and Parquet.

A *row* has a value per column, a *line* is the object that JSONL has. They differ where a line's value has no single
type: a text that may be a conversation, a category that may be a list. `docs/formats.md` describes the lines.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.typed_columns import (
    Column,
    ColumnKind,
    anything,
    as_ranking,
    number,
    own_columns,
    ranking,
    record,
    records,
    text,
    texts,
    time,
    whole,
    yes_no,
)
from files.tables.csv_cells import Cell

Line = dict[str, Any]


def _same(line: Mapping[str, Any]) -> Line:
    return dict(line)


@dataclass(frozen=True)
class TypedTable:
    """A table's columns in their order, how a line becomes a row, and how a row becomes the line again."""

    columns: tuple[Column, ...]
    needed: tuple[str, ...] = ()
    """The columns without which no line can be read."""
    row_of: Callable[[Mapping[str, Any]], Line] = _same
    line_of: Callable[[Mapping[str, Any]], Line] = _same

    def read(self, row: Mapping[str, Any]) -> Line:
        """Return the line of a row; absent values are left out."""
        names = {column.name for column in own_columns(self.columns)}
        return self.line_of({name: value for name, value in row.items() if name in names and value is not None})

    def with_columns(self, names: Iterable[str]) -> "TypedTable":
        """Return the table with a column of JSON for each name that it does not know."""
        known = {column.name for column in self.columns}
        more = tuple(anything(name) for name in sorted(set(names) - known))
        return replace(self, columns=(*self.columns, *more)) if more else self

    def without(self, names: Collection[str]) -> "TypedTable":
        """Return the table without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))


TURNS = (text("role"), text("text"))
OUTPUT_FIELDS = (
    text("id"), text("text"), records("turns", "", *TURNS, beside="text"), text("edited_from"), text("writer"),
    anything("metadata"),
)  # fmt: skip
PAPER_FIELDS = (
    text("id"), text("title"), texts("authors"), text("url"), whole("year"), texts("paragraphs"),
)  # fmt: skip
VALUES = (
    Column("value", ColumnKind.VALUE, "the answer: its text, or JSON of anything else"),
    number("value_number", "the answer if it is a number; yes is 1, no is 0", added=True),
    text("value_label", "the answer if it is a text, such as a choice or the better output", added=True),
    texts("value_labels", "the answer if it is a list of choices", added=True),
    ranking("value_ranking", "the answer if it ranks systems; 1 is best", added=True),
)
RATER = (text("rater", "who answered, under a name of this study"), text("rater_kind", "model or metric; else human"))


def _item_row(line: Mapping[str, Any]) -> Line:
    row = dict(line)
    if isinstance(row.get("document"), list):
        row |= {"document": "", "document_turns": row["document"]}
    if row.get("outputs") is not None:
        row["outputs"] = [_output_row(output) for output in row["outputs"]]
    if isinstance(row.get("category"), list):
        row["categories"] = row["category"]
    elif "category" in row:
        row["categories"] = [row["category"]]
    return row


def _output_row(output: Mapping[str, Any]) -> Line:
    return {**output, "text": "", "turns": output["text"]} if isinstance(output["text"], list) else dict(output)


def _item_line(row: Mapping[str, Any]) -> Line:
    line = dict(row)
    if (turns := line.pop("document_turns", None)) is not None:
        line["document"] = turns
    if isinstance(line.get("outputs"), list):  # anything else is refused later
        line["outputs"] = [_output_line(output) for output in line["outputs"]]
    return line


def _output_line(output: Any) -> Any:
    if not isinstance(output, dict) or output.get("turns") is None:
        return output
    return {"text" if key == "turns" else key: value for key, value in output.items() if key != "text"}


def _value_row(line: Mapping[str, Any]) -> Line:
    return {**line, **value_columns(line.get("value"))}


def value_columns(value: Any) -> Line:
    """Return the typed columns of an answer that has a value in any of the shapes."""
    if isinstance(value, str):
        return {"value_label": value}
    if isinstance(value, int | float):
        return {"value_number": float(value)}
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return {"value_labels": value}
    if isinstance(value, dict) and value and all(type(one) is int for one in value.values()):
        return {"value_ranking": as_ranking(value)}
    return {}


def _rating_line(row: Mapping[str, Any]) -> Line:
    # An empty cell of a CSV file is an empty text, which the question refuses or takes.
    return {"value": Cell(""), **row}


ITEMS = TypedTable(
    (
        text("id", "the item's name"),
        text("document", "what the outputs are about; empty if it is a conversation"),
        records("document_turns", "the document, if it is a conversation", *TURNS, beside="document"),
        text("instruction", "what the systems were asked to do"),
        text("source", "where the document is from"),
        text("question", "of sessions: the question to answer"),
        records("documents", "of sessions: the papers to answer it from", *PAPER_FIELDS),
        records("outputs", "the systems' outputs; an output's id names its system", *OUTPUT_FIELDS),
        records("references", "references", text("id"), text("text"), text("writer")),
        Column("category", ColumnKind.TEXT_OR_JSON, "its category, or JSON of a list of them"),
        texts("categories", "its categories as a list", added=True),
        text("set", "public or private"),
        text("pool", "of items that are not rated in the study itself; else main"),
        anything("gold", "right answers by question"),
        text("feedback", "a text about the right answers"),
        anything("metadata", "what else is known about it"),
        text("priority", "first or last; else ordinary"),
        record("withdrawn", "when and why a researcher has taken it out", time("at"), text("reason")),
        anything("places", "the places of tasks for which researchers have added or cancelled some"),
    ),
    ("id",),
    _item_row,
    _item_line,
)  # fmt: skip
_RATED = (
    text("item", "the item's name"),
    text("output", "the output that was rated"),
    texts("outputs", "the two outputs that were compared, in the order shown"),
    text("session", "of sessions: the session's name"),
    whole("turn", "of sessions: the turn's number"),
    *RATER,
    text("question", "the question's key"),
    *VALUES,
    text("explanation", "the reason for it"),
    texts("shown", "the outputs in the order shown"),
    number("seconds", "time taken"),
    time("submitted_at", "when it was submitted"),
    whole("guidelines_version", "the guidelines it was made under"),
    text("run", "the rater's run"),
    whole("replicate", "which rerun"),
    anything("distribution", "probabilities of answers"),
    anything("metadata", "what else is known about it"),
    yes_no("third_rater", "of people: whether it was asked for because the planned raters disagreed"),
)  # fmt: skip
NEEDED = ("rater", "question", "value")
RATINGS = TypedTable(_RATED, NEEDED, _value_row, _rating_line)
SCORES = TypedTable(
    (
        *_RATED,
        number("missing", "the probability of none of the allowed answers"),
        text("outcome", "of several agents: unanimous, majority or disagreement"),
        text("prompt_digest", "the digest of the prompt"),
    ),
    NEEDED,
    _value_row,
    _rating_line,
)  # fmt: skip
ANNOTATIONS = TypedTable(
    (
        text("item", "the item's name"),
        texts("outputs", "the task's outputs"),
        text("variant", "the task's variant"),
        *RATER,
        whole("revision", "1, 2, ...; the highest is current"),
        text("status", "submitted, skipped, withdrawn or flagged"),
        yes_no("surplus", "whether the task already had all its raters"),
        yes_no("third_rater", "whether it was asked for because the planned raters disagreed"),
        anything("answers", "{question: value}"),
        text("reason", "why it was skipped"),
        text("flag", "the rater's comment on what is wrong with the task"),
        texts("shown", "the outputs in the order shown"),
        whole("guidelines_version", "the guidelines it was made under"),
        whole("protocol_version", "the version of the page"),
        time("opened_at", "when the task was opened"),
        time("submitted_at", "when it was submitted"),
        number("seconds", "time between the two"),
        number("visible_seconds", "time in which the page was visible, as the page counted it"),
        number("active_seconds", "time in which the rater was active, as the page counted it"),
        yes_no("odd_times", "whether the page counted more than the server"),
        anything("tool_use", "uses of each reading aid"),
        anything("metadata", "what else is known about it"),
    ),
    ("item", "outputs", "rater", "revision", "status"),
)  # fmt: skip
EXAMPLES = TypedTable(
    (
        text("item", "the item that the example is about"),
        text("document", "the document"),
        text("instruction", "the instruction"),
        text("output", "the text of the output that was judged"),
        records("outputs", "the outputs that were compared", text("id"), text("text")),
        anything("values", "{question: value}"),
        text("rationale", "the reasons for the values"),
    ),
    line_of=lambda row: {**row} if "outputs" in row else {"output": "", **row},
)
RUNS = TypedTable(
    (
        text("id", "the run's name"),
        *RATER,
        anything("configuration", "what is asked, of whom, and about which units"),
        text("status", "planned, running, finished, stopped or out_of_budget"),
        anything("counts", "judgments by outcome"),
        whole("tokens_in", "tokens of prompts"),
        whole("tokens_out", "tokens of replies"),
        whole("price", "in millionths of the currency of the prices"),
        time("started_at", "when it began"),
        time("ended_at", "when it ended"),
        record("replaced_by", "the run that took its place", text("rater"), text("id")),
    )
)  # fmt: skip
REVIEWS = TypedTable(
    (
        text("review", "span, answer or flag"),
        text("item", "the item's name"),
        text("output", "the output that was rated"),
        texts("outputs", "the task's outputs"),
        text("session", "of sessions: the session's name"),
        whole("turn", "of sessions: the turn's number"),
        text("variant", "the task's variant"),
        text("rater", "whose answer it is"),
        whole("revision", "the answer's revision"),
        time("submitted_at", "of imported ratings: when it was submitted"),
        whole("ordinal", "of imported ratings: which of several equal ones"),
        text("run", "of imported ratings: the run"),
        whole("replicate", "of imported ratings: which rerun"),
        text("question", "the span's question"),
        whole("index", "the span's place in the answer, from 0"),
        whole("number", "1, 2, ...; the highest counts"),
        text("verdict", "confirmed, rejected, withdrawn, ok, problem, resolved or dismissed"),
        text("reason", "why"),
        text("reviewer", "who reviewed it, under a name of this study"),
        time("at", "when"),
        text("note", "the message to the annotator"),
        time("seen_at", "when the annotator confirmed having read it"),
        text("flag", "the annotator's comment that it answers"),
    )
)  # fmt: skip
ADJUDICATIONS = TypedTable(
    (
        text("item", "the item's name"),
        text("output", "the output that it is about"),
        texts("outputs", "the two outputs of a pair"),
        text("variant", "the task's variant"),
        text("question", "the question's key"),
        whole("number", "1, 2, ...; the highest counts"),
        *VALUES,
        text("reason", "why"),
        text("reviewer", "who decided, under a name of this study"),
        time("at", "when"),
    ),
    ("item", "question", "number"),
    _value_row,
)  # fmt: skip
