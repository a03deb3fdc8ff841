"""Protocols and question types from other installed packages, which name them as entry points.

An entry point names an object, `package.module:OBJECT`, or a module that binds the object to the name of its kind.
Templates and static files of such a package are in the folders `templates` and `static` of its top package.
"""

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

QUESTION_TYPES = "interrater.question_types"
PROTOCOLS = "interrater.protocols"
GROUPS = (QUESTION_TYPES, PROTOCOLS)


def installed_kinds(group: str, name: str) -> Iterator[tuple[str, Any]]:
    """Yield where each kind of a group is from, and the kind; a module gives what it binds to `name`.

    Raises RuntimeError if a kind cannot be loaded or has no key.
    """
    for point in importlib.metadata.entry_points(group=group):
        origin = _origin(point)
        try:
            found = point.load()
        except (ImportError, AttributeError) as problem:
            raise RuntimeError(f"{origin} cannot be loaded: {problem}. Install or remove the package.") from problem
        kind = getattr(found, name, None) if isinstance(found, ModuleType) else found
        if kind is None:
            raise RuntimeError(f"{origin} names a module that must bind {name} to an instance of its class.")
        if not isinstance(getattr(kind, "key", None), str):
            raise RuntimeError(f"{origin} must be an instance with a key, not {kind!r}.")
        yield origin, kind


def package_folders(name: str) -> list[Path]:
    """Return the folders called `name` in the packages that have kinds. Imports none of them."""
    packages = {
        point.module.partition(".")[0] for group in GROUPS for point in importlib.metadata.entry_points(group=group)
    }
    found = []
    for package in sorted(packages):
        spec = importlib.util.find_spec(package)
        places = spec.submodule_search_locations if spec is not None else None
        found += [folder for place in places or () if (folder := Path(place) / name).is_dir()]
    return found


def _origin(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "a package"
    return f"The entry point {point.name!r} of {package} in {point.group} ({point.value})"
