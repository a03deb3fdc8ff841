"""Prepare a start before the web server runs: migrations, changed static files, the demo.

Run as `python -m config.startup`. If it fails, it prints one sentence and exits with code 1.
"""

import argparse
import hashlib
import inspect
import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from config import script_bundles, static_files
from config.explained_problems import explain
from config.schema_state import check_schema

STAMP = ".collected-from"


def migrate() -> None:
    """Bring the database to the schema of this version."""
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        print(f"Preparing the database ({len(waiting)} migrations) ...", flush=True)  # noqa: T201
        call_command("migrate", interactive=False, verbosity=0)


def static_digest() -> str:
    """Return a digest of the names, sizes and times of all static files, and of the versions of what prepares them."""
    digest = hashlib.sha256(repr(static_files.versions()).encode())
    for module in (script_bundles, static_files):
        digest.update(Path(inspect.getfile(module)).read_bytes())
    for finder in get_finders():
        for name, storage in finder.list([]):
            about = os.stat(storage.path(name))
            digest.update(f"{name}\0{about.st_size}\0{about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def collect_static() -> None:
    """Hash and compress the static files if any has changed since the last start."""
    stamp = Path(settings.STATIC_ROOT) / STAMP
    now = static_digest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == now:
        return
    print("Collecting static files ...", flush=True)  # noqa: T201
    call_command("collectstatic", interactive=False, verbosity=0, clear=stamp.parent.exists())
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(now, encoding="ascii")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m config.startup")
    parser.add_argument("--address", required=True, help="address of the web server, for the sign-in links")
    parser.add_argument("--no-demo", action="store_true")
    parser.add_argument("--empty-demo", action="store_true", help="the demo without answers")
    given = parser.parse_args(arguments)
    links = None
    try:
        django.setup()
        check_schema(complete=False)
        links = Path(settings.VAR) / "links.txt"
        links.unlink(missing_ok=True)
        migrate()
        call_command("complete_imports")
        collect_static()
        if not given.no_demo and not settings.PRODUCTION:
            call_command("demo", address=given.address, links=str(links), empty=given.empty_demo)
            call_command("demo_scores")
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    except (CommandError, DatabaseError, OSError) as problem:
        sys.stderr.write(explain(problem) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
