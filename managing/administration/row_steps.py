"""Actions of the admin that call a verb of the pages once per chosen row, and the base of the lists that have them."""

from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from accounts.access import person_of
from accounts.models import Person
from annotation.access import studies_of
from annotation.admin import StudyScopedAdmin
from annotation.members.membership import MembershipRefusedError
from annotation.studies.batches import BatchRefusedError
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.locking import ImportPendingError
from annotation.studies.steered_items import ItemStepRefusedError
from judges.configuration import ConfigurationRefusedError
from managing.items.forms import first_error

MOST_ROWS, NAMED_ROWS = 500, 20
REFUSALS = (
    StudyRefusedError, MembershipRefusedError, BatchRefusedError, ConfigurationRefusedError, ImportPendingError,
    ItemStepRefusedError,
)  # fmt: skip
"""What verbs raise instead of a change. The message is a sentence for the person who asked."""
Given = Mapping[str, Any]


def in_roles(path: str, roles: Collection[str]) -> Callable[[Person], Q]:
    """The rows whose study, at `path`, is one in which a person has one of `roles`."""
    return lambda person: Q(**{f"{path}__in": studies_of(person, roles).values("pk")})


@dataclass(frozen=True)
class RowStep:
    """A verb as an action of a list.

    `take` changes one row. It returns False if there was nothing to change, and a sentence if something else happens
    first; it raises one of REFUSALS. `form` has the fields that the verb needs, as on the pages. `allowed` is the
    condition on rows for a person; the others are left out.
    """

    label: str
    allowed: Callable[[Person], Q]
    take: Callable[[Any, Person, Given], Any]
    form: type[forms.Form] = forms.Form
    most: int = MOST_ROWS
    do_not_call_in_templates: ClassVar[bool] = True

    def __call__(self, model_admin: Any, request: HttpRequest, chosen: QuerySet[Any]) -> None:
        """Take the step for each chosen row, each in a transaction of its own, and say what came of it."""
        person, form = person_of(request), self.form(request.POST)
        if not form.is_valid():
            messages.error(request, f"{self.label}: {first_error(form)}")
            return
        count = chosen.order_by().values("pk")[: self.most + 1].count()
        if count > self.most:
            messages.error(request, f"{self.label}: at most {self.most} rows at once. Use a filter or choose fewer.")
            return
        rows, done, refused = list(chosen.filter(self.allowed(person))), 0, []
        for row in rows:
            try:
                outcome = self.take(row, person, form.cleaned_data)
            except REFUSALS as problem:
                refused.append(f"{row}: {problem}")
            else:
                done += outcome is not False
                if isinstance(outcome, str):
                    messages.info(request, f"{self.label}: {row}: {outcome}")
        if done:
            noun = model_admin.opts.verbose_name if done == 1 else model_admin.opts.verbose_name_plural
            messages.success(request, f"{self.label}: {done} {noun}.")
        if unchanged := len(rows) - done - len(refused):
            messages.info(request, f"{self.label}: nothing to change in {unchanged}.")
        if count > len(rows):
            messages.warning(request, f"{self.label}: you may not do this with {count - len(rows)} of the chosen rows.")
        for sentence in refused[:NAMED_ROWS]:
            messages.error(request, f"{self.label}: {sentence}")
        if len(refused) > NAMED_ROWS:
            messages.error(request, f"{self.label}: {len(refused) - NAMED_ROWS} more were refused.")


class SteeredAdmin(StudyScopedAdmin):
    """Rows of the studies that this person runs, with verbs of the pages as actions.

    The rows themselves are read-only; *View on site* leads to the page that changes one.
    """

    steps: Mapping[str, RowStep] = {}

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {key: (step, key, step.label) for key, step in self.steps.items()}

    @cached_property
    def action_form(self) -> type[ActionForm]:
        """The bar above the list, with the fields of all steps. Each step reads its own and says what is missing."""
        fields = {name: field for step in self.steps.values() for name, field in step.form.base_fields.items()}
        return type("StepBar", (ActionForm,), {name: _optional(field) for name, field in fields.items()})


def _optional(field: forms.Field) -> forms.Field:
    field = deepcopy(field)
    field.required = False
    if isinstance(field.widget, forms.Textarea):
        field.widget = forms.TextInput(field.widget_attrs(forms.TextInput()))
    return field
