"""The identity of an imported rating: item, unit, rater, question, time, and its ordinal among equal ones.

Identities are digests of 16 bytes, so that a file of millions of lines can be compared with existing ratings.
"""

import hashlib
import struct
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from heapq import merge
from operator import itemgetter
from typing import Any

from annotation.models import Rating, Study
from config.model_fields import canonical_json
from files.reading.staging import Staging

CHUNK = 5000
ORDER = ("ordinal", "pk")
KEY = ("question", "rater", "item", "output", "other_output", "submitted_at", "variant")
CONTENT = (
    "value", "explanation", "shown", "seconds", "guidelines_version", "run", "replicate", "distribution", "metadata",
    "third_rater",
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
    """Return the identity of a rating except for its ordinal. Times differ by the microsecond."""
    return hashlib.blake2b(
        _PACK(
            question, rater, item, NOTHING if output is None else output, NOTHING if other is None else other,
            NOTHING if at is None else (at - EPOCH) // MICROSECOND,
        ) + variant.encode(),
        digest_size=16,
    ).digest()  # fmt: skip


def content(parts: Iterable[Any]) -> bytes:
    """Return a digest of a rating's content, to see whether a line repeats it."""
    return hashlib.blake2b(canonical_json(list(parts)).encode(), digest_size=16).digest()


class KnownRatings:
    """A study's ratings by identity; `match` finds the rating that a line describes."""

    def __init__(self, study: Study, staging: Staging) -> None:
        self._current: dict[bytes, list[bytes]] = {}
        self._past: dict[bytes, set[bytes]] = {}
        self._seen: set[bytes] = set()
        self._again: dict[bytes, int] = {}
        rows = Rating.objects.filter(study=study).order_by(*ORDER)
        columns = (*ORDER, "is_current", *KEY, *CONTENT)
        sources = [source.values_list(*columns).iterator(chunk_size=CHUNK) for source in staging.sources(rows)]
        for _, _, is_current, *said in merge(*sources, key=itemgetter(0, 1)):
            name, digest = identity(*said[: len(KEY)]), content(said[len(KEY) :])
            if is_current:
                self._current.setdefault(name, []).append(digest)
            else:
                self._past.setdefault(name, set()).add(digest)

    def match(self, name: bytes, digest: bytes) -> tuple[int, bool | None]:
        """Return the line's ordinal among equal ones of its file, and whether it exists.

        True: with this content. False: with different content. None: not at all.
        """
        ordinal = 0
        if name in self._seen:
            ordinal = self._again[name] = self._again.get(name, 0) + 1
        else:
            self._seen.add(name)
        known = self._current.get(name, ())
        if ordinal < len(known):
            return ordinal, known[ordinal] == digest
        # An answer from an earlier export that was revised later.
        return ordinal, True if digest in self._past.get(name, ()) else None
