"""Pages on which a single item is added, and on which an item of a draft is changed or removed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from accounts.audited_erasure import ErasureRefusedError
from annotation.access import RESEARCHERS, study_for
from annotation.models import Item, Study
from annotation.protocols import protocols
from annotation.studies.preparing_tasks import prepare_few, request_preparation
from files.entered.single_items import ItemInUseError, add_item, can_change, can_edit, change_item, remove_item
from files.reading import ImportRefusedError
from files.writing.study_lines import item_lines
from managing.access import item_for
from managing.uploads.item_forms import SingleItemForm, initial_of, output_forms

MORE_OUTPUTS = 3


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new_item(request: HttpRequest, slug: str) -> HttpResponse:
    """Add an item."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    forms = _Forms(request, study)
    if not forms.are_valid():
        return forms.page()
    try:
        add_item(study, forms.line(), person, forms.reason)
    except ImportRefusedError as refused:
        return forms.refuse(refused)
    if study.is_live and not prepare_few(study):
        request_preparation(study, person, goes_live=False)
    messages.success(request, f"Item {forms.line()['id']} was added.")
    return redirect("managing:new_item" if "another" in request.POST else "managing:upload", slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def edit_item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change an item of a draft."""
    person = person_of(request)
    item = item_for(person, slug, pk)
    [line] = item_lines(item.study, item.key)
    forms = _Forms(request, item.study, item, line)
    if not forms.are_valid():
        return forms.page()
    try:
        change_item(item, forms.line(), person)
    except ImportRefusedError as refused:
        return forms.refuse(refused)
    except (ItemInUseError, ErasureRefusedError) as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, "Saved.")
    return redirect("managing:edit_item", slug=slug, pk=pk)


@require_POST
@signed_in
def remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an item of a draft."""
    person = person_of(request)
    item = item_for(person, slug, pk)
    try:
        remove_item(item, person)
    except (ItemInUseError, ErasureRefusedError) as problem:
        messages.error(request, str(problem))
        return redirect("managing:edit_item", slug=slug, pk=pk)
    messages.success(request, f"Item {item.key} was removed.")
    return redirect("managing:upload", slug=slug)


class _Forms:
    """The form of an item and those of its outputs, as one request fills them."""

    def __init__(
        self, request: HttpRequest, study: Study, item: Item | None = None, line: Mapping[str, Any] | None = None
    ) -> None:
        self.request, self.study, self.item = request, study, item
        self.has_outputs = protocols()[study.protocol].files.needs_outputs
        data = request.POST if request.method == "POST" else None
        fields, outputs = initial_of(line or {})
        self.form = SingleItemForm(data, initial=fields, study=study, fixed_id=item is not None)
        self.adds_rows = data is not None and "more_outputs" in data
        self.outputs = output_forms(self._with_more_rows() if self.adds_rows else data, outputs)

    def _with_more_rows(self) -> Any:
        data = self.request.POST.copy()
        count = data.get("outputs-TOTAL_FORMS", "")
        data["outputs-TOTAL_FORMS"] = str((int(count) if count.isdecimal() else 0) + MORE_OUTPUTS)
        return data

    def are_valid(self) -> bool:
        """Whether a person sent the forms and each field can be read."""
        if not self.form.is_bound or self.adds_rows:
            return False
        fits = self.form.is_valid()
        return (not self.has_outputs and fits) or (self.outputs.is_valid() and fits)

    @property
    def reason(self) -> str:
        """Why a locked study is corrected."""
        return str(self.form.cleaned_data.get("reason", ""))

    def line(self) -> dict[str, Any]:
        """Return the item as a line of items.jsonl."""
        outputs = [one.line() for one in self.outputs.filled()] if self.has_outputs else []
        return {**self.form.line(), **({"outputs": outputs} if self.has_outputs else {})}

    def refuse(self, refused: ImportRefusedError) -> HttpResponse:
        """Return the page with the reasons at their fields."""
        filled: Sequence[Any] = self.outputs.filled() if self.has_outputs else []
        self.form.refuse(refused, filled)
        return self.page()

    def page(self) -> HttpResponse:
        context = {
            "study": self.study,
            "item": self.item,
            "form": self.form,
            "outputs": self.outputs if self.has_outputs else None,
            "editable": self.item is None or can_edit(self.study),
            "removable": self.item is not None and can_change(self.study),
        }
        status = 422 if self.form.is_bound and not self.adds_rows else 200
        return render(self.request, "managing/item_form.html", context, status=status)
