"""What a web process does before its first request, so that nobody waits for it."""

import gc
import logging
from pathlib import Path

from django.conf import settings
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template

BROKEN = (TemplateSyntaxError, TemplateDoesNotExist, UnicodeDecodeError, OSError)
logger = logging.getLogger(__name__)


def warm_up() -> None:
    """Compile all templates, and take what is loaded now out of garbage collection: it stays as long as the process.

    A full collection would otherwise look at some 300,000 objects each time, while all threads wait. A template that
    does not compile is logged: only its own pages fail.
    """
    folders: list[Path] = settings.TEMPLATES[0]["DIRS"]  # type: ignore[assignment]
    for folder in folders:
        for path in sorted(folder.rglob("*.html")):
            name = path.relative_to(folder).as_posix()
            try:
                get_template(name)
            except BROKEN:
                logger.exception("The template %s does not compile.", name)
    gc.collect()
    gc.freeze()
