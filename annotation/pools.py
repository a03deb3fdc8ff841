"""Pools of items: only items of the main pool have the study's tasks, are judged by machines, and count in figures.

A withdrawn item keeps its pool, tasks and answers, but counts as none of the others do. Copies that the
program made are in no list, count or file of the study, and neither are their answers.
"""

from collections.abc import Mapping
from functools import cache

from django.db.models import OuterRef, Q, QuerySet

from annotation.models import Item, Study
from config.parts import parts

MAIN, COPIES = "main", "copies"
COUNTED = {"pool": MAIN, "withdrawn_at": None}
"""The fields of an item that counts."""
OF_COUNTED = {f"item__{name}": value for name, value in COUNTED.items()}
"""The same for outputs and other rows of an item."""


@cache
def pools() -> Mapping[str, str]:
    """Return the pools that files and forms may name, with their titles: the study's own, and those of parts."""
    return {MAIN: "Main", **{pool: title for part in parts() for pool, title in part.pools.items()}}


def main_items(study: Study | OuterRef) -> QuerySet[Item]:
    """Return the items that count of a study, or of the study of an outer query."""
    return Item.objects.filter(study=study, **COUNTED)


def planned_items(study: Study | OuterRef) -> QuerySet[Item]:
    """Return the items that tasks are made for: withdrawn ones keep theirs, and their number in the order of import."""
    return Item.objects.filter(study=study, pool=MAIN)


def in_main_pool(study: Study, item: str = "item") -> Q:
    """Return the condition for rows of the study whose item counts; `item` is the way to the item.

    It names the few items that do not, so that a figure of millions of ratings needs no join.
    """
    others = Item.objects.filter(~Q(pool=MAIN) | Q(withdrawn_at__isnull=False), study=study)
    return ~Q(**{f"{item}__in": others.values("pk")})


def no_copies(study: Study | OuterRef, item: str = "item") -> Q:
    """Return the condition for rows of the study that belong to no copy; `item` is the way to the item.

    It names the copies, of which there are few, by the index of items that do not count.
    """
    copies = Item.objects.filter(~Q(pool=MAIN) | Q(withdrawn_at__isnull=False), study=study, pool=COPIES)
    return ~Q(**{f"{item}__in": copies.values("pk")})
