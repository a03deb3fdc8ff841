"""Forms of the pages about papers."""

import time
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from annotation.forms import PlainText
from annotation.text import LONGEST_ID
from retrieval.errors import PaperError
from retrieval.papers import Paper
from retrieval.reading import SUFFIXES, read_paper

LONGEST_QUERY = 5000
LONGEST_QUESTION = 20_000
MOST_HITS = 50
READING_SECONDS = 60
TOO_LARGE = "The files may have {} MB together: send fewer, or shorten them."


class FilesInput(forms.FileInput):
    """A control for several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files; what is wrong with one is said by its name."""

    widget = FilesInput
    too_large = False
    """Set where the request was too large, so that its files were not received."""

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        if self.too_large:
            raise ValidationError(TOO_LARGE.format(settings.UPLOAD_BYTES // 2**20))
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            raise ValidationError(self.error_messages["required"], code="required")
        return [super(FilesField, self).clean(file, initial) for file in files]


class PapersForm(forms.Form):
    """A question with its papers, which becomes an item. Papers are read here, so that a bad file is said beside it."""

    key = PlainText(
        label="Id", max_length=LONGEST_ID, widget=forms.TextInput,
        help_text="The question's name in files, such as q17. It cannot be changed.",
    )  # fmt: skip
    question = PlainText(label="Question", max_length=LONGEST_QUESTION, widget=forms.Textarea(attrs={"rows": 3}))
    papers = FilesField(
        label="Papers", widget=FilesInput(attrs={"accept": ",".join(SUFFIXES)}), allow_empty_file=True,
        error_messages={"required": "Choose at least one file."},
    )  # fmt: skip

    def __init__(self, *args: Any, length: int = 0, **kwargs: Any) -> None:
        """`length` is the request's: files that are too large together are not received."""
        super().__init__(*args, **kwargs)
        field = self.fields["papers"]
        field.help_text = (
            f"PDF, Markdown, text or JSON: at most {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files, "
            f"{settings.UPLOAD_BYTES // 2**20} MB together. Either all are taken or none."
        )
        if isinstance(field, FilesField):
            field.too_large = length > settings.UPLOAD_BYTES

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"].strip()
        return key

    def clean_question(self) -> str:
        question: str = self.cleaned_data["question"].strip()
        if not question:
            raise ValidationError("Write the question.")
        return question

    def clean_papers(self) -> list[Paper]:
        found: list[Paper] = []
        problems = []
        latest = time.monotonic() + READING_SECONDS
        for file in self.cleaned_data["papers"]:
            if time.monotonic() > latest:
                problems.append(f"The files before {file.name[:80]} took too long to read: send fewer at once.")
                break
            try:
                paper = read_paper(file.name, file.read())
            except PaperError as problem:
                problems.append(str(problem))
                continue
            if paper.id in {other.id for other in found}:
                problems.append(f"{file.name[:80]} has the id of another file, {paper.id[:80]}: rename one of them.")
            found.append(paper)
        if problems:
            raise ValidationError(problems)
        return found


class SearchForm(forms.Form):
    """A search within one question's papers. `keys` are the questions'."""

    item = forms.ChoiceField(
        label="In the papers of", choices=[], error_messages={"invalid_choice": "There is no such question."}
    )
    query = PlainText(label="Search for", max_length=LONGEST_QUERY, widget=forms.Textarea(attrs={"rows": 2}))
    k = forms.IntegerField(label="How many passages", min_value=1, max_value=MOST_HITS, initial=5)

    def __init__(self, *args: Any, keys: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["item"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(key, key) for key in keys]

    def clean_query(self) -> str:
        query: str = self.cleaned_data["query"].strip()
        if not query:
            raise ValidationError("Write what to search for.")
        return query
