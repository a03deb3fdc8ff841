"""Finds the kinds that have one module each: protocols, question types, kinds of background work.

A kind is an object with a known name in a module of a known folder of an app. To add one, add its module; there is
no list of them. In some folders, other installed packages may add kinds, too.
"""

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from django.conf import settings

from config.installed_kinds import installed_kinds


def _packages() -> list[str]:
    """The installed apps that are named by their packages, as all of ours are, and not by a class."""
    return [app for app in settings.INSTALLED_APPS if not app.rpartition(".")[2][:1].isupper()]


class Kinds(dict[str, Any]):
    """Kinds by their key; the error for an unknown key says what is missing."""

    def __init__(self, folder: str, found: Mapping[str, Any]) -> None:
        super().__init__(found)
        self.folder = folder

    def __missing__(self, key: str) -> Any:
        raise KeyError(f"None of {self.folder} has the key {key!r}: install the package that brings it.")


@cache
def discover(folder: str, name: str, in_each: bool = False, group: str = "") -> Mapping[str, Any]:
    """Return the objects called `name` in the modules of `<app>.<folder>`, by `key` and in the order of the keys.

    With `in_each` every module of the folder must have one. With a `group` of entry points, those of other packages are
    added. Raises RuntimeError if a module or an entry point has none, or for equal keys.
    """
    found: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, kind in (*_in_folders(folder, name, in_each), *(installed_kinds(group, name) if group else ())):
        if kind.key in found:
            raise RuntimeError(f"Two kinds of {folder} have the key {kind.key!r}: {origins[kind.key]} and {origin}.")
        found[kind.key], origins[kind.key] = kind, origin
    return MappingProxyType(Kinds(folder, dict(sorted(found.items()))))


@cache
def find_kind(folder: str, name: str, key: str, group: str = "") -> Any:
    """Return the kind of `discover` with this key, loading only its own module if that is called as the key is.

    Raises KeyError as the kinds of `discover` do.
    """
    for app in _packages() if key.isidentifier() else ():
        module = f"{app}.{folder}.{key}"
        if _is_there(module):
            kind = getattr(importlib.import_module(module), name, None)
            if kind is not None and kind.key == key:
                return kind
    return discover(folder, name, in_each=True, group=group)[key]


def _in_folders(folder: str, name: str, in_each: bool) -> Iterator[tuple[str, Any]]:
    """Yield the module's name and the object of each module that has one."""
    for app in _packages():
        package_name = f"{app}.{folder}"
        if not _is_there(package_name):
            continue
        package = importlib.import_module(package_name)
        for module_info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package_name}.{module_info.name}")
            kind = getattr(module, name, None)
            if kind is None:
                if in_each:
                    raise RuntimeError(f"{module.__name__} must bind {name} to an instance of its class.")
                continue
            yield module.__name__, kind


def _is_there(package: str) -> bool:
    """Whether a package can be imported; looking for it imports those that contain it, if they are there."""
    parts = package.split(".")
    return all(importlib.util.find_spec(".".join(parts[:end])) is not None for end in range(1, len(parts) + 1))
