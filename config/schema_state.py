"""Whether this version of the software may use the database: web servers, workers and commands ask before they start.

The names of the migrations that the database has are compared with the files of this version. A database of a later
version is refused, because its columns may mean something else by now.
"""

import json
import os
import pkgutil
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.software_version import SOFTWARE_VERSION

Names = set[tuple[str, str]]
ANY_SCHEMA = frozenset(
    {
        "check",
        "collectstatic",
        "dbshell",
        "diffsettings",
        "help",
        "makemigrations",
        "restore",
        "showmigrations",
        "version",
    }
)
"""Commands that run on any database: they change nothing, or check the database themselves."""
MARK = "restoring.json"
"""A file in VAR from the beginning to the end of a restore."""
NEWER = (
    "The database belongs to a later version than {version}, which does not know its {count} newest migrations "
    "({names}). Start the later version again, or restore a backup that version {version} made into an empty database "
    "(docs/operating.md, Going back). manage.py showmigrations shows what the database has."
)
OLDER = (
    "The database belongs to an earlier version than {version}: {count} migrations are missing ({names}). "
    "Run python manage.py migrate first, which makes a backup."
)
RESTORING = (
    "The restore of {file} has not finished, so this installation is incomplete. Run python manage.py restore again. "
    "If a restore runs now, wait for its end."
)


class WrongSchemaError(ImproperlyConfigured):
    """The database is of another version, or incomplete; the message says what to do."""


def mark_of_restore() -> Path:
    """The file that says that a restore is running, or was cut off."""
    return Path(settings.VAR) / MARK


def names_on_disk() -> Names:
    """The migrations of this version, by their files; none of them is loaded."""
    found: Names = set()
    for app in apps.get_app_configs():
        module, _ = MigrationLoader.migrations_module(app.label)
        try:
            package = import_module(module) if module else None
        except ModuleNotFoundError:
            continue
        folders = getattr(package, "__path__", ())
        found |= {(app.label, name) for _, name, _ in pkgutil.iter_modules(folders) if name[0] not in "_~"}
    return found


def names_in_database() -> Names:
    """The migrations that the database has, of installed apps; none if it has no tables. Never makes a database."""
    if connection.vendor == "sqlite" and not _is_there(str(connection.settings_dict["NAME"])):
        return set()
    labels = {app.label for app in apps.get_app_configs()}
    recorder = MigrationRecorder(connection)
    return {name for name in recorder.applied_migrations() if name[0] in labels}


def _is_there(name: str) -> bool:
    return connection.connection is not None or name.startswith("file:") or os.path.exists(name)


def unknown(names: Names) -> Names:
    """Those of `names` that this version does not know, either as a file or as one that a file replaces."""
    left = names - names_on_disk()
    if left:
        migrations = MigrationLoader(None).disk_migrations.values()
        left -= {replaced for migration in migrations for replaced in migration.replaces}
    return left


def check_schema(*, complete: bool) -> None:
    """Raise WrongSchemaError if this version must not use the database.

    With `complete`, a database that is not migrated yet is refused, too. A database that does not answer is not
    refused: it may answer later, and every request says so until then.
    """
    mark = mark_of_restore()
    if mark.exists():
        raise WrongSchemaError(RESTORING.format(file=_file_in(mark)))
    try:
        applied = names_in_database()
    except DatabaseError:
        return
    newer = unknown(applied)
    if newer:
        raise WrongSchemaError(_sentence(NEWER, newer))
    missing = names_on_disk() - applied if complete and applied else set()
    if missing and not _are_replaced(missing, applied):
        raise WrongSchemaError(_sentence(OLDER, missing))


def check_before(command: str) -> None:
    """Raise WrongSchemaError if the command must not run on this database."""
    if command not in ANY_SCHEMA:
        check_schema(complete=False)


def _are_replaced(missing: Names, applied: Names) -> bool:
    """Whether all of `missing` are replacements of applied migrations, or replaced by applied ones."""
    loader = MigrationLoader(connection)
    return not missing - set(loader.applied_migrations) and bool(applied)


def _sentence(text: str, names: Collection[tuple[str, str]]) -> str:
    shown = sorted(f"{app}.{name}" for app, name in names)
    more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
    return text.format(version=SOFTWARE_VERSION, count=len(shown), names=", ".join(shown[:3]) + more)


def _file_in(mark: Path) -> str:
    try:
        return str(json.loads(mark.read_text(encoding="utf-8"))["file"])
    except (ValueError, KeyError, OSError):
        return "a backup"
