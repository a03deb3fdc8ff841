"""The base of the admins whose rows researchers change."""

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from annotation.admin import StudyScopedAdmin
from annotation.importing import ImportRefusedError
from managing.administration.confirmed_actions import REFUSALS, ConfirmedAction

NUMBER = re.compile("[0-9]{1,18}")


def sentences(problem: Exception) -> tuple[str, ...]:
    """All that a verb's refusal says."""
    if not isinstance(problem, ImportRefusedError):
        return (str(problem),)
    more = (f"{problem.more} more problems.",) if problem.more else ()
    return (*(str(one) for one in problem.problems), *more)


class SteeredForm(forms.ModelForm):
    """A form of the admin that shows why a verb refused what was posted."""

    refusal: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        for sentence in self.refusal:
            self.add_error(None, sentence)
        return cleaned


class TextForm(SteeredForm):
    """A form whose fields are no fields of the row: a verb makes or changes the row from them."""

    def _post_clean(self) -> None:
        """Nothing: the verb checks what was posted."""


class SteeredAdmin(StudyScopedAdmin):
    """Rows of the studies that this person runs, with actions that are confirmed and changes that are verbs.

    `save_model` of a subclass calls a verb. If the verb refuses, the form is shown again with the reason.
    """

    form = SteeredForm
    add_form: type[TextForm] | None = None
    add_fields: tuple[str, ...] = ()
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
            request.refusal = sentences(problem)  # type: ignore[attr-defined]
        return super().changeform_view(request, object_id, form_url, extra_context)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return self.add_form is not None and self.has_module_permission(request)

    def text_form(self, request: HttpRequest, obj: Any) -> type[TextForm] | None:
        """The form that a verb reads, for this row or a new one; None for a form of the row's own fields."""
        return self.add_form if obj is None else None

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.add_fields if obj is None else super().get_fields(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else super().get_readonly_fields(request, obj)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        of_text = self.text_form(request, obj)
        if of_text is not None and (obj is None or self.has_change_permission(request, obj)):
            facts = {"person": person_of(request), "row": obj, "refusal": getattr(request, "refusal", ())}
            return forms.modelform_factory(self.model, form=type("OwnForm", (of_text,), facts), fields=[])
        form: Any = super().get_form(request, obj, change=change, **kwargs)
        form.refusal = getattr(request, "refusal", ())
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
