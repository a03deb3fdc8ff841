"""Values that the addresses and forms of the review pages name."""

from typing import Any

from django import forms
from django.http import HttpRequest

from annotation.models import Study
from annotation.studies import batches
from config.form_fields import WholeNumberField


class BatchForm(forms.Form):
    """The batch, counted from 1, that an address names."""

    batch = WholeNumberField(required=False, min_value=1)


class ReleaseForm(forms.Form):
    """The number of batches that the page showed as released, and the choice to release another despite open work."""

    released = WholeNumberField(required=False)
    anyway = forms.CharField(required=False)


class ReviewNumberForm(forms.Form):
    """The number of the last review that the page showed."""

    number = WholeNumberField()


def batch_of(request: HttpRequest, study: Study) -> int:
    """The released batch that the address names, counted from 0; else the last one, or 0 if none is released."""
    last = max(batches.released(study) - 1, 0)
    named = _given(BatchForm(request.GET)).get("batch")
    return named - 1 if named is not None and named - 1 <= last else last


def release_options(request: HttpRequest) -> tuple[int | None, bool]:
    """The number of batches that the page showed as released, or None; and whether to release another anyway."""
    given = _given(ReleaseForm(request.POST))
    return given.get("released"), given.get("anyway") == "yes"


def seen_number(request: HttpRequest) -> int:
    """The number of the last review that the page showed; -1, which is always stale, if it shows none."""
    number: int = _given(ReviewNumberForm(request.POST)).get("number", -1)
    return number


def _given(form: forms.Form) -> dict[str, Any]:
    """The fields that are valid."""
    form.is_valid()
    return form.cleaned_data
