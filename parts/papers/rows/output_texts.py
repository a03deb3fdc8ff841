"""The texts of chosen outputs, read one item after the other."""

from collections.abc import Collection, Iterator
from itertools import groupby

from annotation.models import Output
from annotation.pools import OF_COUNTED
from reports.figures.rows import CHUNK
from reports.figures.rows.rated_items import RatedItems


def texts_by_item(
    rated: RatedItems, systems: Collection[str], items: Collection[int] | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """The code of each item with an output of these systems, and their texts by system; `items` are codes, all if None.

    Items are in the order of import.
    """
    outputs = Output.objects.filter(item__study=rated.study, **OF_COUNTED).order_by("item_id", "pk")
    if not rated.names.are_codes:
        outputs = outputs.filter(key__in=systems)
    wanted = None if items is None else frozenset(items)
    keys = rated.items.tolist()
    code = {pk: place for place, pk in enumerate(keys) if wanted is None or place in wanted}
    if wanted is not None:
        outputs = outputs.filter(item__in=list(code))
    rows = outputs.values_list("item_id", "key", "text").iterator(chunk_size=CHUNK)
    named = ((item, rated.names.shown(key), text) for item, key, text in rows)
    listed = (row for row in named if row[1] in systems)
    for item, own in groupby(listed, key=lambda row: row[0]):
        yield code[item], {key: text for _, key, text in own}
