"""Actions of the admin on chosen rows: a page says how many rows they touch, and nothing happens before its button.

An action calls the verb of the pages once per row. Rows on which the person may not act are left out, whatever is
posted.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from accounts.access import person_of
from accounts.audited_erasure import ErasureRefusedError
from accounts.models import Person
from annotation.access import studies_of
from annotation.importing import ImportRefusedError
from annotation.members.membership import MembershipRefusedError
from annotation.studies.batches import BatchRefusedError
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.locking import ImportPendingError
from annotation.studies.single_items import ItemInUseError
from annotation.studies.steered_items import ItemStepRefusedError
from judges.configuration import ConfigurationRefusedError
from reports.exporting.folder_placement import ExportRefusedError

MOST_ROWS = 500
NAMED_ROWS = 20
PREFIX = "given"
REFUSALS = (
    StudyRefusedError, MembershipRefusedError, BatchRefusedError, ConfigurationRefusedError, ImportPendingError,
    ExportRefusedError, ImportRefusedError, ErasureRefusedError, ItemInUseError, ItemStepRefusedError,
)  # fmt: skip
"""What verbs raise instead of a change. The message is a sentence for the person who asked."""

Given = Mapping[str, Any]


def in_roles(path: str, roles: Collection[str]) -> Callable[[Person], Q]:
    """The rows whose study, at `path`, is one in which a person has one of `roles`."""

    def rows(person: Person) -> Q:
        return Q(**{f"{path}__in": studies_of(person, roles).values("pk")})

    return rows


def always(row: Any) -> bool:
    return True


@dataclass(frozen=True)
class ConfirmedAction:
    """A verb as an action of a list and as a button of each row's own page.

    `step` changes one row. It returns False if there was nothing to change, and a sentence if something else happens
    first; it raises one of REFUSALS. `allowed` is the condition on rows for a person; `suits` tells for which rows the
    button is shown.
    """

    key: str
    label: str
    explanation: str
    allowed: Callable[[Person], Q]
    step: Callable[[Any, Person, Given], Any]
    form: type[forms.Form] | None = None
    suits: Callable[[Any], bool] = always
    most: int = MOST_ROWS
    do_not_call_in_templates: ClassVar[bool] = True

    def __call__(
        self, model_admin: ModelAdmin, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        person = person_of(request)
        rows = list(queryset.filter(self.allowed(person))[: self.most + 1])
        problem = self.problem(rows)
        if problem:
            messages.error(request, problem)
            return None
        chosen = queryset.order_by().values("pk")[: self.most + 1].count()
        confirmed = request.POST.get("confirmed")
        form = self.form_for(person, rows, request.POST if confirmed else None)
        if confirmed == str(len(rows)) and (form is None or form.is_valid()):
            return self.run(model_admin, request, rows, {} if form is None else form.cleaned_data)
        if confirmed and confirmed != str(len(rows)):
            messages.warning(request, "The number of rows has changed. Nothing was done yet.")
        return self._confirmation(model_admin, request, rows, chosen - len(rows), form)

    def problem(self, rows: Sequence[Any]) -> str:
        """Why the action cannot be taken on these rows, for the page; empty if it can."""
        if not rows:
            return f"{self.label}: you may not do this with the chosen rows."
        if len(rows) > self.most:
            return f"{self.label}: at most {self.most} rows at once. Use a filter or choose fewer rows."
        return ""

    def form_for(self, person: Person, rows: Sequence[Any], posted: Given | None) -> forms.Form | None:
        """The form that the confirmation page asks to fill in; None if the action needs none."""
        return None if self.form is None else self.form(posted, prefix=PREFIX)

    def _confirmation(
        self, model_admin: ModelAdmin, request: HttpRequest, rows: Sequence[Any], left_out: int, form: forms.Form | None
    ) -> HttpResponse:
        context = {
            **model_admin.admin_site.each_context(request),
            "title": f"{self.label}: {len(rows)} {_noun(model_admin, len(rows))}",
            "opts": model_admin.opts,
            "action": self,
            "rows": rows[:NAMED_ROWS],
            "more": max(0, len(rows) - NAMED_ROWS),
            "count": len(rows),
            "left_out": left_out,
            "form": form,
            "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "checkbox": ACTION_CHECKBOX_NAME,
            "across": request.POST.get("select_across", "0"),
            "from_row": request.POST.get("from_row", ""),
            "back": _way_back(model_admin, request, rows) or request.get_full_path(),
        }
        status = 422 if form is not None and form.is_bound and not form.is_valid() else 200
        return TemplateResponse(request, "admin/confirm_action.html", context, status=status)

    def run(
        self, model_admin: ModelAdmin, request: HttpRequest, rows: Sequence[Any], given: Given
    ) -> HttpResponseBase | None:
        """Take the step for each row, each in its own transaction, and say what came of it."""
        person, done, refused, later = person_of(request), 0, [], 0
        for row in rows:
            try:
                outcome = self.step(row, person, given)
            except REFUSALS as problem:
                refused.append(f"{row}: {problem}")
            else:
                if isinstance(outcome, str):
                    later += 1
                    messages.info(request, f"{self.label}: {row}: {outcome}")
                else:
                    done += outcome is not False
        unchanged = len(rows) - done - len(refused) - later
        if done:
            messages.success(request, f"{self.label}: {done} {_noun(model_admin, done)}.")
        if unchanged:
            messages.info(request, f"{self.label}: nothing to change in {unchanged} {_noun(model_admin, unchanged)}.")
        for sentence in refused[:NAMED_ROWS]:
            messages.error(request, f"{self.label}: {sentence}")
        if len(refused) > NAMED_ROWS:
            messages.error(request, f"{self.label}: {len(refused) - NAMED_ROWS} more were refused.")
        address = _way_back(model_admin, request, rows)
        return redirect(address) if address else None


def _way_back(model_admin: ModelAdmin, request: HttpRequest, rows: Sequence[Any]) -> str:
    """The page of the row whose button was pressed; empty if the action came from the list, or the row is gone."""
    if not request.POST.get("from_row") or len(rows) != 1:
        return ""
    if not model_admin.get_queryset(request).filter(pk=rows[0].pk).exists():
        return ""
    meta = model_admin.opts
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[rows[0].pk])


def _noun(model_admin: ModelAdmin, count: int) -> str:
    meta = model_admin.opts
    return str(meta.verbose_name if count == 1 else meta.verbose_name_plural)
