"""Forms of the pages about papers."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from annotation.forms import PlainText
from config.text_validation import LONGEST_ID, TextRefusedError, check_id
from retrieval.paper_formats import SUFFIXES, check_file
from retrieval.search_errors import PaperError

LONGEST_QUERY = 5000
LONGEST_QUESTION = 20_000
MOST_HITS = 50
TOO_LARGE = "The files are larger than {} MB together. Choose fewer or smaller files."


class FilesInput(forms.FileInput):
    """A control for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files; an error names the file."""

    widget = FilesInput
    too_large = False
    """Set if the request was too large, so that its files were not received."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        if self.too_large:
            raise ValidationError(TOO_LARGE.format(settings.UPLOAD_BYTES // 2**20))
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            raise ValidationError(self.error_messages["required"], code="required")
        return [super(FilesField, self).clean(file, initial) for file in files]


class PapersForm(forms.Form):
    """A question with its papers, which becomes an item once a worker has read them."""

    key = PlainText(
        label="Id", max_length=LONGEST_ID, widget=forms.TextInput,
        help_text="The question's id in files, such as q17. It cannot be changed later.",
    )  # fmt: skip
    question = PlainText(label="Question", max_length=LONGEST_QUESTION, widget=forms.Textarea(attrs={"rows": 3}))
    papers = FilesField(
        label="Papers", widget=FilesInput(attrs={"accept": ",".join(SUFFIXES)}), allow_empty_file=True,
        error_messages={"required": "Choose at least one file."},
    )  # fmt: skip

    def __init__(self, *args: Any, length: int = 0, **kwargs: Any) -> None:
        """`length` is the size of the request: files that are too large together are not received."""
        super().__init__(*args, **kwargs)
        field = self.fields["papers"]
        field.help_text = (
            f"PDF, Markdown, text or JSON; at most {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files, "
            f"{settings.UPLOAD_BYTES // 2**20} MB together. If one is invalid, none is added."
        )
        if isinstance(field, FilesField):
            field.too_large = length > settings.UPLOAD_BYTES

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"].strip()
        try:
            return check_id(key, "The id")
        except TextRefusedError as problem:
            raise ValidationError(f"{problem.place} {problem.reason}.") from None

    def clean_question(self) -> str:
        question: str = self.cleaned_data["question"].strip()
        if not question:
            raise ValidationError("Enter the question.")
        return question

    def clean_papers(self) -> list[UploadedFile]:
        """The files, of which nothing is known but their names and sizes."""
        files: list[UploadedFile] = self.cleaned_data["papers"]
        problems = []
        for file in files:
            try:
                check_file(file.name or "", file.size or 0)
            except PaperError as problem:
                problems.append(str(problem))
        if problems:
            raise ValidationError(problems)
        return files


class SearchForm(forms.Form):
    """A search in one question's papers; `keys` are the keys of the questions."""

    item = forms.ChoiceField(
        label="Question", choices=[], error_messages={"invalid_choice": "Choose a question from the list."}
    )
    query = PlainText(label="Search for", max_length=LONGEST_QUERY, widget=forms.Textarea(attrs={"rows": 2}))
    k = forms.IntegerField(label="Passages", min_value=1, max_value=MOST_HITS, initial=5)

    def __init__(self, *args: Any, keys: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["item"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(key, key) for key in keys]

    def clean_query(self) -> str:
        query: str = self.cleaned_data["query"].strip()
        if not query:
            raise ValidationError("Enter a search text.")
        return query
