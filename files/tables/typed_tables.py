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
NAME, LIST, ANSWER, ANSWERS, SHARES, ANY = "name", "list", "answer", "answers", "shares", "any"
"""How a value names systems: as one or a list of them, as one answer, answers by question or shares of answers may, or
in some way of its own."""


def _same(line: Mapping[str, Any]) -> Line:
    return dict(line)


@dataclass(frozen=True)
class TypedTable:
    """A table's columns in their order, how a line becomes a row, and how a row becomes the line again."""

    columns: tuple[Column, ...]
    needed: tuple[str, ...] = ()
    """The columns without which no line can be read."""
    as_row: Callable[[Mapping[str, Any]], Line] = _same
    """What makes a row of a line but for added columns."""
    line_of: Callable[[Mapping[str, Any]], Line] = _same

    def row_of(self, line: Mapping[str, Any]) -> Line:
        """Return the row of a line."""
        row = self.as_row(line)
        for column in self.columns:
            if column.derive and (value := line.get(column.source)) is not None:
                row[column.name] = column.derive(value)
        return row

    def read(self, row: Mapping[str, Any]) -> Line:
        """Return the line of a row; absent values are left out."""
        names = {column.name for column in own_columns(self.columns)}
        return self.line_of({name: value for name, value in row.items() if name in names and value is not None})

    def with_columns(self, names: Iterable[str], after: str = "") -> "TypedTable":
        """Return the table with a column of JSON for each name that it does not know, after a column or as the last."""
        known = [column.name for column in self.columns]
        more = tuple(anything(name) for name in sorted(set(names) - set(known)))
        place = known.index(after) + 1 if after else len(known)
        return replace(self, columns=(*self.columns[:place], *more, *self.columns[place:])) if more else self

    def without(self, names: Collection[str]) -> "TypedTable":
        """Return the table without these columns."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))


TURNS = (text("role"), text("text"))
OUTPUT_FIELDS = (
    text("id"), text("text"), records("turns", "", *TURNS, beside="text"), text("edited_from"), text("writer"),
    anything("metadata"),
)  # fmt: skip
PAPER_FIELDS = (
    texts("authors"), text("id"), texts("paragraphs"), text("title"), text("url"), whole("year"),
)  # fmt: skip
"""In the order in which the database has them."""


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(one, str) for one in value) else None


def _ranking(value: Any) -> list[dict[str, Any]] | None:
    ranks = isinstance(value, dict) and value and all(type(one) is int for one in value.values())
    return as_ranking(value) if ranks else None


VALUES = (
    Column("value", ColumnKind.VALUE, "the answer: its text, or JSON of anything else", path="value", naming=ANSWER),
    number("value_number", "the answer if it is a number; yes is 1, no is 0", source="value", derive=_number),
    text(
        "value_label", "the answer if it is a text, such as a choice or the better output", source="value", derive=_text
    ),
    texts("value_labels", "the answer if it is a list of choices", source="value", derive=_texts),
    ranking("value_ranking", "the answer if it ranks systems; 1 is best", source="value", derive=_ranking),
)
RATER = (
    text("rater", "who answered, under a name of this study", path="rater__name"),
    text("rater_kind", "model or metric; else human", path="rater__kind", absent="human"),
)


def _item_row(line: Mapping[str, Any]) -> Line:
    row = dict(line)
    if isinstance(row.get("document"), list):
        row |= {"document": "", "document_turns": row["document"]}
    if row.get("outputs") is not None:
        row["outputs"] = [_output_row(output) for output in row["outputs"]]
    return row


def _categories(category: Any) -> list[Any]:
    return category if isinstance(category, list) else [category]


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


def _rating_line(row: Mapping[str, Any]) -> Line:
    # An empty cell of a CSV file is an empty text, which the question refuses or takes.
    return {"value": Cell(""), **row}


ITEMS = TypedTable(
    (
        text("id", "the item's name", path="key"),
        text("document", "what the outputs are about; empty if it is a conversation", path="document"),
        records("document_turns", "the document, if it is a conversation", *TURNS, beside="document"),
        text("instruction", "what the systems were asked to do", path="instruction"),
        text("source", "where the document is from", path="source", absent=""),
        records("documents", "of sessions: the papers to answer it from", *PAPER_FIELDS),
        text("question", "of sessions: the question to answer"),
        records("outputs", "the systems' outputs; an output's id names its system", *OUTPUT_FIELDS),
        records("references", "references", text("id"), text("text"), text("writer"), path="references"),
        Column("category", ColumnKind.TEXT_OR_JSON, "its category, or JSON of a list of them", path="categories"),
        texts("categories", "its categories as a list", source="category", derive=_categories),
        text("set", "public or private", path="set", absent=""),
        text("pool", "of items that are not rated in the study itself; else main", path="pool", absent="main"),
        anything("gold", "right answers by question", path="gold", naming=ANSWERS),
        text("feedback", "a text about the right answers", path="feedback", absent=""),
        anything("metadata", "what else is known about it", path="metadata"),
        text("priority", "first or last; else ordinary", path="priority", absent=1),
        record("withdrawn", "when and why a researcher has taken it out", time("at"), text("reason")),
        records(
            "places", "the places of tasks for which researchers have added or cancelled some", texts("outputs"),
            text("variant"), anything("numbers"), anything("third_raters"),
        ),
    ),
    ("id",),
    _item_row,
    _item_line,
)  # fmt: skip


def _rated(*of_machines: Column) -> tuple[Column, ...]:
    """The columns of ratings, with more of machines' ratings."""
    return (
        text("item", "the item's name", path="item__key"),
        text("output", "the output that was rated"),
        texts("outputs", "the two outputs that were compared, in the order shown"),
        text("session", "of sessions: the session's name"),
        whole("turn", "of sessions: the turn's number"),
        *RATER,
        text("question", "the question's key", path="question__key"),
        *VALUES,
        text("explanation", "the reason for it", path="explanation"),
        texts("shown", "the outputs in the order shown", path="shown", naming=LIST),
        number("seconds", "time taken", path="seconds"),
        time("submitted_at", "when it was submitted", path="submitted_at", absent=""),
        whole("guidelines_version", "the guidelines it was made under", path="guidelines_version"),
        text("run", "the rater's run", path="run", absent=""),
        whole("replicate", "which rerun", path="replicate"),
        anything("distribution", "probabilities of answers", path="distribution", naming=SHARES),
        *of_machines,
        anything("metadata", "what else is known about it", path="metadata", naming=ANY),
        yes_no(
            "third_rater", "of people: whether it was asked for because the planned raters disagreed",
            path="third_rater", absent=False,
        ),
    )  # fmt: skip


NEEDED = ("rater", "question", "value")
RATINGS = TypedTable(_rated(), NEEDED, line_of=_rating_line)
SCORES = TypedTable(
    _rated(
        number("missing", "the probability of none of the allowed answers", path="missing"),
        text("outcome", "of several agents: unanimous, majority or disagreement", path="outcome", absent=""),
        text("prompt_digest", "the digest of the prompt", path="prompt_digest", absent=""),
    ),
    NEEDED,
    line_of=_rating_line,
)
ANNOTATIONS = TypedTable(
    (
        text("item", "the item's name", path="task__item__key"),
        texts("outputs", "the task's outputs"),
        text("variant", "the task's variant", path="task__variant", absent="", naming=NAME),
        *RATER,
        whole("revision", "1, 2, ...; the highest is current", path="revision"),
        text("status", "submitted, skipped, withdrawn or flagged", path="status"),
        yes_no("surplus", "whether the task already had all its raters", path="surplus"),
        yes_no(
            "third_rater", "whether it was asked for because the planned raters disagreed", path="third_rater",
            absent=False,
        ),
        anything("answers", "{question: value}", path="answers", naming=ANSWERS),
        text("reason", "why it was skipped", path="reason", absent=""),
        text("flag", "the rater's comment on what is wrong with the task", path="flag", absent=""),
        texts("shown", "the outputs in the order shown", path="shown"),
        whole("guidelines_version", "the guidelines it was made under", path="guidelines_version"),
        whole("protocol_version", "the version of the page", path="protocol_version"),
        time("opened_at", "when the task was opened", path="opened_at"),
        time("submitted_at", "when it was submitted", path="submitted_at"),
        number("seconds", "time between the two", path="seconds"),
        number("visible_seconds", "time in which the page was visible, as the page counted it", path="visible_seconds"),
        number("active_seconds", "time in which the rater was active, as the page counted it", path="active_seconds"),
        yes_no("odd_times", "whether the page counted more than the server"),
        anything("tool_use", "uses of each reading aid", path="tool_use"),
        text("device", "how the page showed it: window, pointer, layout", path="device", absent=""),
        anything("metadata", "what else is known about it", path="metadata", naming=ANY),
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
)  # fmt: skip
