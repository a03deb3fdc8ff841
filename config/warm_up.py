"""What a web process does before its first request, so that nobody waits for it."""

import gc
from pathlib import Path

from django.conf import settings
from django.template.loader import get_template


def warm_up() -> None:
    """Compile all templates, and take what is loaded now out of garbage collection: it stays as long as the process.

    A full collection would otherwise look at some 300,000 objects each time, while all threads wait.
    """
    folders: list[Path] = settings.TEMPLATES[0]["DIRS"]  # type: ignore[assignment]
    for folder in folders:
        for path in sorted(folder.rglob("*.html")):
            get_template(path.relative_to(folder).as_posix())
    gc.collect()
    gc.freeze()
