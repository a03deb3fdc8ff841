"""The form of what a dry run asks about ambiguous files of another tool."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.forms import PlainText
from config.text_validation import LONGEST_ID
from parts.other_tools.conversion_choices import OUTPUTS, RATER, SEVERAL, SHOWS, SIDES


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
