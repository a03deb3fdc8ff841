"""Forms of the pages on which items are uploaded."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import LONGEST_REASON, PlainText
from annotation.models import Study
from files.line_reading import JSONInvalidError, parse_json
from managing.models import ItemUpload
from managing.uploads.other_formats import OURS, accepted, other_formats
from retrieval.forms import FilesField, FilesInput

TABLE = "What is in the file"
NO_FILE = "Choose a file."
HUGE = 2**62


class UploadForm(forms.Form):
    """A file of items or ratings, or several in another format. Without scripts they are no larger than any form."""

    table = forms.ChoiceField(label=TABLE, choices=ItemUpload.Table.choices, initial=ItemUpload.Table.ITEMS)
    file = FilesField(label="File", error_messages={"required": NO_FILE}, widget=FilesInput())

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        formats = other_formats()
        self.fields["file"].help_text = formats.upload_help
        self.fields["file"].widget.attrs["accept"] = accepted(OURS)
        if study.status != Study.Status.DRAFT or not formats.suffixes:  # only other formats bring questions
            offered = [one for one in ItemUpload.Table.choices if one[0] != ItemUpload.Table.STUDY]
            self.fields["table"] = forms.ChoiceField(label=TABLE, choices=offered, initial=ItemUpload.Table.ITEMS)


class AnnouncedForm(forms.Form):
    """A file that a script will send in parts."""

    table = forms.ChoiceField(choices=ItemUpload.Table.choices)
    name = forms.CharField(max_length=1000)
    size = forms.IntegerField(min_value=0, max_value=HUGE)
    several = forms.CharField(required=False, max_length=100_000)

    def clean_several(self) -> list[tuple[str, int]]:
        """The names and sizes of several files, as JSON."""
        text = self.cleaned_data["several"]
        try:
            listed = parse_json(text) if text else []
        except JSONInvalidError as problem:
            raise ValidationError(str(problem)) from None
        if not isinstance(listed, list) or not all(map(_is_announced, listed)):
            raise ValidationError("must be a list of names and sizes")
        return [(name, size) for name, size in listed]

    def announced(self) -> dict[str, Any]:
        """Return what `receiving.begin_upload` and `continue_upload` are told about the file."""
        data = dict(self.cleaned_data)
        return {"files": data.pop("several"), **data}


def _is_announced(pair: Any) -> bool:
    """Whether a value is the name and the size of a file."""
    is_pair = isinstance(pair, list) and len(pair) == 2
    return is_pair and isinstance(pair[0], str) and 0 < len(pair[0]) <= 1000 and type(pair[1]) is int


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
