"""The list of apps that add something to others, in the order in which they are asked."""

import importlib
from functools import cache

from config.part import Part

CORE = (
    "operating", "webhooks", "managing", "reports", "preparing", "judges", "sessions", "recruiting", "retrieval", "llm",
    "annotation", "accounts",
)  # fmt: skip
"""Apps that are always installed; one comes before those it imports."""


@cache
def parts() -> tuple[Part, ...]:
    """Return what each app adds."""
    return tuple(importlib.import_module(f"{app}.part").PART for app in CORE)
