"""What a web server and its threads do before the first request, so that nobody waits for it."""

import gc
import logging
from pathlib import Path
from threading import Barrier, BrokenBarrierError

from django.apps import apps
from django.conf import settings
from django.db import Error as DatabaseFailure
from django.template import TemplateDoesNotExist, TemplateSyntaxError
from django.template.loader import get_template
from django.urls import reverse
from django.utils import translation

from config.parts import parts

PATIENCE = 20.0
"""Seconds for which a thread that is ready waits for the others."""
BROKEN = (TemplateSyntaxError, TemplateDoesNotExist, UnicodeDecodeError, OSError)
logger = logging.getLogger(__name__)


def warm_up() -> None:
    """Compile all templates, and prepare addresses and texts in each language and what each app preloads.

    Then take what is loaded now out of garbage collection: it stays as long as the process. The web server does this
    before it forks its processes. A full collection would otherwise look at some 300,000 objects each time, while all
    threads wait, and write to each of them, so that its memory were no longer shared. A template that does not compile
    is logged: only its own pages fail.
    """
    folders: list[Path] = settings.TEMPLATES[0]["DIRS"]  # type: ignore[assignment]
    of_parts = [Path(apps.get_app_config(key).path) / "templates" for key in settings.PARTS]
    for folder in [*folders, *of_parts]:
        for path in sorted(folder.rglob("*.html")):
            name = path.relative_to(folder).as_posix()
            try:
                get_template(name)
            except BROKEN:
                logger.exception("The template %s does not compile.", name)
    for language, _ in settings.LANGUAGES:
        with translation.override(language):  # Django makes the table of all addresses for each language again
            reverse("healthz")
    for part in parts():
        part.preload()
    gc.collect()
    gc.freeze()
    gc.enable()


def warm_up_thread(all_there: Barrier) -> None:
    """What each app's `warm_up_thread` does, in one of the web server's threads.

    It ends when all threads of `all_there` are ready; otherwise one of them could do it for another. A failure of the
    database is logged: requests will fail, or not, by themselves.
    """
    try:
        for part in parts():
            part.warm_up_thread()
    except DatabaseFailure:
        logger.exception("A thread could not use the database before its first request.")
    try:
        all_there.wait(PATIENCE)
    except BrokenBarrierError:
        logger.warning("Not all threads were ready in time.")
