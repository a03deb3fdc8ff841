"""Rows of blinded studies as the admin shows them: read-only copies in which systems have codes for names."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import CharField, ForeignKey, Model, Q, QuerySet, TextField
from django.db.models.query import ModelIterable

from annotation.blinding import HIDDEN, Names, is_blind, names_of, shown_options, shown_systems
from annotation.models import Item, Output, Study

ITEM_PATHS = (
    "item", "task__item", "output__item", "annotation__task__item", "rating__item", "assignment__task__item",
)  # fmt: skip
"""How a model's row may lead to its item; the first that exists counts."""
OF_CALLS = ("endpoint", "model_asked", "model_returned", "raw", "thinking", "detail")
"""What names the model of a call besides `model`.

Models of other apps name such columns of theirs: those in `system_fields` get the code of the system or model that they
name, and those in `model_fields`, which tell more about models, are hidden.
"""
SAMPLE = 50
"""Items at either end of a study whose outputs name its systems, for rows that belong to no item."""


class ShownRows(ModelIterable):
    """Reads rows of a queryset whose hints name the way to their study, and renames systems in them."""

    def __iter__(self) -> Iterator[Any]:
        rows = list(super().__iter__())
        show_codes(rows, self.queryset._hints["study_path"])  # type: ignore[attr-defined]
        return iter(rows)


def shown_rows(rows: QuerySet[Any], study_path: str) -> QuerySet[Any]:
    """The same rows, read as people who run blinded studies may see them. They must not be saved."""
    shown = rows._chain()  # type: ignore[attr-defined]
    shown._hints = {**shown._hints, "study_path": study_path}
    shown._iterable_class = ShownRows
    return shown


class ShownEntries(ModelIterable):
    """Reads entries of the audit, and renames the systems of blinded studies in them."""

    def __iter__(self) -> Iterator[Any]:
        rows = list(super().__iter__())
        slugs = {row.study for row in rows if row.study}
        for study in Study.objects.filter(slug__in=slugs, unblinding=None) if slugs else ():
            if is_blind(study):
                names, known = names_of(study), systems_near((), [study])
                for row in rows:
                    if row.study == study.slug:
                        row.subject = names.within(row.subject, known)
                        row.old, row.new = (names.within(_hidden(one), known) for one in (row.old, row.new))
        return iter(rows)


def _hidden(change: Any) -> Any:
    """A change of a study's settings without what it says about systems."""
    return {**change, "systems": HIDDEN} if isinstance(change, Mapping) and change.get("systems") else change


def shown_entries(entries: QuerySet[Any]) -> QuerySet[Any]:
    """The same entries of the audit, read as people who run blinded studies may see them. They must not be saved."""
    shown = entries._chain()  # type: ignore[attr-defined]
    shown._iterable_class = ShownEntries
    return shown


def show_codes(rows: Sequence[Model], study_path: str) -> None:
    """Rename systems in these rows of one model. One query if no study is blinded."""
    blind = [study for study in Study.objects.filter(unblinding=None) if is_blind(study)] if rows else []
    if not blind:
        return
    model = type(rows[0])
    of_blind = model._default_manager.filter(**{f"{study_path}__in": [one.pk for one in blind]})
    of_row = of_blind.filter(pk__in=[row.pk for row in rows])
    studies = {study.pk: study for study in blind}
    path = next((path for path in ITEM_PATHS if _leads(model, path)), None)
    listed = dict(of_row.values_list("pk", study_path))
    items = dict(of_row.values_list("pk", path)) if path and model is not Item else {}
    known = systems_near(set(items.values()) or set(), [studies[pk] for pk in set(listed.values())])
    for row in rows:
        if row.pk in listed:
            _rename(row, studies[listed[row.pk]], known)


def _leads(model: type[Model], path: str) -> bool:
    """Whether a path of foreign keys begins at a model."""
    for name in path.split("__"):
        field = next((one for one in model._meta.concrete_fields if one.name == name), None)
        if not isinstance(field, ForeignKey):
            return False
        model = field.related_model
    return True


def systems_near(items: Collection[Any], studies: Sequence[Study]) -> frozenset[str]:
    """The systems of these items, and of a sample of the studies' items: reads no more of a larger study."""
    found: set[str] = set()
    wanted = Q(item__in=[pk for pk in items if pk is not None])
    for study in studies:
        found |= set(study.systems) | set(study.options.get("models", ()))
        pks = Item.objects.filter(study=study).values_list("pk", flat=True)
        wanted |= Q(item__in=[*pks.order_by("pk")[:SAMPLE], *pks.order_by("-pk")[:SAMPLE]])
    return frozenset(found | set(Output.objects.filter(wanted).values_list("key", flat=True)))


def _rename(row: Model, study: Study, known: frozenset[str]) -> None:
    names = names_of(study)
    if isinstance(row, Study):
        row.options, row.systems = shown_options(study), shown_systems(study)
        return
    if isinstance(row, Output):
        row.key, row.edited_from = names.shown(row.key), names.shown(row.edited_from)
    for name in getattr(row, "system_fields", ()):
        row.__dict__.update({name: names.shown(row.__dict__[name])} if name in row.__dict__ else {})
    row.__dict__.update({name: HIDDEN for name in getattr(row, "model_fields", ()) if row.__dict__.get(name)})
    if {"endpoint", "model"} <= row.__dict__.keys():  # a call: both together are what a model is called
        row.__dict__["model"] = names.shown(f"{row.__dict__['endpoint']}/{row.__dict__['model']}")
        row.__dict__.update({name: HIDDEN for name in OF_CALLS if row.__dict__.get(name)})
    for field in row._meta.concrete_fields:
        if field.attname not in row.__dict__:
            continue
        if isinstance(field, ForeignKey):
            if field.related_model is Output:
                _rename_related(row, field, names)
            elif field.related_model is type(row) and getattr(row, field.name) is not None:
                _rename(getattr(row, field.name), study, known)  # such as the call whose reply was used again
        elif isinstance(row, Output) and field.name == "metadata":
            setattr(row, field.attname, HIDDEN if getattr(row, field.attname) else None)
        elif isinstance(field, CharField | TextField):
            setattr(row, field.attname, names.within(getattr(row, field.attname), known))


def _rename_related(row: Model, field: Any, names: Names) -> None:
    """Give a row's output its code."""
    output = getattr(row, field.name)
    if output is not None and not output.__dict__.get("_is_renamed"):
        output.key, output._is_renamed = names.shown(output.key), True
