"""Rows of blinded studies as the admin shows them: read-only copies in which systems have codes for names.

Only what is known to name a system is renamed. A text that people write, such as a reason or a note, stays as it is
even if it is a system's name: its code would answer a guess. What may name systems anywhere in it is hidden.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db.models import ForeignKey, Model, Q, QuerySet
from django.db.models.query import ModelIterable
from django.utils.crypto import salted_hmac

from annotation.blinding import HIDDEN, answer_levels, is_blind, names_of, shown_options, shown_systems
from annotation.models import Item, Output, Study

ITEM_PATHS = (
    "item", "task__item", "output__item", "annotation__task__item", "rating__item", "assignment__task__item",
)  # fmt: skip
"""How a model's row may lead to its item; the first that exists counts."""
OF_CALLS = ("endpoint", "model_asked", "model_returned", "raw", "thinking", "detail")
"""What names the model of a call besides `model`."""
SAMPLE = 50
"""Items at either end of a study whose outputs name its systems, for rows that belong to no item."""
NAMING_KEYS = ("models", "pairs", "systems", "system", "winner", "baseline", "edited_from", "output", "outputs")
"""The keys of entries of the audit under which the program writes names of systems."""
DIGESTS = frozenset(
    {
        "digest",
        "unit",
        "machine_key",
        "payload_digest",
        "prompt_digest",
        "messages_digest",
        "request_digest",
    }
)
"""Columns with digests of what may be hidden."""
DIGEST = re.compile(r"[0-9a-f]{32,128}")
"""A digest, which people who guess what it is of can compute, if it has no key."""


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
                shown = BlindedStudy(study, systems_near((), [study]))
                for row in rows:
                    if row.study == study.slug:
                        row.old, row.new = (shown.change(one) for one in (row.old, row.new))
        return iter(rows)


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
    blinded = {pk: BlindedStudy(studies[pk], known) for pk in set(listed.values())}
    for row in rows:
        if row.pk in listed:
            blinded[listed[row.pk]].rename(row)


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


class BlindedStudy:
    """How rows of one blinded study are shown; `known` are the systems that they may name.

    Models say which of their columns name systems. `system_fields`: one system or model; `order_fields`: lists of
    systems; `value_fields` and `share_fields`: values of the row's level of measurement, or of its question's, and
    distributions over them; `answer_fields`: values by question; `variant_fields`: variants of tasks; `naming_fields`:
    JSON with NAMING_KEYS. And which are hidden: `model_fields`, which tell more about models or say anything, and
    `place_fields`, which tell the order of import. Digests of DIGESTS and of `digest_fields` are keyed.
    """

    def __init__(self, study: Study, known: frozenset[str]) -> None:
        self.study, self.known, self.names = study, known, names_of(study)

    @cached_property
    def levels(self) -> dict[str, str]:
        return answer_levels(self.study)

    @cached_property
    def levels_by_pk(self) -> dict[int, str]:
        return {pk: self.levels[key] for pk, key in self.study.questions.values_list("pk", "key")}

    def keyed(self, text: str) -> str:
        """What is shown of a digest: it tells equal ones, and nobody can compute it."""
        secret = self.study.code_secret
        return salted_hmac("annotation.blinded_rows", text, secret=secret, algorithm="sha256").hexdigest()

    def change(self, value: Any) -> Any:
        """What an entry of the audit says, without what it says about systems; digests are keyed."""
        if isinstance(value, Mapping) and value.get("systems"):
            value = {**value, "systems": HIDDEN}
        return self._keyed_in(self.names.beneath(value, NAMING_KEYS, self.known))

    def _keyed_in(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self._keyed_in(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._keyed_in(one) for one in value]
        return self.keyed(value) if isinstance(value, str) and DIGEST.fullmatch(value) else value

    def rename(self, row: Model) -> None:
        """Rename the systems in a row, which must not be saved."""
        if isinstance(row, Study):
            row.options, row.systems = shown_options(self.study), shown_systems(self.study)
            return
        here = row.__dict__
        self._rename_columns(row, here)
        if {"endpoint", "model"} <= here.keys():  # a call: both together are what a model is called
            here["model"] = self.names.shown(f"{here['endpoint']}/{here['model']}")
            here.update({name: HIDDEN for name in OF_CALLS if here.get(name)})
        for field in row._meta.concrete_fields:
            if field.attname not in here:
                continue
            if isinstance(field, ForeignKey):
                self._rename_related(row, field)
            elif field.name in DIGESTS or field.name in getattr(row, "digest_fields", ()):
                here[field.attname] = here[field.attname] and self.keyed(here[field.attname])

    def _rename_columns(self, row: Model, here: dict[str, Any]) -> None:
        level = here.get("level") or self.levels_by_pk.get(here.get("question_id", 0), "")
        names = self.names
        calls = {
            "system_fields": names.shown,
            "order_fields": names.listed,
            "value_fields": lambda value: names.value(level, value),
            "answer_fields": lambda value: names.answers(value, self.levels),
            "share_fields": lambda value: names.shares(level, value),
            "naming_fields": lambda value: names.beneath(value, NAMING_KEYS, self.known),
            "variant_fields": lambda value: names.known(value, self.known),
            "model_fields": lambda value: HIDDEN if value else value,
            "place_fields": lambda value: None,
        }
        for kind, call in calls.items():
            for name in getattr(row, kind, ()):
                if here.get(name) is not None:
                    here[name] = call(here[name])

    def _rename_related(self, row: Model, field: ForeignKey[Any, Any]) -> None:
        """Give a row's output its code, and what else it leads to that is of the same kind, such as another call."""
        if field.related_model is Output:
            output = getattr(row, field.name)
            if output is not None and not output.__dict__.get("_is_renamed"):
                output.key, output._is_renamed = self.names.shown(output.key), True
        elif field.related_model is type(row) and getattr(row, field.name) is not None:
            self.rename(getattr(row, field.name))
