"""Forms of the pages on which items are uploaded."""

from typing import Any

from django import forms

from annotation.forms import LONGEST_REASON, PlainText
from annotation.models import Study
from managing.models import ItemUpload

TABLE = "What is in the file"
NO_FILE = "Choose a file."
HUGE = 2**62


class UploadForm(forms.Form):
    """A file of items or ratings. Without scripts it is sent whole, and may not be larger than any other form."""

    table = forms.ChoiceField(label=TABLE, choices=ItemUpload.Table.choices, initial=ItemUpload.Table.ITEMS)
    file = forms.FileField(
        label="File", help_text="JSONL or CSV, saved as UTF-8, or a file of another tool.",
        error_messages={"required": NO_FILE},
        widget=forms.FileInput(attrs={"accept": ".jsonl,.csv,.json"}),
    )  # fmt: skip

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if study.status != Study.Status.DRAFT:  # its questions stay
            offered = [one for one in ItemUpload.Table.choices if one[0] != ItemUpload.Table.STUDY]
            self.fields["table"] = forms.ChoiceField(label=TABLE, choices=offered, initial=ItemUpload.Table.ITEMS)


class AnnouncedForm(forms.Form):
    """A file that a script will send in parts."""

    table = forms.ChoiceField(choices=ItemUpload.Table.choices)
    name = forms.CharField(max_length=1000)
    size = forms.IntegerField(min_value=0, max_value=HUGE)


class ContinuedForm(AnnouncedForm):
    """A file of which a part has arrived: how much, and the CRC-32 of as many bytes of the chosen file."""

    received = forms.IntegerField(min_value=1, max_value=HUGE)
    checksum = forms.IntegerField(min_value=0, max_value=2**32 - 1)


class ImportForm(forms.Form):
    """Why a locked study is corrected by an import."""

    reason = PlainText(label="Reason", max_length=LONGEST_REASON, required=False)


class PartForm(forms.Form):
    """Where a part begins in its file."""

    offset = forms.IntegerField(min_value=0, max_value=HUGE)
