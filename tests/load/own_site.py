"""A whole site of its own, for commands that open it in a browser: a database, bundled scripts and a web server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management import call_command

from tests.load.server import Server, environment


@contextmanager
def own_site(folder: Path) -> Iterator[Server]:
    """Set up Django in this process on a new SQLite database in `folder`; yield its server.

    The server is not started yet, so that rows can be made first.
    """
    env = environment(f"sqlite:///{folder / 'site.sqlite3'}", folder)
    os.environ.update(env, DJANGO_ALLOW_ASYNC_UNSAFE="true")  # the browser's driver runs an event loop in our thread
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    server = Server(env)
    try:
        yield server
    finally:
        server.end()
