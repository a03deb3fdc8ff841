"""The texts of items and their outputs that derived tables hold, with systems called as researchers see them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from annotation.blinding import Names
from annotation.models import Item, Output

BATCH = 200
BETWEEN = "\n\n"
T = TypeVar("T")


@dataclass(frozen=True)
class ItemTexts:
    """An item's prompt and the texts of its outputs by system."""

    prompt: str
    outputs: dict[str, str]


def prompt_of(instruction: str, document: str) -> str:
    """The instruction, an empty line and the document, each exactly as the item has it; an empty one is left out."""
    return BETWEEN.join(part for part in (instruction, document) if part)


def texts_of(items: Collection[int], names: Names) -> dict[int, ItemTexts]:
    """The texts of items by primary key."""
    outputs: dict[int, dict[str, str]] = {item: {} for item in items}
    found = Output.objects.filter(item__in=items).order_by()
    for item, key, text in found.values_list("item", "key", "text"):
        outputs[item][names.shown(key)] = text
    rows = Item.objects.filter(pk__in=items).values_list("pk", "instruction", "document")
    return {pk: ItemTexts(prompt_of(instruction, document), outputs[pk]) for pk, instruction, document in rows}


def in_batches(rows: Iterable[T]) -> Iterator[list[T]]:
    """Rows in groups that are small enough to hold the texts of each."""
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        yield batch
