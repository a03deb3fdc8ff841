"""Static files are served under names with a hash of their content, so browsers can cache them for ever.

They are made small when they are collected: scripts in one file per page and without what only people read, and all
compressed by gzip, those that are not the admin's by Brotli, too.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, Storage
from django.core.management import CommandError
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.script_bundles import bundles

MINIFIER = "tdewolff-minify"
PREPARED_BY = ("django", "whitenoise", "brotli", MINIFIER)
"""The packages that change files when they are collected."""
SCRIPTS = "js/"
ADMIN = "admin/"


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Names with a hash; the script of a page is a bundle, and modules that only scripts import are not served."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._addresses: dict[str, str] = {}
        self._uses_brotli = True

    def url(self, name: str | None, force: bool = False) -> str:
        """The address of a file; hashed names, once read, stay as they are as long as this process."""
        if name is None or force or settings.DEBUG:
            return str(super().url(name, force))
        if name not in self._addresses:
            self._addresses[name] = str(super().url(name))
        return self._addresses[name]

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Replace all scripts by those of pages, bundled and without what only people read; then hash and compress."""
        scripts = {name for name in paths if name.startswith(SCRIPTS) and name.endswith(".js")}
        made, minified = InMemoryStorage(), _minifier()
        for name, text in bundles({name: _text(*paths[name]) for name in scripts}).items():
            made.save(name, ContentFile(minified(name, text).encode()))
        others = {name: where for name, where in paths.items() if name not in scripts}
        bundled = {name: (made, name) for name in sorted(scripts) if made.exists(name)}
        yield from super().post_process(others | bundled, dry_run, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[Any]:
        """Compress by gzip and Brotli. Brotli takes thirty times as long, so the admin's many files are left out."""
        paths = sorted(paths)
        for self._uses_brotli in (True, False):
            chosen = [path for path in paths if path.startswith(ADMIN) != self._uses_brotli]
            yield from super().compress_files(chosen)

    def create_compressor(self, **options: Any) -> Compressor:
        return Compressor(**options, use_brotli=self._uses_brotli)


def versions() -> dict[str, str]:
    """The versions of the packages that prepare files, without those that are not installed."""
    found = {}
    for name in PREPARED_BY:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _text(storage: Storage, path: str) -> str:
    with storage.open(path) as file:
        return file.read().decode()


def _minifier() -> Callable[[str, str], str]:
    """What makes a script, given by name and text, smaller: by its own parser, with short names inside.

    Without its package, scripts stay as they are. It is imported here, because it brings a runtime of its own (Go's),
    which only a process that collects may need.
    """
    if MINIFIER not in versions():
        return lambda name, text: text
    minify = import_module("minify")

    def minified(name: str, text: str) -> str:
        try:
            return str(minify.string("text/javascript", text))
        except minify.MinifyError as problem:
            raise CommandError(f"{name} cannot be read: {problem}") from problem

    return minified
