"""Static files are served under names with a hash of their content, so browsers can cache them for ever."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from config.script_bundles import bundles

SCRIPTS = "js/"


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Hashed names, also inside the `import` statements of our own script modules; the script of a page is a bundle."""

    support_js_module_import_aggregation = True

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._addresses: dict[str, str] = {}

    def url(self, name: str | None, force: bool = False) -> str:
        """The address of a file; hashed names, once read, stay as they are as long as this process."""
        if name is None or force or settings.DEBUG:
            return str(super().url(name, force))
        if name not in self._addresses:
            self._addresses[name] = str(super().url(name))
        return self._addresses[name]

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Replace the scripts of pages by their bundles, then hash and compress as always."""
        scripts = {name: where for name, where in paths.items() if name.startswith(SCRIPTS) and name.endswith(".js")}
        sources = {name: _text(*where) for name, where in scripts.items()}
        made = InMemoryStorage()
        for name, text in bundles(sources).items():
            made.save(name, ContentFile(text.encode()))
            paths = {**paths, name: (made, name)}
        yield from super().post_process(paths, dry_run, **options)


def _text(storage: Storage, path: str) -> str:
    with storage.open(path) as file:
        return file.read().decode()
