"""Long tables and their wide forms, written side by side as JSONL from rows that are read once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from annotation.blinding import names_of
from annotation.models import Study
from files.writing.annotation_line_texts import annotation_texts, annotations_written
from files.writing.file_writers import Chunk, ChunkFile, WrittenFile
from files.writing.rating_line_texts import machine_rows, people_rows, rating_writer
from files.writing.wide_tables import wide_answers_writer, wide_machine_writer, wide_people_writer

Write = Callable[[list[Any]], Chunk]
Pair = tuple[Callable[[Study], Iterator[list[Any]]], Callable[[Study], Write], Callable[[Study], Write]]
PAIRS: dict[str, Pair] = {
    "ratings": (people_rows, rating_writer, wide_people_writer),
    "scores": (machine_rows, rating_writer, wide_machine_writer),
    "annotations": (annotation_texts, lambda study: annotations_written, wide_answers_writer),
}
"""By table: what reads lists of its rows, and what writes them in its file and in the wide one."""


def write_pairs(study: Study, folder: Path) -> dict[str, WrittenFile]:
    """Write the tables that have wide forms, and these, by file name; nothing if the study is blinded."""
    if names_of(study).are_codes:
        return {}
    return {name: one for key in PAIRS for name, one in _write_pair(study, folder, key).items()}


def _write_pair(study: Study, folder: Path, key: str) -> dict[str, WrittenFile]:
    rows, *writers = PAIRS[key]
    files = {name: ChunkFile(folder / name) for name in (f"{key}.jsonl", f"wide/{key}.jsonl")}
    pairs = [(files[name], writer(study)) for name, writer in zip(files, writers, strict=True)]
    try:
        for some in rows(study):
            for file, write in pairs:
                file.add(write(some))
    finally:
        written = {name: file.close() for name, file in files.items()}
    return written
