"""Reads imported files line by line and checks that each line can be stored.

Readers yield (line number, object). Texts contain neither NUL nor half of a surrogate pair, numbers are finite, nesting
is limited, and no key appears twice in an object. Other lines are reported as problems.
"""

import codecs
import hashlib
import json
import stat
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

from django.conf import settings

from config.text_validation import DEEPEST, MOST_KEYS, TextRefusedError, check_json
from files.import_problems import FileProblems, quoted, refuse

BOM = b"\xef\xbb\xbf"
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff", b"\x00")
CHUNK = 1 << 20
HEAD = 8192

Watch = Callable[[int], None]
"""Called with the number of bytes that have been read."""


class JSONInvalidError(ValueError):
    """A text is not JSON, or not JSON that we accept; the message says why."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise JSONInvalidError(f"the key {quoted(twice)} appears twice in one object")
    return made


def _constant(name: str) -> Any:
    raise JSONInvalidError(f"{name} is not a JSON number")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise JSONInvalidError(f"the number {quoted(text)} is too large")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text without repeated keys, NaN or infinities. Raises JSONInvalidError."""
    try:
        return _DECODER.decode(text)
    except JSONInvalidError:
        raise
    except json.JSONDecodeError as problem:
        raise JSONInvalidError(f"is not JSON ({problem.msg.lower()} at character {problem.pos + 1})") from None
    except RecursionError:
        raise JSONInvalidError(f"is nested deeper than {DEEPEST} levels") from None
    except ValueError:
        raise JSONInvalidError("contains a whole number with too many digits") from None


class SourceFile:
    """An imported file: opened once and read in lines of limited length, while its digest is computed."""

    def __init__(self, path: Path, problems: FileProblems, watch: Watch | None = None) -> None:
        self.path = path
        self.problems = problems
        self.lines = self.size = 0
        self._watch = watch
        self._hash = hashlib.sha256()

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the bytes read so far, in hexadecimal."""
        return self._hash.hexdigest()

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield (line number, bytes) for each line. Lines that are too long are reported and skipped."""
        limit = settings.LINE_LIMIT
        with open_regular(self.path) as file:
            number = 0
            self._refuse_binary(file.peek(HEAD)[:HEAD])
            while raw := file.readline(limit + 2):
                number += 1
                self._take(raw)
                if number == 1:
                    raw = raw.removeprefix(BOM)
                if len(raw.rstrip(b"\r\n")) > limit:
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(CHUNK)
                        self._take(raw)
                    self.problems.add(number, "", f"is longer than {limit} bytes")
                    continue
                self.lines = number
                yield number, raw

    def take_whole(self) -> None:
        """Read the file for its digest alone, without looking at what it holds."""
        with open_regular(self.path) as file:
            while raw := file.read(CHUNK):
                self._take(raw)

    def _take(self, raw: bytes) -> None:
        """Count bytes that were read, and report how many they are after each CHUNK of them."""
        before, self.size = self.size, self.size + len(raw)
        self._hash.update(raw)
        if self._watch is not None and before // CHUNK != self.size // CHUNK:
            self._watch(self.size)

    def _refuse_binary(self, head: bytes) -> None:
        """Raise ImportRefusedError with one problem if the file is not text in UTF-8, whatever its lines say."""
        if head.startswith(OTHER_ENCODINGS):
            raise refuse(self.path.name, "is not UTF-8 but looks like UTF-16 or UTF-32: save it as UTF-8", 1)
        if _is_binary(head):
            raise refuse(self.path.name, "is not a text file: send JSONL or CSV, saved as UTF-8")

    def decode(self, number: int, raw: bytes) -> str | None:
        """Return the text of a line. If it is not UTF-8, report a problem and return None."""
        try:
            return raw.decode()
        except UnicodeDecodeError as problem:
            byte = raw[problem.start]
            self.problems.add(number, "", f"is not UTF-8 (byte 0x{byte:02X} at {problem.start + 1}): save it as UTF-8")
            return None

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, object) for each line of a JSONL file except empty ones."""
        for number, raw in self.raw_lines():
            text = self.decode(number, raw)
            if text is None or text.isspace() or not text:
                continue
            try:
                body = parse_json(text)
                if not isinstance(body, dict):
                    raise JSONInvalidError("is not a JSON object")
                if _needs_a_look(raw, body):
                    check_json(body)
            except JSONInvalidError as problem:
                self.problems.add(number, "", str(problem))
            except TextRefusedError as problem:
                self.problems.add(number, problem.place, problem.reason)
            else:
                yield number, body


def _is_binary(head: bytes) -> bool:
    """Return whether a file begins as no text does. A single NUL in a text is a problem of its line."""
    zeros = head.count(0)
    if not zeros or 10 * zeros > len(head):
        return bool(zeros)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # which may end within a character
    except UnicodeDecodeError:
        return True
    return False


def _needs_a_look(raw: bytes, body: dict[str, Any]) -> bool:
    """Return whether a line may contain something that cannot be stored.

    JSON has no raw control characters, and decoded text has no surrogates, so both can only come from escapes.
    """
    return b"\\u" in raw or not _is_small(body, 1)


def _is_small(value: Any, depth: int) -> bool:
    """Return whether an object or list is within the limits on nesting and keys."""
    if depth > DEEPEST or len(value) > MOST_KEYS:
        return False
    inside = value.values() if type(value) is dict else value
    return all(_is_small(inner, depth + 1) for inner in inside if type(inner) in (dict, list))


def open_regular(path: Path) -> BufferedReader:
    """Open a file for reading. Raises ImportRefusedError if it is missing or not an ordinary file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise refuse(path.name, "is not an ordinary file")
        return path.open("rb")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise refuse(path.name, f"cannot be read: {reason}") from None
