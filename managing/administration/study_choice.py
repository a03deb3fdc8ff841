"""The choice of a study on a form of the admin: only studies that the person runs."""

from typing import Any

from django import forms

from accounts.models import Person
from annotation.access import RESEARCHERS, studies_of
from annotation.models import Study
from managing.administration.steered_admin import TextForm

MOST_OFFERED = 500


class StudyChoiceForm(TextForm):
    """A form whose first field is a study, newest first."""

    person: Person

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        newest = studies_of(self.person, RESEARCHERS).order_by("-pk").values_list("pk", flat=True)[:MOST_OFFERED]
        self.fields["study"] = forms.ModelChoiceField(Study.objects.filter(pk__in=list(newest)).order_by("-pk"))
        self.order_fields(["study"])
