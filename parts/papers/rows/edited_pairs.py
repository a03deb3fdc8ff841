"""Outputs that people edited, each with the output that it was edited from."""

import numpy as np

from agreement.arrays.rating_arrays import Ints
from annotation.models import Output
from annotation.pools import OF_COUNTED
from reports.figures.rows import CHUNK
from reports.figures.rows.compared_rows import OutputCodes


def edited_pairs(codes: OutputCodes) -> tuple[Ints, np.ndarray]:
    """The codes of each initial output and its edited version, (P, 2), and whether their texts are the same, (P,)."""
    outputs = Output.objects.filter(item__study=codes.rated.study, **OF_COUNTED).order_by()
    edited = outputs.exclude(edited_from="").values_list("pk", "item_id", "edited_from", "text")
    versions = {(item, initial, pk): text for pk, item, initial, text in edited.iterator(chunk_size=CHUNK)}
    if not versions:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=bool)
    keys = {initial for _, initial, _ in versions}
    initials = outputs.filter(key__in=keys, item__in=outputs.exclude(edited_from="").values("item"))
    known = {
        (item, key): (pk, text)
        for pk, item, key, text in initials.values_list("pk", "item_id", "key", "text").iterator(chunk_size=CHUNK)
    }
    found = [
        (known[item, initial][0], pk, known[item, initial][1] == text)
        for (item, initial, pk), text in sorted(versions.items())
        if (item, initial) in known
    ]
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return codes.of_pks(table[:, :2]).reshape(-1, 2), table[:, 2].astype(bool)
