"""The lines of annotations as the bytes that JSONL has, of studies that are not blinded."""

import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from json.encoder import encode_basestring
from operator import itemgetter
from typing import NamedTuple

from annotation.models import Study
from annotation.page_times import are_odd_times
from files.writing.file_writers import Chunk
from files.writing.study_lines import HUMAN
from files.writing.table_statements import ANNOTATIONS, TASK_OUTPUTS, Row, RowsOfItems, by_whole_items, streamed

KEPT, FEW = 4096, 8
THIRD = ',"third_rater":true'
PLACES = itemgetter(3)
KEY = itemgetter(4)


class AnnotationText(NamedTuple):
    """A line in parts: what comes before and after its answers, which are JSON, and the outputs that it is about."""

    head: str
    answers: str
    tail: str
    outputs: tuple[str, ...]


def annotation_chunks(study: Study) -> Iterator[Chunk]:
    """All revisions of every annotation, whatever their status."""
    return map(annotations_written, annotation_texts(study))


def annotations_written(texts: list[AnnotationText]) -> Chunk:
    """The lines of a list of annotations."""
    lines = [f'{{{one.head},"answers":{one.answers}{one.tail}}}\n' for one in texts]
    return len(lines), "".join(lines).encode()


def annotation_texts(study: Study) -> Iterator[list[AnnotationText]]:
    """The lines in parts, in the order of `annotation_lines`."""
    outputs = RowsOfItems(TASK_OUTPUTS, study.pk)
    for rows in by_whole_items(streamed(ANNOTATIONS, study.pk)):
        texts = []
        for item, group in groupby(rows, key=itemgetter(0)):
            tasks = _tasks(outputs.of(item))
            ordered = sorted(group, key=lambda row: (tasks.get(row[1], NONE)[0], row[2], row[3], row[4]))
            texts += [_text(row, tasks.get(row[1], NONE)[1]) for row in ordered]
        yield texts


Outputs = tuple[tuple[int, ...], tuple[str, ...]]
"""The positions of a task's outputs in the item, and their keys."""
NONE: Outputs = ((), ())


def _tasks(rows: list[Row]) -> dict[int, Outputs]:
    if len(rows) == 1:
        return {rows[0][1]: ((rows[0][3],), (rows[0][4],))}
    found = groupby(sorted(rows), key=itemgetter(1))
    listed = ((task, list(of_task)) for task, of_task in found)
    return {task: (tuple(map(PLACES, of_task)), tuple(map(KEY, of_task))) for task, of_task in listed}


@lru_cache(maxsize=KEPT)
def _shown(shown: str, outputs: tuple[str, ...]) -> str:
    return _json(tuple(outputs[place] for place in json.loads(shown)))


@lru_cache(maxsize=KEPT)
def _json(value: tuple[str, ...]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=FEW)
def _of_task(item: str, outputs: tuple[str, ...], variant: str) -> str:
    more = f',"variant":{encode_basestring(variant)}' if variant else ""
    return f'"item":{encode_basestring(item)},"outputs":{_json(outputs)}{more}'


@lru_cache(maxsize=KEPT)
def _of_rater(rater: str, kind: str) -> str:
    of_kind = "" if kind == HUMAN else f',"rater_kind":"{kind}"'
    return f'"rater":{encode_basestring(rater)}{of_kind}'


def _text(row: Row, outputs: tuple[str, ...]) -> AnnotationText:
    (
        _, _, variant, rater, revision, item, kind, status, surplus, third, answers, reason, flag, shown, guidelines,
        version, opened_at, submitted_at, seconds, visible, active, tool_use, metadata,
    ) = row  # fmt: skip
    head = (
        f'{_of_task(item, outputs, variant)},{_of_rater(rater, kind)},"revision":{revision},"status":"{status}",'
        f'"surplus":{"true" if surplus else "false"}{THIRD if third else ""}'
    )
    tail = f',"reason":{encode_basestring(reason)}' if reason else ""
    if flag:
        tail += f',"flag":{encode_basestring(flag)}'
    tail += f',"shown":{_shown(shown, outputs)}'
    if guidelines is not None:
        tail += f',"guidelines_version":{guidelines}'
    tail += f',"protocol_version":{version}'
    if opened_at is not None:
        tail += f',"opened_at":"{opened_at}"'
    if submitted_at is not None:
        tail += f',"submitted_at":"{submitted_at}"'
    if seconds is not None:
        tail += f',"seconds":{seconds!r}'
    if visible is not None:
        tail += f',"visible_seconds":{visible!r}'
    if active is not None:
        tail += f',"active_seconds":{active!r}'
    if are_odd_times(seconds, visible, active):
        tail += ',"odd_times":true'
    tail += f',"tool_use":{tool_use}'
    if metadata is not None:
        tail += f',"metadata":{metadata}'
    return AnnotationText(head, answers, tail, outputs)
