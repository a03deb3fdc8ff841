"""The lines of wide tables as the bytes that JSONL has, of studies that are not blinded."""

import json
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from itertools import groupby
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Any

from annotation.models import Study
from annotation.protocols import protocol_of
from files.writing.annotation_line_texts import THIRD, AnnotationText
from files.writing.file_writers import Chunk
from files.writing.rating_line_texts import KEPT, circumstances, members, unit_writer
from files.writing.rating_lines import HUMAN
from files.writing.table_statements import Row

LONG = 200
"""JSON that is longer is not kept."""
Cell = tuple[str, str]
"""The name of a column, and its member of the line after a comma."""
WriteCell = Callable[[str, str, Any], Cell]
"""Writes a value in the column of a question and level."""


@lru_cache(maxsize=KEPT)
def _said_by(rater: str, kind: str) -> str:
    return members({"rater": rater, **({} if kind == HUMAN else {"rater_kind": kind})})


def wide_rating_writer(study: Study, write: WriteCell) -> Callable[[list[Row]], Chunk]:
    """What writes a line per unit, rater and time of the ratings of each item, in the order in which they appear."""
    names_items, unit = protocol_of(study).files.ratings_name_items, unit_writer(study)

    @lru_cache(maxsize=KEPT)
    def said_of(output: str | None, other: str | None, variant: str, rater: str, kind: str) -> str:
        return unit(output, other, variant) + _said_by(rater, kind)

    @lru_cache(maxsize=KEPT)
    def kept_cell(question: str, level: str, value: str) -> Cell:
        return write(question, level, json.loads(value))

    def written(rows: list[Row]) -> Chunk:
        lines: list[str] = []
        for _, group in groupby(rows, key=itemgetter(0)):
            found: dict[tuple[Any, ...], list[tuple[str, dict[str, str]]]] = {}
            for row in group:
                (
                    _, _, _, variant, _, rater, at, _, value, _, item, output, other, question, _, shown, seconds,
                    guidelines, rest,
                ) = row  # fmt: skip
                kind, level, run, replicate = (HUMAN, "", "", None) if rest is None else rest[:4]
                third = rest is not None and bool(rest[-1])
                cell = kept_cell if len(value) < LONG else kept_cell.__wrapped__
                name, text = cell(question, level, value)
                same = found.setdefault(
                    (output, other, variant, rater, at, guidelines, run, replicate, shown, third), []
                )
                cells = next((cells for _, cells in same if name not in cells), None) if same else None
                if cells is None:
                    of_item = f',"item":{encode_basestring(item)}' if names_items else ""
                    head = of_item + said_of(output, other, variant, rater, kind)
                    cells = {}
                    told = circumstances(shown, seconds, at, guidelines, run, replicate)
                    same.append((head + told + (THIRD if third else ""), cells))
                cells[name] = text
            lines += [f"{{{head[1:]}{''.join(cells.values())}}}\n" for same in found.values() for head, cells in same]
        return len(lines), "".join(lines).encode()

    return written


def wide_annotation_writer(
    questions: Collection[str], write: Callable[[str, Any, str | None], Cell]
) -> Callable[[list[AnnotationText]], Chunk]:
    """What writes a line per revision; `write` gets a question, a value, and the output if the task shows only one."""

    @lru_cache(maxsize=KEPT)
    def kept_cells(answers: str, output: str | None) -> str:
        said: Mapping[str, Any] = json.loads(answers)
        return "".join(dict(write(key, value, output) for key, value in said.items() if key in questions).values())

    def written(texts: list[AnnotationText]) -> Chunk:
        lines = []
        for one in texts:
            cells = kept_cells if len(one.answers) < LONG else kept_cells.__wrapped__
            output = one.outputs[0] if len(one.outputs) == 1 else None
            lines.append(f"{{{one.head}{one.tail}{cells(one.answers, output)}}}\n")
        return len(lines), "".join(lines).encode()

    return written
