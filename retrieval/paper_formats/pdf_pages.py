"""A program that reads a PDF from standard input and writes the lines of its pages to standard output as JSON.

It runs in a process of its own, so that no file can do harm: the system limits its memory and processor time, and its
parent limits the total time. It opens no files and knows nothing of the application.
"""

import json
import resource
import struct
import sys
import zlib
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

MOST_MEMORY = 1 << 30
MOST_SECONDS = 45
MOST_PAGES = 500
MOST_CHARACTERS = 4_000_000
OF_DAMAGED_FILES = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, OSError, EOFError, zlib.error,
    struct.error,
)  # fmt: skip
"""What pypdf raises for values that it does not expect, beside its own errors."""


def answer(content: bytes) -> dict[str, Any]:
    """Return `pages` (the text of each, with its lines) and `title`, or the `problem`."""
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"problem": "is encrypted: save a copy that opens without a password"}
        if len(reader.pages) > MOST_PAGES:
            return {"problem": f"has more than {MOST_PAGES} pages"}
        pages, length = [], 0
        for page in reader.pages:
            pages.append(page.extract_text() or "")
            length += len(pages[-1])
            if length > MOST_CHARACTERS:
                return {"problem": f"has more than {MOST_CHARACTERS} characters"}
        title = reader.metadata.title if reader.metadata else None
    except (MemoryError, RecursionError):
        return {"problem": "takes too much memory to read"}
    except PyPdfError as problem:
        if type(problem).__name__ in ("LimitReachedError", "DependencyError"):
            return {"problem": "is compressed in a way that is not supported"}
        return {"problem": "is damaged or incomplete: its pages cannot be read"}
    except NotImplementedError:
        return {"problem": "is encrypted or compressed in a way that is not supported"}
    except OF_DAMAGED_FILES:
        return {"problem": "is damaged or incomplete: its pages cannot be read"}
    return {"pages": pages, "title": title if isinstance(title, str) else ""}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(2000)
    json.dump(answer(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
