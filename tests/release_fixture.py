"""What every later version must still read: a database of each kind as a release left it, and what it exported.

    python -m tests.release_fixture tests/fixtures/0.1

makes the fixture of a release from `tests.filled`. It needs `pg_dump` and the right to create databases on
TEST_POSTGRES_URL (by default the one of `make test`).
"""

import gzip
import io
import os
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from tests.house import ROOT

SERVER = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
SET_UP = (
    "import sys, django; django.setup(); from pathlib import Path; from django.core.management import call_command\n"
)
MIGRATE = "call_command('migrate', verbosity=0); call_command('check', databases=['default'], fail_level='WARNING')\n"
FILL = "from tests.filled import fill; fill(Path(sys.argv[1]) / 'studies')\n"
EXPORT = """
from annotation.models import Study
from files.writing import export_study
for study in Study.objects.all():
    export_study(study, Path(sys.argv[1]) / "out" / study.slug)
"""


def run(code: str, url: str, folder: Path, settings: str = "config.settings") -> None:
    """Run `code` in a process of its own on the database at `url`, with `folder` as its argument; fail if it fails.

    Modules in `folder` can be imported, those of `settings` too.
    """
    environment = {
        **os.environ, "DATABASE_URL": url, "VAR": str(folder / "var"), "DJANGO_SETTINGS_MODULE": settings,
        "PYTHONPATH": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SET_UP + code, str(folder)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr)


def exported(folder: Path) -> dict[str, bytes]:
    """The files that EXPORT left in `folder`, by their names, which begin with the study's slug."""
    files = (path for path in (folder / "out").rglob("*") if path.is_file())
    return {path.relative_to(folder / "out").as_posix(): path.read_bytes() for path in sorted(files)}


@contextmanager
def new_database(kind: str, folder: Path) -> Iterator[str]:
    """Yield the URL of a new, empty database of this kind, which is dropped afterwards."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'release.sqlite3'}"
        return
    name = f"release_{os.getpid()}"
    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def dump(kind: str, url: str, folder: Path) -> bytes:
    """The database as one file: SQLite's own, or SQL that needs no psql."""
    if kind == "sqlite":
        copy = folder / "copy.sqlite3"
        with closing(sqlite3.connect(folder / "release.sqlite3")) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return copy.read_bytes()
    command = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
    sql = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Newer versions of pg_dump put commands of psql around the SQL.
    return re.sub(r"^\\.*\n", "", sql, flags=re.MULTILINE).encode()


def load(kind: str, dumped: bytes, url: str, folder: Path) -> None:
    """Fill the new database at `url` with what `dump` returned."""
    if kind == "sqlite":
        (folder / "release.sqlite3").write_bytes(dumped)
        return
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(dumped.decode(), prepare=False)


def kept(release: Path, kind: str) -> tuple[bytes, dict[str, bytes]]:
    """The dumped database of a release's fixture, and its exported files."""
    with tarfile.open(release / f"{kind}-exports.tar.gz") as archive:
        files = {one.name: archive.extractfile(one).read() for one in archive.getmembers()}
    return gzip.decompress((release / f"{kind}.gz").read_bytes()), files


def make(release: Path) -> None:
    """Write the fixture of a release: for each kind of database `<kind>.gz` and `<kind>-exports.tar.gz`."""
    release.mkdir(parents=True, exist_ok=True)
    for kind in ("sqlite", "postgresql"):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            with new_database(kind, folder) as url:
                run(MIGRATE + FILL + EXPORT, url, folder)
                files = exported(folder)
                (release / f"{kind}.gz").write_bytes(gzip.compress(dump(kind, url, folder), mtime=0))
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for name, content in files.items():
                about = tarfile.TarInfo(name)
                about.size = len(content)
                archive.addfile(about, io.BytesIO(content))
        (release / f"{kind}-exports.tar.gz").write_bytes(gzip.compress(packed.getvalue(), mtime=0))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
