"""The list of apps that add something to others, in the order in which they are asked."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property, lru_cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.part import Part

if TYPE_CHECKING:
    from annotation.desk.part_tasks import StepsBeforeTasks, TaskSearch
    from annotation.models import Study

OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "rater_messages": (),
    "second_stage": ("adjudication",),
    "routing": ("routing",),
    "mail": ("mail",),
    "sign_on": (),
    "checks": ("recruiting.checks",),
    "dry_runs": ("dry_run",),
    "crowds": ("recruiting.recruiter", "recruiting.public_link", "recruiting.guest_tokens"),
    "webhooks": (),
    "papers": (),
    "datasets": (),
    "preparing": (),
    "stopping": ("stopping",),
    "power": (),
    "other_tools": (),
    "trained_judge": (),
    "preregistration": (),
    "way_in": ("recruiting.steps", "recruiting.on_withdrawal"),
}
"""Features that an installation may leave out: each is the app `parts.<key>`.

Beside it the keys of `study.yaml`, such as `stopping` or `recruiting.checks`, by which a study declares it: a study
without any of them costs the part nothing, and one with some is refused if the part is not installed. Without keys,
every study uses the part.
"""
ENTRY_POINTS = "interrater.parts"
"""The group of entry points by which other packages add parts: a key, and the app that has its `part` and this label.

A study declares such a part by the sections that it reads.
"""
WHOLE_DATA = frozenset({"backup", "dated_backup", "restore", "checkdata", "canonical_export", "bundle", "migrate"})
"""Commands that make, read or write all tables, or everything of a study, and so run with all parts."""
CORE = (
    "operating", "api", "managing", "reports", "judges", "sessions", "retrieval", "llm", "files", "annotation",
    "accounts",
)  # fmt: skip
"""Apps that are always installed; one comes before those it imports."""


@cache
def part_apps() -> Mapping[str, str]:
    """Return the apps of all parts by key: our own, then those that other packages add."""
    app_by_key = {key: f"parts.{key}" for key in OPTIONAL}
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        if entry.name in app_by_key:
            raise ImproperlyConfigured(f"The package of {entry.value} adds a part {entry.name}, but there is one.")
        app_by_key[entry.name] = entry.value
    return app_by_key


def chosen_parts(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the keys of the parts that are installed: all for None, none for `none`.

    Raises ValueError, with a sentence, for a name that is no part.
    """
    known = tuple(part_apps())
    wanted = known if names is None else tuple(names)
    if wanted == ("none",):
        return ()
    if unknown := sorted(set(wanted) - set(known)):
        raise ValueError(f"no part is called {', '.join(unknown)}. There are {', '.join(known)}")
    return tuple(key for key in known if key in wanted)


@cache
def parts_by_key() -> Mapping[str, Part]:
    """Return the optional parts that are installed, by key."""
    found: dict[str, Part] = {key: importlib.import_module(f"{part_apps()[key]}.part").PART for key in settings.PARTS}
    for key, part in found.items():
        if missing := [needed for needed in part.needs if needed not in found]:
            raise ImproperlyConfigured(f"PARTS has {key}, which needs {', '.join(missing)}.")
    return found


def absent_part(key: str) -> str | None:
    """Return the part that reads this key of `study.yaml` and is not installed, or None.

    Of parts from other packages only those are known that are called as their section.
    """
    keys_of = ((part, OPTIONAL.get(part, (part,))) for part in part_apps())
    return next((part for part, keys in keys_of if key in keys and part not in settings.PARTS), None)


def absent_parts_of(study: Study) -> list[str]:
    """Return the parts that the study declares and that are not installed."""
    return sorted({part for key in declared_keys(study) if (part := absent_part(key)) is not None})


def declared_keys(study: Study) -> frozenset[str]:
    """Return the keys of `study.yaml` by which the study may declare parts."""
    recruiting = (f"recruiting.{key}" for key, value in study.recruiting.items() if value)
    return frozenset((*recruiting, *study.options))


class StudyParts(tuple[Part, ...]):
    """What adds to a study, in the order in which it is asked, and whom of them the path of an answer asks."""

    @cached_property
    def steps(self) -> StepsBeforeTasks | None:
        """The steps that raters take before their first task, if a part has some."""
        return next((part.steps for part in self if part.steps is not None), None)

    @cached_property
    def search(self) -> TaskSearch | None:
        """The search that replaces the core's, if a part has one."""
        return next((part.search for part in self if part.search is not None), None)

    @cached_property
    def mixing(self) -> tuple[Part, ...]:
        """The parts that mix tasks among those of the study."""
        return tuple(part for part in self if part.mixes_tasks)

    @cached_property
    def following(self) -> tuple[Part, ...]:
        """The parts that follow answers, in the transaction of the answer."""
        return tuple(part for part in self if type(part).after_answer is not Part.after_answer)


def parts_of(study: Study) -> StudyParts:
    """Return what adds to this study: the core's apps, and the parts that it declares. Kept per set of keys."""
    return _declared(declared_keys(study))


@lru_cache(maxsize=1024)
def _declared(keys: frozenset[str]) -> StudyParts:
    return StudyParts((*(part for key, part in parts_by_key().items() if _is_used(key, part, keys)), *_core()))


def _is_used(key: str, part: Part, declared: Collection[str]) -> bool:
    """Whether a study that declares these keys uses a part; one without keys is used by all."""
    own = OPTIONAL[key] if key in OPTIONAL else [section.key for section in part.sections]
    return not own or any(name in declared for name in own)


@cache
def _core() -> tuple[Part, ...]:
    return tuple(importlib.import_module(f"{app}.part").PART for app in CORE)


@cache
def parts() -> tuple[Part, ...]:
    """Return what each app adds: optional parts first."""
    return (*parts_by_key().values(), *_core())


@cache
def figureless_actions() -> frozenset[str]:
    """Return the actions of the audit by which parts change no count and no figure."""
    return frozenset(action for part in parts() for action in part.figureless_actions)
