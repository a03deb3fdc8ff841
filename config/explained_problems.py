"""What went wrong with the database or the disk, in one sentence. Every command loads this module, so it is small."""

import re

from django.conf import settings
from django.db import DatabaseError

FULL = ("database or disk is full", "No space left on device", "Disk quota exceeded")
NOT_MIGRATED = re.compile(r"no such (table|column)|(relation|column) .* does not exist")


def explain(problem: Exception) -> str:
    """Return one sentence that says what went wrong and how to fix it."""
    words = " ".join(str(problem).split())
    if any(sign in words for sign in FULL):
        return (
            f"The disk of {settings.VAR} is full. Free some space (df -h '{settings.VAR}' shows how much is left), "
            "then start again."
        )
    if isinstance(problem, OSError):
        return f"{problem.filename or settings.VAR} cannot be written ({problem.strerror}). Change its owner or mode."
    if isinstance(problem, DatabaseError):
        database = settings.DATABASES["default"]
        where = f"{database['HOST']}:{database['PORT'] or 5432}" if database.get("HOST") else database["NAME"]
        if NOT_MIGRATED.search(words):
            return f"The database {where} lacks tables of this version. Run python manage.py migrate first."
        return (
            f"The database {where} cannot be used ({words}). Check DATABASE_URL and that the database can be reached."
        )
    return words
