"""How the parts that come one a module (protocols, question types, judges) are found.

A part is an object bound to a known name in a module of a known folder of an installed app. Adding one
is adding its module: no list of them stands anywhere.
"""

import importlib
import importlib.util
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from django.conf import settings


@cache
def discover(folder: str, name: str) -> Mapping[str, Any]:
    """The objects called `name` in the modules of `<app>.<folder>`, by their `key`, in the order of their keys."""
    found: dict[str, Any] = {}
    for app in settings.INSTALLED_APPS:
        package_name = f"{app}.{folder}"
        if importlib.util.find_spec(app) is None or importlib.util.find_spec(package_name) is None:
            continue
        package = importlib.import_module(package_name)
        for module_info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package_name}.{module_info.name}")
            part = getattr(module, name, None)
            if part is None:
                continue
            if part.key in found:
                raise RuntimeError(f"Two modules of {folder} have the key {part.key!r}.")
            found[part.key] = part
    return MappingProxyType(dict(sorted(found.items())))
