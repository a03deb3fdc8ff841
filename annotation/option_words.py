"""The options of a study as its overview names them: by the labels of the question builder, in the builder's order."""

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.blinding import NAMING_OPTIONS, is_blind
from annotation.models import Study
from annotation.protocols import protocols
from annotation.spec_fields import SpecField
from annotation.studies.file_sections import without_sections


def options_in_words(study: Study) -> list[tuple[str, str]]:
    """The options that the study sets, each with its label and value; those that name systems not while blinded."""
    hidden = NAMING_OPTIONS if is_blind(study) else ()
    given = {key: value for key, value in without_sections(study.options).items() if key not in hidden}
    return _in_words(protocols()[study.protocol].all_option_fields, given)


def _in_words(fields: Iterable[SpecField], given: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = {field.key: field for field in fields}
    keys = [*(key for key in known if key in given), *(key for key in given if key not in known)]
    return [
        (known[key].label if key in known else key, _value_in_words(known.get(key), given[key])) for key in keys
    ]  # fmt: skip


def _value_in_words(field: SpecField | None, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{label}: {text}" for label, text in _in_words(field.fields if field else (), value))
    if isinstance(value, list):
        return ", ".join(_value_in_words(None, one) for one in value)
    return dict(field.choices).get(str(value), str(value)) if field else str(value)
