"""Which units a run judges, and in which order their outputs are shown: equal arguments give equal units."""

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from django.db.models import Max, Min, QuerySet

from annotation.blinding import Names, drawing_names
from annotation.models import Item, Output, Study
from annotation.pools import main_items
from judges.configuration import ConfigurationRefusedError, RunConfiguration
from judges.protocol import JudgeProtocol
from judges.turn_units import turn_units
from judges.unit import PlannedUnit

AT_ONCE = 500
NO_REFERENCE = "No item has a reference by {}."


@dataclass(frozen=True)
class _KeyedItem:
    pk: int
    key: str
    outputs: tuple[tuple[int, str], ...]
    """Primary key and key of each, in the file's order; in a study that is or was blinded, in that of codes."""
    has_reference: bool
    """Whether it has a reference that the run names."""
    names: Names
    """How draws name the outputs: an order drawn from names would tell them to everybody who sees it."""


def planned_units(study: Study, configuration: RunConfiguration) -> Iterator[PlannedUnit]:
    """Yield the units of a run in the order of the items; with a `subset`, that many of them, drawn by the seed.

    Only items of the main pool have units. A pair that is judged in both orders counts once in a subset and yields both
    orders, one after the other.
    If the judge reads references, items without one that the run names have no units. Raises
    ConfigurationRefusedError if no item has such a reference, or none has the baseline system.
    """
    orders = 2 if in_both_orders(configuration) else 1
    count = None if configuration.subset is None else configuration.subset * orders
    return part_of(_all_units(study, configuration), count, configuration.seed)


def output_units(study: Study) -> Iterator[PlannedUnit]:
    """Yield every output of the main pool's items, in the order of the items."""
    for item in _items(study, None):
        yield from _single_outputs(item)


def part_of(units: Iterator[PlannedUnit], count: int | None, seed: int) -> Iterator[PlannedUnit]:
    """Return `count` of the units, drawn by the seed, in their order; all of them without a count."""
    if count is None:
        return units
    numbered = ((_draw(seed, unit), place, unit) for place, unit in enumerate(units))
    chosen = heapq.nsmallest(count, numbered, key=lambda one: one[:2])
    return (unit for _, _, unit in sorted(chosen, key=lambda one: one[1]))


def in_both_orders(configuration: RunConfiguration) -> bool:
    """Return whether a run judges each pair in both orders."""
    protocol = configuration.judge_protocol
    return protocol.unit == "pair" and protocol.both_orders(configuration.options)


def _draw(seed: int, unit: PlannedUnit) -> str:
    """Return what decides whether a unit belongs to the part; both orders of a pair are drawn together."""
    return hashlib.sha256(f"{seed}\0{unit.name}".encode()).hexdigest()


def some_units(study: Study, configuration: RunConfiguration, places: int, each: int) -> tuple[list[PlannedUnit], int]:
    """Return the units of items at `places` spread over the study, `each` of them there, and about how many there are.

    What this costs does not grow with the study, except by counting its items. Sessions are few, and all are read.
    """
    if configuration.judge_protocol.unit == "turn":
        units = list(turn_units(study, configuration))
        return units, len(units)
    items = main_items(study)
    count = items.count()
    if count <= places * each:
        units = list(_all_units(study, configuration))
        return units, len(units)
    ends = items.aggregate(low=Min("pk"), high=Max("pk"))
    starts = [ends["low"] + (ends["high"] - ends["low"]) * place // places for place in range(places)]
    read = {pk for low in starts for pk in items.filter(pk__gte=low).order_by("pk").values_list("pk", flat=True)[:each]}
    units = list(
        _units_of(_keyed(study, items.filter(pk__in=read).order_by("pk"), configuration), configuration, are_all=False)
    )
    return units, round(len(units) * count / len(read))


def _all_units(study: Study, configuration: RunConfiguration) -> Iterator[PlannedUnit]:
    if configuration.judge_protocol.unit == "turn":
        yield from turn_units(study, configuration)
        return
    needs_references = configuration.judge_protocol.needs_references(configuration.options)
    yield from _units_of(_items(study, configuration if needs_references else None), configuration, are_all=True)


def _units_of(items: Iterator[_KeyedItem], configuration: RunConfiguration, *, are_all: bool) -> Iterator[PlannedUnit]:
    """Yield the units of items; if these are all of the study, raise ConfigurationRefusedError where none fits."""
    protocol = configuration.judge_protocol
    needs_references = protocol.needs_references(configuration.options)
    has_baseline = has_reference = False
    for item in items:
        has_reference = has_reference or item.has_reference
        if needs_references and not item.has_reference:
            continue
        has_baseline = has_baseline or any(key == configuration.baseline for _, key in item.outputs)
        yield from _item_units(item, protocol, configuration)
    if are_all and needs_references and not has_reference:
        raise ConfigurationRefusedError(NO_REFERENCE.format(", ".join(configuration.references)), "references")
    if are_all and configuration.pairs == "baseline" and not has_baseline:
        raise ConfigurationRefusedError("No item has an output of the baseline system.", "baseline")


def _items(study: Study, naming: RunConfiguration | None) -> Iterator[_KeyedItem]:
    """Yield the items of a study; references are only loaded for a configuration that names some."""
    last = 0
    while True:
        items = list(_keyed(study, main_items(study).filter(pk__gt=last).order_by("pk")[:AT_ONCE], naming))
        if not items:
            return
        yield from items
        last = items[-1].pk


def _keyed(study: Study, items: QuerySet[Item], naming: RunConfiguration | None) -> Iterator[_KeyedItem]:
    """Yield these items with the keys of their outputs, in two queries."""
    names = drawing_names(study)
    rows = list(items.values_list("pk", "key", *(("references",) if naming else ())))
    outputs: dict[int, list[tuple[int, str]]] = {pk: [] for pk, *_ in rows}
    if rows:
        given = Output.objects.filter(item__in=list(outputs)).order_by("item", "position")
        for item, output, key in given.values_list("item", "pk", "key"):
            outputs[item].append((output, key))
    for pk, key, *references in rows:
        has_reference = naming is not None and any(naming.names_reference(one) for one in references[0] or ())
        own = sorted(outputs[pk], key=lambda one: str(names.shown(one[1]))) if names.are_codes else outputs[pk]
        yield _KeyedItem(pk, key, tuple(own), has_reference, names)


def _item_units(item: _KeyedItem, protocol: JudgeProtocol, configuration: RunConfiguration) -> Iterator[PlannedUnit]:
    keys = sorted((key for _, key in item.outputs), key=item.names.shown)
    if protocol.unit == "output":
        yield from _single_outputs(item)
    elif protocol.unit == "item":
        if len(keys) > 1:
            yield PlannedUnit(item.pk, item.key, _shuffled(configuration.seed, item.key, keys))
    else:
        for first, other in combinations(item.outputs, 2):
            if configuration.pairs == "baseline" and configuration.baseline not in (first[1], other[1]):
                continue
            yield from _pair_units(item, first, other, configuration)


def _single_outputs(item: _KeyedItem) -> Iterator[PlannedUnit]:
    for pk, key in item.outputs:
        yield PlannedUnit(item.pk, f"{item.key}\0{item.names.shown(key)}", (key,), pk)


def _pair_units(
    item: _KeyedItem,
    first: tuple[int, str],
    other: tuple[int, str],
    configuration: RunConfiguration,
) -> Iterator[PlannedUnit]:
    pair = {first[1]: first[0], other[1]: other[0]}
    name = "\0".join((item.key, *sorted(map(item.names.shown, pair))))
    order = _shuffled(configuration.seed, name, sorted(pair, key=item.names.shown))
    orders = [order, order[::-1]] if in_both_orders(configuration) else [order]
    for keys in orders:
        yield PlannedUnit(item.pk, name, keys, pair[keys[0]], pair[keys[1]])


def _shuffled(seed: int, name: str, keys: Sequence[str]) -> tuple[str, ...]:
    """Return keys in an order drawn from the seed and the unit's name, which does not change with other units."""
    drawn = list(keys)
    Random(f"{seed}\0{name}").shuffle(drawn)  # noqa: S311 - a balanced order, no secret
    return tuple(drawn)
