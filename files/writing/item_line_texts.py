"""The lines of items as the bytes that JSONL has, whose texts the database has written as JSON."""

import json
from collections.abc import Iterator
from typing import Any

from annotation.conversations import as_given
from annotation.models import Item, Study
from annotation.pools import MAIN
from annotation.protocols import protocol_of
from annotation.studies.changed_places import changed_places
from files.writing.file_writers import Chunk, json_chunks
from files.writing.study_lines import ORDINARY, Line, exported_items
from files.writing.table_statements import ITEMS, OUTPUTS, Row, RowsOfItems, as_bytes, quotes_as_python, streamed

AT_ONCE = 500
LINE_END = b"}\n"


def item_chunks(study: Study) -> Iterator[Chunk]:
    """The items with their outputs, of a study that is not blinded."""
    if not (protocol_of(study).files.needs_outputs and quotes_as_python()):
        yield from json_chunks(exported_items(study))
        return
    outputs, lines = RowsOfItems(OUTPUTS, study.pk), []
    for rows in streamed(ITEMS, study.pk):
        places = changed_places(study, rows[0][0], rows[-1][0])
        for row in rows:
            of_item = b",".join([_output(one) for one in outputs.of(row[0])])
            lines.append(_line(row, of_item, places.get(row[0])))
            if len(lines) == AT_ONCE:
                yield AT_ONCE, b"".join(lines)
                lines = []
    if lines:
        yield len(lines), b"".join(lines)


def _line(row: Row, outputs: bytes, changed: list[Line] | None) -> bytes:
    (
        _, key, document, instruction, source, content, references, categories, of_set, pool, gold, feedback, metadata,
        priority, withdrawn_at, reason, places, conversation,
    ) = row  # fmt: skip
    parts = [b'{"id":', as_bytes(key)]
    parts += b',"document":', as_bytes(document) if places is None else _turns(conversation, places)
    parts += b',"instruction":', as_bytes(instruction)
    if source is not None:
        parts += b',"source":', as_bytes(source)
    if content is not None:
        parts.append(_members(content))
    parts += b',"outputs":[', outputs, b"]"
    if references is not None:
        parts += b',"references":', references.encode()
    if categories is not None:
        parts += b',"category":', categories.encode()
    if of_set:
        parts.append(f',"set":"{of_set}"'.encode())
    if pool != MAIN:
        parts.append(f',"pool":"{pool}"'.encode())
    if gold is not None:
        parts += b',"gold":', gold.encode()
    if feedback is not None:
        parts += b',"feedback":', as_bytes(feedback)
    if metadata is not None:
        parts += b',"metadata":', metadata.encode()
    if priority != ORDINARY:
        parts.append(f',"priority":"{Item.Priority(priority).name.lower()}"'.encode())
    if withdrawn_at is not None:
        parts += f',"withdrawn":{{"at":"{withdrawn_at}","reason":'.encode(), as_bytes(reason), b"}"
    if changed:
        parts += b',"places":', _json(changed)
    parts.append(LINE_END)
    return b"".join(parts)


def _output(row: Row) -> bytes:
    _, key, text, edited_from, writer, metadata, places, conversation = row
    parts = [b'{"id":', as_bytes(key), b',"text":']
    parts.append(as_bytes(text) if places is None else _turns(conversation, places))
    if edited_from is not None:
        parts += b',"edited_from":', as_bytes(edited_from)
    if writer:
        parts.append(f',"writer":"{writer}"'.encode())
    if metadata is not None:
        parts += b',"metadata":', metadata.encode()
    parts.append(b"}")
    return b"".join(parts)


def _turns(text: str, places: str) -> bytes:
    return _json(as_given(text, json.loads(places)))


def _members(content: str) -> bytes:
    """The members of an item's further keys, each after a comma; those without a value are left out."""
    given = {key: value for key, value in json.loads(content).items() if value is not None}
    return b"," + _json(given)[1:-1] if given else b""


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
