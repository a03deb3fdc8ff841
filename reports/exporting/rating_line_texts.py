"""The lines of ratings and scores as the bytes that JSONL has, of studies that are not blinded.

JSON that the database has is copied; what many lines have in common is written once.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

from annotation.models import Study
from annotation.protocols import Unit, protocol_of
from config.text_validation import given
from reports.exporting.file_writers import Chunk
from reports.exporting.rating_lines import HUMAN
from reports.exporting.table_statements import OF_MACHINES, OF_PEOPLE, RATINGS, Row, by_whole_items, streamed

KEPT = 4096
"""So many texts of each kind are kept, and only short ones."""


def rating_chunks(study: Study) -> Iterator[Chunk]:
    """The current answers of people."""
    return map(rating_writer(study), people_rows(study))


def score_chunks(study: Study) -> Iterator[Chunk]:
    """The current answers of models and metrics."""
    return map(rating_writer(study), machine_rows(study))


def people_rows(study: Study) -> Iterator[list[Row]]:
    """The current answers of people as the database has them, in their order; a list has all of its items."""
    return _sorted(study, OF_PEOPLE)


def machine_rows(study: Study) -> Iterator[list[Row]]:
    """The same of models and metrics."""
    return _sorted(study, OF_MACHINES)


def _sorted(study: Study, which: Mapping[str, str]) -> Iterator[list[Row]]:
    for rows in by_whole_items(streamed(RATINGS.format_map(which), study.pk)):
        rows.sort()
        yield rows


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

    def written(rows: list[Row]) -> Chunk:
        key, item, lines = None, "", []
        for row in rows:
            (
                _, _, _, variant, _, rater, _, _, _, at, _, value, _, of_item, output, other, question, kind, _,
                explanation, shown, seconds, guidelines, run, replicate, distribution, missing, outcome, digest, about,
            ) = row  # fmt: skip
            if names_items and of_item != key:
                key, item = of_item, f',"item":{encode_basestring(of_item)}'
            head = item + unit(output, other, variant) + _said_by(rater, kind, question)
            more = circumstances(shown, seconds, at, guidelines, run, replicate)
            if explanation is not None:
                more = f',"explanation":{encode_basestring(explanation)}{more}'
            if distribution is not None or missing is not None or outcome or digest or about is not None:
                more += _of_machine(distribution, missing, outcome, digest, about)
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


def _of_machine(
    distribution: str | None, missing: float | None, outcome: str, digest: str, metadata: str | None
) -> str:
    parts = (
        ("distribution", distribution),
        ("missing", None if missing is None else repr(missing)),
        ("outcome", f'"{outcome}"' if outcome else None),
        ("prompt_digest", encode_basestring(digest) if digest else None),
        ("metadata", metadata),
    )
    return "".join(f',"{name}":{text}' for name, text in parts if text is not None)
