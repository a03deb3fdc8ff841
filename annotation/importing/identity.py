"""What makes an imported rating that rating: item, unit, rater, question, time, and which of equal ones it is.

Kept as digests of 16 bytes, so that a file of millions of lines can be compared with what is there.
"""

import hashlib
import struct
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from annotation.models import Rating, Study
from config.fields import canonical_json

CHUNK = 5000
KEY = ("question", "rater", "item", "output", "other_output", "submitted_at", "variant")
CONTENT = (
    "value", "explanation", "shown", "seconds", "guidelines_version", "run", "replicate", "distribution", "metadata",
)  # fmt: skip
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
NOTHING = -(2**63)
_PACK = struct.Struct("<6q").pack


def identity(
    question: int,
    rater: int,
    item: int,
    output: int | None,
    other: int | None,
    at: datetime | None,
    variant: str = "",
) -> bytes:
    """The identity of a rating but for its ordinal. Times are told apart to the microsecond."""
    return hashlib.blake2b(
        _PACK(
            question, rater, item, NOTHING if output is None else output, NOTHING if other is None else other,
            NOTHING if at is None else (at - EPOCH) // MICROSECOND,
        ) + variant.encode(),
        digest_size=16,
    ).digest()  # fmt: skip


def content(parts: Iterable[Any]) -> bytes:
    """A digest of what a rating says, to tell whether a line says it again."""
    return hashlib.blake2b(canonical_json(list(parts)).encode(), digest_size=16).digest()


class Known:
    """The ratings that a study has, by identity; `match` finds the one that a line of a file stands for."""

    def __init__(self, study: Study) -> None:
        self._current: dict[bytes, list[bytes]] = {}
        self._past: dict[bytes, set[bytes]] = {}
        self._seen: set[bytes] = set()
        self._again: dict[bytes, int] = {}
        rows = Rating.objects.filter(study=study).order_by("ordinal", "pk").values_list(*KEY, "is_current", *CONTENT)
        for row in rows.iterator(chunk_size=CHUNK):
            name, digest = identity(*row[: len(KEY)]), content(row[len(KEY) + 1 :])
            if row[len(KEY)]:
                self._current.setdefault(name, []).append(digest)
            else:
                self._past.setdefault(name, set()).add(digest)

    def match(self, name: bytes, digest: bytes) -> tuple[int, bool | None]:
        """(ordinal of the line in its file, whether it is there: True, with other content False, not at all None)."""
        ordinal = 0
        if name in self._seen:
            ordinal = self._again[name] = self._again.get(name, 0) + 1
        else:
            self._seen.add(name)
        there = self._current.get(name, ())
        if ordinal < len(there):
            return ordinal, there[ordinal] == digest
        # An answer that was revised since, as an earlier export has it.
        return ordinal, True if digest in self._past.get(name, ()) else None
