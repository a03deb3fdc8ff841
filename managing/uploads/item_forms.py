"""The form of a single item, and the line of a file that it stands for."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.conversations import TurnsInvalidError, text_and_places
from annotation.forms import LONGEST_REASON, PlainText
from annotation.models import Item, Study
from annotation.pools import MAIN, pools
from annotation.protocols import protocols
from config.text_validation import TextRefusedError, check_json, given
from files.import_problems import ImportRefusedError
from files.line_reading import JSONInvalidError, parse_json

LONGEST = 500_000
MOST_OUTPUTS = 100
BLANK_OUTPUTS = 3
PLAIN = ("document", "instruction", "source", "reference", "set", "pool")
NO_OBJECT = 'Enter a JSON object, as in {"metadata": {"topic": "ferries"}}.'
CONVERSATION = 'A text, or a conversation: [{"role": "user", "text": "..."}, ...].'
WRITERS = [("", "not said"), ("model", "a model"), ("human", "a person")]
SETS = [("", "none"), *Item.Set.choices]


class JSONObjectField(PlainText):
    """A JSON object as text; empty is an empty object."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text.strip():
            return {}
        try:
            body = check_json(parse_json(text))
        except JSONInvalidError as problem:
            raise ValidationError(f"This text {problem}.") from None
        except TextRefusedError as problem:
            raise ValidationError(f"{problem.place}: {problem.reason}.") from None
        if not isinstance(body, dict):
            raise ValidationError(NO_OBJECT)
        return body

    def validate(self, value: Any) -> None:
        return None

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data or "") != (initial or {}))
        except ValidationError:
            return True

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2) if value else ""


class SaidField(PlainText):
    """A text, or a conversation as a JSON list of turns."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text.lstrip().startswith("["):
            return text
        try:
            turns = check_json(parse_json(text))
            text_and_places(turns)
        except (JSONInvalidError, TextRefusedError, TurnsInvalidError):
            return text
        return turns

    def validate(self, value: Any) -> None:
        super().validate(text_and_places(value)[0])

    def run_validators(self, value: Any) -> None:
        super().run_validators(text_and_places(value)[0])

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data or "") != (initial or ""))

    def prepare_value(self, value: Any) -> Any:
        return json.dumps(value, ensure_ascii=False, indent=2) if isinstance(value, list) else value


class SingleItemForm(forms.Form):
    """An item without its outputs. The fields that files of this protocol do not have are left out."""

    id = forms.CharField(
        label="Id", max_length=200, help_text="Names the item in files and reports. Annotators never see it."
    )
    instruction = PlainText(label="Instruction", max_length=LONGEST, required=False)
    document = SaidField(label="Document", max_length=LONGEST, required=False, help_text=CONVERSATION)
    reference = PlainText(
        label="Reference", max_length=LONGEST, required=False,
        help_text="An answer that a person wrote. Judges may read it; annotators never see it.",
    )  # fmt: skip
    source = PlainText(
        label="Source", max_length=2000, required=False, widget=forms.TextInput, help_text="Where the document is from."
    )
    category = PlainText(
        label="Categories", max_length=2000, required=False, widget=forms.TextInput,
        help_text="One, or several with commas between them.",
    )  # fmt: skip
    set = forms.ChoiceField(label="Set", choices=SETS, required=False, help_text="Of a published benchmark.")
    pool = forms.ChoiceField(
        label="Pool", choices=lambda: [*pools().items()], required=False, initial=MAIN,
        help_text="Only items of the main pool are rated in the study itself.",
    )  # fmt: skip
    more = JSONObjectField(
        label="Other keys", max_length=LONGEST, required=False,
        help_text="A JSON object with further keys of the item, such as metadata, references, gold or feedback.",
    )  # fmt: skip

    reason = PlainText(
        label="Reason for the correction", max_length=LONGEST_REASON, widget=forms.TextInput,
        help_text="This study is locked. The reason is kept with the change.",
        error_messages={"required": "Give a reason."},
    )  # fmt: skip

    def __init__(self, *args: Any, study: Study, fixed_id: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if study.locked_at is None:
            del self.fields["reason"]
        files = protocols()[study.protocol].files
        for name in [one for one in self.fields if one in files.unused_item_keys]:
            del self.fields[name]
        if files.item_keys:
            keys = " and ".join(sorted(files.item_keys))
            self.fields["more"].help_text = f"A JSON object with {keys}, and with further keys such as metadata."
        if "references" in files.unused_item_keys:
            self.fields.pop("reference", None)
        if fixed_id:
            self.fields["id"].disabled = True
        for name in ("document", "instruction", "reference", "more"):
            if name in self.fields:
                self.fields[name].widget.attrs |= {"rows": 10 if name == "document" else 4, "dir": "auto"}

    def line(self) -> dict[str, Any]:
        """Return the line of a file with these keys, without outputs."""
        data = self.cleaned_data
        names = [one.strip() for one in data.get("category", "").split(",") if one.strip()]
        plain = {name: data[name] or None for name in PLAIN if name in data}
        if plain.get("pool") == MAIN:
            plain["pool"] = None
        category = names[0] if len(names) == 1 else names or None
        return {**data["more"], **given({"id": data["id"], **plain, "category": category})}

    def refuse(self, refused: ImportRefusedError, outputs: Sequence["OutputForm"]) -> None:
        """Show each problem at its field, or above the form."""
        for one in refused.problems:
            first, _, rest = one.field.partition(".")
            number, _, name = rest.partition(".")
            if first == "outputs" and number.isdigit() and int(number) < len(outputs):
                form = outputs[int(number)]
                form.add_error(name if name in form.fields else None, f"This {name or 'output'} {one.reason}.")
            else:
                where = first if first in self.fields else None
                self.add_error(where, f"{one.field or 'The item'} {one.reason}.")


class OutputForm(forms.Form):
    """An output of an item."""

    id = forms.CharField(
        label="System", max_length=200, help_text="The system that wrote it. Annotators never see this name."
    )
    text = SaidField(
        label="Text", max_length=LONGEST, required=False, help_text=CONVERSATION,
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
    )  # fmt: skip
    writer = forms.ChoiceField(label="Written by", choices=WRITERS, required=False)
    edited_from = forms.CharField(
        label="Edited from", max_length=200, required=False, help_text="The system of the output that was edited."
    )
    metadata = JSONObjectField(label="Metadata", max_length=LONGEST, required=False, help_text="A JSON object.")

    def line(self) -> dict[str, Any]:
        """Return the output as lines of files have it."""
        data = self.cleaned_data
        about = {name: data[name] or None for name in ("edited_from", "writer", "metadata")}
        return given({"id": data["id"], "text": data["text"], **about})


class OutputFormSet(forms.BaseFormSet):
    """The outputs of an item; blank ones are left out."""

    def initial_form_count(self) -> int:
        """Return how many rows must be filled in: none, whatever the browser says."""
        return 0 if self.is_bound else super().initial_form_count()

    def filled(self) -> list[OutputForm]:
        """Return the forms that somebody has filled in."""
        return [form for form in self.forms if form.has_changed() and not form.cleaned_data.get("DELETE")]


def output_forms(data: Any = None, initial: Sequence[Mapping[str, Any]] = ()) -> Any:
    """Return the forms of the outputs: one for each that exists, and some blank ones."""
    made = forms.formset_factory(
        OutputForm, formset=OutputFormSet, extra=BLANK_OUTPUTS, max_num=MOST_OUTPUTS, validate_max=True, can_delete=True
    )
    return made(data, prefix="outputs") if data is not None else made(initial=initial, prefix="outputs")


def initial_of(line: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what the forms show of an item's line: the fields of the item, and those of its outputs."""
    rest = dict(line)
    outputs = rest.pop("outputs", [])
    category = rest.get("category")
    fields = {name: rest.pop(name) for name in ("id", *PLAIN) if name in rest}
    if isinstance(category, str) and "," not in category:
        fields["category"] = rest.pop("category")
    elif isinstance(category, list) and len(category) > 1 and not any("," in one for one in category):
        fields["category"] = ", ".join(rest.pop("category"))
    references = rest.get("references")
    if references is not None and [(one["id"], one["writer"]) for one in references] == [("reference", "human")]:
        fields["reference"] = rest.pop("references")[0]["text"]
    return {**fields, "more": rest}, outputs
