"""Lists of the admin over tables of any size: rows of studies and exact searches that an index finds.

PostgreSQL knows nothing about a study that a subquery names, and then joins all rows before it takes a page of them. So
studies, raters and items are looked up first, and named in the query.
"""

from collections.abc import Collection, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Exists, Model, OuterRef, Q, QuerySet, Subquery

from annotation.models import Item, Rater, Study

Range = tuple[int, int]
MOST_NAMED = 500
"""Studies, raters and found rows that a query names."""


def named(rows: QuerySet[Any]) -> Any:
    """The primary keys of rows if they are few, otherwise a query of them."""
    found = list(rows.order_by().values_list("pk", flat=True)[: MOST_NAMED + 1])
    return found if len(found) <= MOST_NAMED else rows.order_by().values("pk")


def in_studies(model: type[Model], path: str, studies: Any) -> Q:
    """The condition on rows of `model`, whose study is at `path`, that they belong to `studies` (as of `named`).

    What hangs on raters is found by these raters; what hangs on items lies between the first and the last of them.
    """
    if not isinstance(studies, list):
        return Q(**{f"{path}__in": studies})
    before, _, last = path.rpartition("__")
    if before.rpartition("__")[2] == "rater" and last == "study":
        return Q(**{f"{before}__in": named(Rater.objects.filter(study__in=studies))})
    item = _item_of(model, before)
    if model is Item and len(studies) == 1:
        return Q(study__gte=studies[0], study__lte=studies[0])  # as in `ranges_of`
    ranges = ranges_of(studies) if item else []
    if not item or _are_apart(ranges):
        return Q(**{f"{path}__in": studies})
    return of_items(studies, ranges, item, path)


def _are_apart(ranges: Sequence[Range]) -> bool:
    """Whether most items between the first and the last of some studies may be those of other studies."""
    own = sum(last - first + 1 for first, last in ranges)
    return bool(ranges) and max(last for _, last in ranges) - min(ranges)[0] + 1 > 2 * own


def _item_of(model: type[Model], before: str) -> str:
    """The way from a model to its item, if it has one; `before` is that to the row which has the study."""
    if before.rpartition("__")[2] == "item":
        return before
    fields = {field.name: field for field in model._meta.concrete_fields}
    return "item" if not before and "item" in fields and not fields["item"].null else ""


def ranges_of(studies: Collection[int]) -> list[Range]:
    """The primary keys of the first and the last item of each of some studies that has items.

    With `=` the database would take the order of the primary key, and pass the items of all other studies.
    """
    items = Item.objects.filter(study__gte=OuterRef("pk"), study__lte=OuterRef("pk"))
    found = Study.objects.filter(pk__in=studies).values_list(
        Subquery(items.order_by("study_id", "pk").values("pk")[:1]),
        Subquery(items.order_by("-study_id", "-pk").values("pk")[:1]),
    )
    return [(first, last) for first, last in found if first is not None and last is not None]


def of_items(studies: Collection[int], ranges: Sequence[Range], item: str, path: str) -> Q:
    """The condition on rows, whose item is at `item` and whose study at `path`, that they belong to the studies' items.

    They lie between the first and the last of these, which an index finds. Each one's item is then looked up: with
    `IN`, SQLite would list all items of the studies first, and join them to sort them.
    """
    if not ranges:
        return Q(pk__in=[])
    first, last = min(one for one, _ in ranges), max(one for _, one in ranges)
    near = Q(**{f"{item}__gte": first, f"{item}__lte": last})
    if path != f"{item}__study":
        return near & Q(**{f"{path}__in": studies})
    return near & Q(Exists(Item.objects.filter(pk=OuterRef(item), study__in=studies, pk__gte=first, pk__lte=last)))


def exactly(model: type[Model], path: str, term: str, studies: Any) -> Q:
    """The condition on rows of `model` that the text at `path` is `term`; related rows are looked up first, by keys."""
    name, _, rest = path.partition("__")
    field: Any = model._meta.get_field(name)
    if not rest:
        try:
            return Q(**{name: field.to_python(term)})
        except ValidationError:  # no such key can exist
            return Q(pk__in=[])
    return Q(**{f"{name}__in": _found(field.related_model, rest, term, studies)})


def _found(model: type[Model], path: str, term: str, studies: Any) -> Collection[int]:
    rows = model._default_manager.filter(exactly(model, path, term, studies))
    if "__" not in path and any(field.name == "study" for field in model._meta.concrete_fields):
        rows = rows.filter(study__in=named(Study.objects.all()) if studies is None else studies)
    return list(rows.order_by().values_list("pk", flat=True)[:MOST_NAMED])
