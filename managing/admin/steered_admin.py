"""The base of the admins whose rows researchers change."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from annotation.admin import StudyScopedAdmin
from managing.admin.confirmed_actions import REFUSALS, ConfirmedAction

NUMBER = re.compile("[0-9]{1,18}")


class SteeredForm(forms.ModelForm):
    """A form of the admin that shows why a verb refused what was posted."""

    refusal = ""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.refusal:
            self.add_error(None, self.refusal)
        return cleaned


class SteeredAdmin(StudyScopedAdmin):
    """Rows of the studies that this person runs, with actions that are confirmed and changes that are verbs.

    `save_model` of a subclass calls a verb. If the verb refuses, the form is shown again with the reason.
    """

    form = SteeredForm
    steps: tuple[ConfirmedAction, ...] = ()
    change_form_template = "admin/steered_change_form.html"

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        return {step.key: (step, step.key, step.label) for step in self.steps}

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *more: Any) -> HttpResponse | None:
        """As Django's; chosen rows that are no numbers, which no page of ours sends, are refused."""
        if not all(NUMBER.fullmatch(one) for one in request.POST.getlist("_selected_action")):
            messages.error(request, "Choose rows of the list.")
            return None
        return super().response_action(request, queryset, *more)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except REFUSALS as problem:
            request.refusal = str(problem)  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.refusal = getattr(request, "refusal", "")
        return form

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Model | None = None,
    ) -> HttpResponse:
        if obj is not None and not add:
            person, rows = person_of(request), self.get_queryset(request).filter(pk=obj.pk)
            context["steps"] = [
                step for step in self.steps if step.suits(obj) and rows.filter(step.allowed(person)).exists()
            ]
        return super().render_change_form(request, context, add, change, form_url, obj)
