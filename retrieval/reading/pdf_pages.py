"""Run as a program: a PDF on standard input, its pages' lines as JSON on standard output.

A process of its own, so that whatever a file does to the reader is bounded: memory and processor time by limits of
the system, the whole by whoever started it. It opens nothing and knows nothing of the application.
"""

import json
import resource
import sys
from io import BytesIO
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError

MOST_MEMORY = 1 << 30
MOST_SECONDS = 45
MOST_PAGES = 500
MOST_CHARACTERS = 4_000_000


def answer(content: bytes) -> dict[str, Any]:
    """`pages` (a text each, lines as they stand) and `title`, or the `problem`."""
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
                return {"problem": f"holds more than {MOST_CHARACTERS} characters"}
        title = reader.metadata.title if reader.metadata else None
    except (MemoryError, RecursionError):
        return {"problem": "takes more memory to read than any paper should"}
    except PyPdfError as problem:
        if type(problem).__name__ in ("LimitReachedError", "DependencyError"):
            return {"problem": "is packed in a way that is not read here"}
        return {"problem": "is damaged or cut off: its pages cannot be read"}
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, AssertionError, OSError):
        return {"problem": "is damaged or cut off: its pages cannot be read"}
    return {"pages": pages, "title": title if isinstance(title, str) else ""}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.setrecursionlimit(2000)
    json.dump(answer(sys.stdin.buffer.read()), sys.stdout)


if __name__ == "__main__":
    main()
