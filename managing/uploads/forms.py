"""Forms of the pages on which items are uploaded."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import LONGEST_REASON, PlainText
from annotation.importing.line_reading import JSONInvalidError, parse_json
from annotation.importing.other_tools.conversion_choices import OUTPUTS, RATER, SEVERAL, SHOWS, SIDES
from annotation.importing.other_tools.tool_files import READ
from annotation.models import Study
from config.text_validation import LONGEST_ID
from managing.models import ItemUpload
from retrieval.forms import FilesField, FilesInput

TABLE = "What is in the file"
NO_FILE = "Choose a file."
HUGE = 2**62


class UploadForm(forms.Form):
    """A file of items or ratings, or several of a tool. Without scripts they are no larger than any other form."""

    table = forms.ChoiceField(label=TABLE, choices=ItemUpload.Table.choices, initial=ItemUpload.Table.ITEMS)
    file = FilesField(
        label="File",
        help_text="JSONL or CSV, saved as UTF-8, or files of another tool, those that belong together at once.",
        error_messages={"required": NO_FILE},
        widget=FilesInput(attrs={"accept": ",".join(sorted(READ))}),
    )

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


class ToolChoicesForm(forms.Form):
    """What a dry run has `asked` about ambiguous files of another tool: a field or two for each choice."""

    def __init__(self, *args: Any, asked: Sequence[Mapping[str, Any]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked = asked
        for number, choice in enumerate(asked):
            self.fields.update({f"{number}{end}": field for end, field in _fields_of(choice).items()})

    def rows(self) -> list[tuple[Mapping[str, Any], list[forms.BoundField]]]:
        """Return each choice with its fields."""
        return [
            (choice, [self[name] for name in self.fields if name.partition("-")[0] == str(number)])
            for number, choice in enumerate(self.asked)
        ]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for number, choice in enumerate(self.asked):
            left, right = data.get(f"{number}-left"), data.get(f"{number}-right")
            if choice["kind"] == SIDES and left and left == right:
                self.add_error(f"{number}-right", "Choose another field than on the left.")
            elif choice["kind"] == RATER and not (data.get(f"{number}-name") or data.get(f"{number}-several")):
                self.add_error(f"{number}-name", "Name the annotator.")
        return data

    def choices(self, earlier: Mapping[str, Any]) -> dict[str, Any]:
        """Return what has been decided, added to what was decided earlier, as the column of an upload has it."""
        data, made = self.cleaned_data, dict(earlier)
        for number, choice in enumerate(self.asked):
            kind, name = choice["kind"], choice["name"]
            if kind == OUTPUTS:
                made[kind] = data[f"{number}-fields"]
            elif kind == SIDES:
                made[kind] = {**made.get(kind, {}), name: [data[f"{number}-left"], data[f"{number}-right"]]}
            elif kind == SHOWS:
                made[kind] = {**made.get(kind, {}), name: data[f"{number}-field"]}
            else:
                rater = SEVERAL if data.get(f"{number}-several") else data[f"{number}-name"].strip()
                made[kind] = {**made.get(kind, {}), name: rater}
        return made


def _fields_of(choice: Mapping[str, Any]) -> dict[str, forms.Field]:
    """The fields of one choice, by the ends of their names."""
    name, options = choice["name"], [(one, one) for one in choice["options"]]
    some = [("", "Choose a field"), *options]
    match choice["kind"]:
        case kind if kind == SIDES:
            return {
                "-left": forms.ChoiceField(label=f"Shown left in {name}", choices=some),
                "-right": forms.ChoiceField(label=f"Shown right in {name}", choices=some),
            }
        case kind if kind == SHOWS:
            return {"-field": forms.ChoiceField(label=f"Field of {name}", choices=some)}
        case kind if kind == OUTPUTS:
            return {"-fields": forms.MultipleChoiceField(label="Fields that are judged", choices=options)}
    found: dict[str, forms.Field] = {
        "-name": PlainText(label=f"Annotator of {name}", max_length=LONGEST_ID, required=False, widget=forms.TextInput)
    }
    if choice["allows_several"]:
        label = "Each label is of another person, whose name is not known"
        found["-several"] = forms.BooleanField(label=label, required=False)
    return found
