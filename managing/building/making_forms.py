"""Forms that make, duplicate and delete studies."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from annotation.forms import PlainText
from annotation.studies.slugs import proposed_slug
from files.import_problems import ImportRefusedError
from managing.uploads.other_formats import accepted, other_formats
from retrieval.forms import FilesField, FilesInput

LONGEST_TITLE = 300
STUDY_SUFFIXES = (".yaml", ".yml", ".json")
SLUG_HELP = "Names the study in addresses, files and commands. Lower case letters, digits and hyphens; empty: {}."
NO_TITLE = "Give the study a title."
OTHER_NAME = "This is not the name. Type {} to delete the study."


class MakingForm(forms.Form):
    """A form from which a study is made."""

    def tell(self, refused: ImportRefusedError) -> None:
        """Show the problems of a study that could not be made, each beside its field if it has one here."""
        for problem in refused.problems:
            if problem.field in self.fields:
                self.add_error(problem.field, f"This {problem.reason}.")
            else:
                self.add_error(None, str(problem))


class NamesForm(MakingForm):
    """The title and slug of a new study."""

    title = PlainText(
        label="Title", max_length=LONGEST_TITLE, widget=forms.TextInput(attrs={"data-title": "", "autofocus": True}),
        error_messages={"required": NO_TITLE}, help_text="Annotators see it. It can be changed later.",
    )  # fmt: skip
    slug = forms.CharField(
        label="Short name", max_length=100, required=False, help_text=SLUG_HELP.format("made from the title"),
        widget=forms.TextInput(attrs={"data-slug": "", "autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip

    def clean_title(self) -> str:
        title: str = self.cleaned_data["title"].strip()
        if not title:
            raise ValidationError(NO_TITLE)
        return title

    def names(self) -> dict[str, str]:
        """Return title and slug, the slug proposed from the title if it was left empty."""
        title = self.cleaned_data["title"]
        return {"title": title, "slug": self.cleaned_data["slug"] or proposed_slug(title)}


class DuplicateForm(NamesForm):
    with_items = forms.BooleanField(label="Copy the items, too", required=False, initial=True)


class StudyUploadForm(MakingForm):
    """A study file, with another slug than its own if wanted; or files in another format."""

    file = FilesField(label="File", widget=FilesInput(), error_messages={"required": "Choose a file."})
    slug = forms.CharField(
        label="Short name", max_length=100, required=False, help_text=SLUG_HELP.format("as in the file"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )  # fmt: skip

    is_other = False
    """Whether the file is in another format, as far as one can say without reading it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = other_formats().study_help
        self.fields["file"].widget.attrs["accept"] = accepted(STUDY_SUFFIXES)

    def clean_file(self) -> list[Any]:
        files: list[Any] = self.cleaned_data["file"]
        if len(files) > 1:
            self.is_other = True
            return files
        [file] = files
        begin = file.read(settings.LINE_LIMIT)
        file.seek(0)
        self.is_other = other_formats().is_other(file.name, file.size, begin)
        if not self.is_other and file.size > settings.LINE_LIMIT:
            raise ValidationError(f"The file is larger than {settings.LINE_LIMIT:,} bytes.")
        return files


class DeleteForm(forms.Form):
    """The name of the study, typed by somebody who wants to delete it."""

    name = forms.CharField(
        label="Short name of the study", widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Type the name of the study."},
    )  # fmt: skip

    def __init__(self, *args: Any, slug: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = slug

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.slug:
            raise ValidationError(OTHER_NAME.format(self.slug))
        return name
