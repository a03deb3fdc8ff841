"""The lines of ratings and scores as the bytes that JSONL has, of studies that are not blinded.

JSON that the database has is copied; what many lines have in common is written once.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from django.db import connection

from annotation.models import Study
from annotation.protocols import Unit, protocol_of
from config.text_validation import given
from files.writing.file_writers import Chunk
from files.writing.rating_lines import HUMAN
from files.writing.table_statements import OF_MACHINES, PEOPLES_RATINGS, RATINGS, Row, by_whole_items, streamed

KEY = 9
"""The place of a row's primary key."""
MORE = "run, replicate, distribution, missing, outcome, prompt_digest, metadata, third_rater"
LOOKUP = 500
KEPT = 4096
"""So many texts of each kind are kept, and only short ones."""


def rating_chunks(study: Study) -> Iterator[Chunk]:
    """The current answers of people."""
    return map(rating_writer(study), people_rows(study))


def score_chunks(study: Study) -> Iterator[Chunk]:
    """The current answers of models and metrics."""
    return map(rating_writer(study), machine_rows(study))


def people_rows(study: Study) -> Iterator[list[Row]]:
    """The current answers of people as PEOPLES_RATINGS has them, in their order; a list has all of its items.

    The last column is None, or what else the rating says, as `machine_rows` has it.
    """
    for rows in by_whole_items(streamed(PEOPLES_RATINGS, study.pk)):
        rows.sort()
        yield _with_more(rows)


def _with_more(rows: list[Row]) -> list[Row]:
    rare = [row[KEY] for row in rows if row[-1] is not None]
    if not rare:
        return rows
    found: dict[int, Row] = {}
    for start in range(0, len(rare), LOOKUP):
        keys = rare[start : start + LOOKUP]
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT id, {MORE} FROM annotation_rating WHERE id IN ({_marks(keys)})", keys)  # noqa: S608
            found |= {pk: (HUMAN, "", *said) for pk, *said in cursor.fetchall()}
    return [row if row[-1] is None else (*row[:-1], found[row[KEY]]) for row in rows]


def _marks(keys: list[int]) -> str:
    return ", ".join(["%s"] * len(keys))


def machine_rows(study: Study) -> Iterator[list[Row]]:
    """The same of models and metrics; the last column has kind, level and the columns MORE."""
    for rows in by_whole_items(streamed(RATINGS.format_map(OF_MACHINES), study.pk)):
        rows.sort()
        yield [(*row[:6], *row[9:17], *row[19:22], row[22], (*row[17:19], *row[23:31])) for row in rows]


def unit_writer(study: Study) -> Callable[[str | None, str | None, str], str]:
    """What writes the keys that name a unit, each after a comma."""
    protocol = protocol_of(study)

    @lru_cache(maxsize=KEPT)
    def written(output: str | None, other: str | None, variant: str) -> str:
        return members(given(protocol.unit_line(Unit(output, other, variant))))

    return written


def members(body: Mapping[str, Any]) -> str:
    """An object's members as JSON, each after a comma."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f",{text[1:-1]}" if body else ""


@lru_cache(maxsize=KEPT)
def _said_by(rater: str, kind: str, question: str) -> str:
    of_machine = {} if kind == HUMAN else {"rater_kind": kind}
    return members({"rater": rater, **of_machine, "question": question})


def rating_writer(study: Study) -> Callable[[list[Row]], Chunk]:
    """What writes the lines of a list of ratings."""
    names_items, unit = protocol_of(study).files.ratings_name_items, unit_writer(study)

    @lru_cache(maxsize=KEPT)
    def said_of(output: str | None, other: str | None, variant: str, rater: str, kind: str, question: str) -> str:
        return unit(output, other, variant) + _said_by(rater, kind, question)

    def written(rows: list[Row]) -> Chunk:
        key, item, lines = None, "", []
        for row in rows:
            (
                _, _, _, variant, _, rater, at, _, value, _, of_item, output, other, question, explanation, shown,
                seconds, guidelines, rest,
            ) = row  # fmt: skip
            kind, run, replicate = (HUMAN, "", None) if rest is None else (rest[0], rest[2], rest[3])
            if names_items and of_item != key:
                key, item = of_item, f',"item":{encode_basestring(of_item)}'
            head = item + said_of(output, other, variant, rater, kind, question)
            more = circumstances(shown, seconds, at, guidelines, run, replicate)
            if explanation is not None:
                more = f',"explanation":{encode_basestring(explanation)}{more}'
            if rest is not None:
                more += _rarely_said(*rest[4:])
            lines.append(f'{{{head[1:]},"value":{value}{more}}}\n')
        return len(lines), "".join(lines).encode()

    return written


def circumstances(
    shown: str | None, seconds: float | None, at: str, guidelines: int | None, run: str, replicate: int | None
) -> str:
    """How an answer was given: the keys that long and wide tables have, each after a comma."""
    more = "" if shown is None else f',"shown":{shown}'
    if seconds is not None:
        more += f',"seconds":{seconds!r}'
    if at:
        more += f',"submitted_at":"{at}"'
    if guidelines is not None:
        more += f',"guidelines_version":{guidelines}'
    if run:
        more += f',"run":{encode_basestring(run)}'
    if replicate is not None:
        more += f',"replicate":{replicate}'
    return more


def _rarely_said(
    distribution: str | None, missing: float | None, outcome: str, digest: str, metadata: str | None, third: bool
) -> str:
    parts = (
        ("distribution", distribution),
        ("missing", None if missing is None else repr(missing)),
        ("outcome", f'"{outcome}"' if outcome else None),
        ("prompt_digest", encode_basestring(digest) if digest else None),
        ("metadata", metadata),
        ("third_rater", "true" if third else None),
    )
    return "".join(f',"{name}":{text}' for name, text in parts if text is not None)
