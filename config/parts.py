"""The list of apps that add something to others, in the order in which they are asked."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from config.part import Part

if TYPE_CHECKING:
    from annotation.models import Study

OPTIONAL = (
    "second_stage",
    "routing",
    "mail",
    "checks",
    "webhooks",
    "papers",
    "preparing",
    "power",
    "other_tools",
    "trained_judge",
    "preregistration",
)
"""Features that an installation may leave out: each is the app `parts.<key>`."""
CORE = (
    "operating", "managing", "reports", "judges", "sessions", "recruiting", "retrieval", "llm", "annotation",
    "accounts",
)  # fmt: skip
"""Apps that are always installed; one comes before those it imports."""


def chosen_parts(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the keys of the parts that are installed: all for None, none for `none`.

    Raises ValueError, with a sentence, for a name that is no part.
    """
    wanted = OPTIONAL if names is None else tuple(names)
    if wanted == ("none",):
        return ()
    if unknown := sorted(set(wanted) - set(OPTIONAL)):
        raise ValueError(f"no part is called {', '.join(unknown)}. There are {', '.join(OPTIONAL)}")
    return tuple(key for key in OPTIONAL if key in wanted)


@cache
def parts_by_key() -> Mapping[str, Part]:
    """Return the optional parts that are installed, by key."""
    return {key: importlib.import_module(f"parts.{key}.part").PART for key in settings.PARTS}


def parts_of(study: Study) -> tuple[Part, ...]:
    """Return what adds to this study: the core's apps, and the parts that it declares. Kept per set of keys."""
    recruiting = (f"recruiting.{key}" for key, value in study.recruiting.items() if value)
    return _declared(frozenset((*recruiting, *study.options)))


@lru_cache(maxsize=1024)
def _declared(keys: frozenset[str]) -> tuple[Part, ...]:
    return tuple(part for part in parts() if not part.declared_by or not keys.isdisjoint(part.declared_by))


@cache
def parts() -> tuple[Part, ...]:
    """Return what each app adds: optional parts first."""
    core = (importlib.import_module(f"{app}.part").PART for app in CORE)
    return (*parts_by_key().values(), *core)
