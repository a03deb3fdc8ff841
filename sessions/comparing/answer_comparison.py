"""Word differences of two answers, computed once per pair: answers do not change, but pages are often reloaded."""

from hashlib import blake2b

from django.core.cache import caches

from sessions.comparing.word_diff import WordDiff, word_diff

CACHE = "comparisons"
VERSION = 1
"""Increased when a change of the code gives two texts other differences."""


def compare_answers(older: str, newer: str) -> WordDiff:
    """Return the differences of two answers, from the cache if this process has compared them before."""
    cache, key = caches[CACHE], _key(older, newer)
    found: WordDiff | None = cache.get(key, version=VERSION)
    if found is None:
        found = word_diff(older, newer)
        cache.set(key, found, version=VERSION)
    return found


def _key(older: str, newer: str) -> str:
    # Neither text contains NUL, so different pairs give different bytes.
    return blake2b(f"{older}\0{newer}".encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
