"""AlpacaEval: outputs of models (`model_outputs.json`) and preferences between two of them (`annotations.json`)."""

import hashlib
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, quoted
from annotation.importing.other_tools import OtherTool
from annotation.importing.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    duration,
)
from annotation.importing.other_tools.tool_files import ToolFile, ToolRecord, identifier, needed, optional
from annotation.questions.preference import TIE

QUESTION = "preference"
EVEN = 1.5
NONE = (0, -1)
"""Preferences by which some annotators say that a reply could not be read."""
ABOUT_ITEM = ("dataset", "datasplit")
INSTRUCTION, INPUT = "instruction", "input"


class AlpacaEval(OtherTool):
    key = "alpaca-eval"
    label = "AlpacaEval (model_outputs.json, annotations.json)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        return INSTRUCTION in first and ("generator" in first or {"output_1", "output_2"} <= set(first))

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                if "output_1" in record.body or "output_2" in record.body:
                    _read_preference(file, record, found)
                else:
                    generator = identifier(record.body.get("generator"), "generator")
                    said = needed(record.body, "output", str, "a text")
                    _add_item(record, found, {generator: said})


def _add_item(record: ToolRecord, found: Findings, outputs: dict[str, str]) -> str:
    """Add the outputs to the item of their instruction, which is its only identity; return its id."""
    body = record.body
    instruction = needed(body, INSTRUCTION, str, "a text")
    more = optional(body, INPUT, str, "a text") or ""
    key = hashlib.sha256(f"{instruction}\0{more}".encode()).hexdigest()[:12]
    asked = {INSTRUCTION: instruction, **({INPUT: more} if more else {})}
    if taken := sorted(set(outputs) & {INSTRUCTION, INPUT}):
        raise FieldInvalidError("generator", f"cannot be {quoted(taken[0])}")
    metadata = {name: body[name] for name in ABOUT_ITEM if body.get(name) is not None}
    found.add_record(FoundRecord(key, {**asked, **outputs}, metadata), "output")
    return key


def _read_preference(file: ToolFile, record: ToolRecord, found: Findings) -> None:
    body = record.body
    pair = identifier(body.get("generator_1"), "generator_1"), identifier(body.get("generator_2"), "generator_2")
    texts = tuple(needed(body, key, str, "a text") for key in ("output_1", "output_2"))
    if pair[0] == pair[1]:
        found.left_out["comparisons of a model with itself"] += 1
        return
    key = _add_item(record, found, dict(zip(pair, texts, strict=True)))
    value = body.get("preference")
    if value is None or value in NONE:
        found.left_out["comparisons without a preference"] += 1
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= 2:
        raise FieldInvalidError("preference", f"must be a number from 1 to 2, not {quoted(value)}")
    if value not in (1, 2, EVEN):
        found.left_out["weights of preferences between 1 and 2; the nearer output is the choice"] += 1
    better = TIE if value == EVEN else pair[0] if value < EVEN else pair[1]
    rater, kind = _annotator(body)
    found.answers.append(
        FoundAnswer(
            file.name, record.line, ".".join(filter(None, (record.name, "preference"))), key, rater, QUESTION,
            AnswerKind.PAIR, better, rater_kind=kind, pair=pair,
            seconds=duration(body.get("time_per_example"), "time_per_example"),
            explanation=body["raw_completion"] if isinstance(body.get("raw_completion"), str) else None,
        )
    )  # fmt: skip


def _annotator(body: dict[str, Any]) -> tuple[str, str]:
    """Who preferred it: people have a number, models a name."""
    if body.get("annotator") is not None:
        return identifier(body["annotator"], "annotator"), MODEL
    if body.get("annotator_index") is not None:
        return f"annotator-{identifier(body['annotator_index'], 'annotator_index')}", HUMAN
    raise FieldInvalidError("annotator", "is missing")


TOOL = AlpacaEval()
