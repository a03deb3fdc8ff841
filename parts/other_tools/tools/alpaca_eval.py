"""AlpacaEval: outputs of models (`model_outputs.json`) and preferences between two of them (`annotations.json`).

The tool shows the two outputs to a judge in a random order and does not write which, so the order stays unknown.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from annotation.questions.preference import TIE
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    duration,
)
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import ToolFile, ToolRecord, identifier, needed, optional

QUESTION = "preference"
EVEN, DRAW = 1.5, 0
"""A draw, as versions before 0.6 and since then write it."""
NONE = -1
"""A preference by which some annotators say that a reply could not be read."""
ABOUT_ITEM = ("dataset", "datasplit")
OUTPUTS = ("output_1", "output_2")
GENERATORS = ("generator_1", "generator_2")


class AlpacaEval(OtherTool):
    key = "alpaca-eval"
    label = "AlpacaEval (model_outputs.json, annotations.json)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        return "instruction" in first and ("generator" in first or set(OUTPUTS) <= set(first))

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                if any(key in record.body for key in OUTPUTS):
                    _read_preference(file, record, found)
                else:
                    generator = identifier(record.body.get("generator"), "generator")
                    text = needed(record.body, "output", str, "a text")
                    _add_item(record, found, {generator: text})


def _add_item(record: ToolRecord, found: Findings, outputs: Mapping[str, str], of_pair: str = "") -> str:
    """Add the outputs to the item of their instruction, which is its only identity; return its id.

    `of_pair` makes it the item of one pair of texts alone.
    """
    body = record.body
    instruction = needed(body, "instruction", str, "a text")
    more = optional(body, "input", str, "a text") or ""
    key = hashlib.sha256(f"{instruction}\\0{more}{of_pair}".encode()).hexdigest()[:12]
    metadata = {name: body[name] for name in ABOUT_ITEM if body.get(name) is not None}
    item = FoundRecord(key, metadata=metadata, outputs=dict(outputs), instruction=instruction, document=more)
    found.add_record(item, "output")
    return key


def _read_preference(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    texts = (needed(body, OUTPUTS[0], str, "a text"), needed(body, OUTPUTS[1], str, "a text"))
    if any(body.get(key) is not None for key in GENERATORS):
        first, second = (identifier(body.get(key), key) for key in GENERATORS)
        if first == second:
            found.left_out["comparisons of a model with itself"] += 1
            return
        key, pair = _add_item(record, found, {first: texts[0], second: texts[1]}), (first, second)
    else:
        key, pair = _unnamed_pair(record, found, texts)
    value = body.get("preference")
    if value is None or value == NONE:
        found.left_out["comparisons without a preference"] += 1
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not (1 <= value <= 2 or value == DRAW):
        raise FieldInvalidError("preference", f"must be a number from 1 to 2, not {quoted(value)}")
    better = TIE if value in (EVEN, DRAW) else pair[0] if value < EVEN else pair[1]
    rater, kind = _annotator(body)
    found.answers.append(
        FoundAnswer(
            file.name,
            record.line,
            ".".join(filter(None, (record.name, "preference"))),
            key,
            rater,
            QUESTION,
            AnswerKind.PAIR,
            better,
            rater_kind=kind,
            pair=pair,
            is_order_known=False,
            distribution=None if value in (1, 2, EVEN, DRAW) else {pair[0]: 2 - value, pair[1]: value - 1},
            seconds=duration(body.get("time_per_example"), "time_per_example"),
            explanation=body["raw_completion"] if isinstance(body.get("raw_completion"), str) else None,
        )
    )


def _unnamed_pair(record: ToolRecord, found: Findings, texts: tuple[str, str]) -> tuple[str, tuple[str, str]]:
    """The item of two texts of unnamed models, and their names, which are those of the columns.

    People's cross-annotations are such. The same two texts in the other order are the same item.
    """
    found.left_out["comparisons of unnamed models: output_1 and output_2 are columns of the file, not systems"] += 1
    of_pair = "\\0".join(["", *sorted(texts)])
    key = _add_item(record, found, {}, of_pair)
    known = found.records[key].outputs
    names = OUTPUTS
    if known and texts[0] != texts[1] and known[OUTPUTS[0]] == texts[1]:
        names = (OUTPUTS[1], OUTPUTS[0])
    _add_item(record, found, dict(zip(names, texts, strict=True)), of_pair)
    return key, (names[0], names[1])


def _annotator(body: dict[str, Any]) -> tuple[str, str]:
    """Who preferred it: people have a number, models a name."""
    if body.get("annotator") is not None:
        return identifier(body["annotator"], "annotator"), MODEL
    if body.get("annotator_index") is not None:
        return f"annotator-{identifier(body['annotator_index'], 'annotator_index')}", HUMAN
    raise FieldInvalidError("annotator", "is missing")


TOOL = AlpacaEval()
