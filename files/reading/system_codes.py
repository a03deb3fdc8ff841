"""What files for a blinded study call its systems: by codes, as everything else that its researchers read and write.

A file that named systems by their own names would be a guess that the import answers: whether a study has a system of
this name, and, by the code under which a row then appears, which one it is. So a name is refused like any other text
that is no code, whether a system is called so or not.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.blinding import (
    NAMING_OPTIONS,
    OWN_NAMES,
    Names,
    is_blind,
    names_of,
    renamed,
    shown_options,
    systems_of,
)
from annotation.models import Output, Study
from annotation.protocols import protocol_of
from files.import_problems import quoted, refuse
from files.reading.study_file import StudyFile

NO_CODE = "{} is not the code of a system of this study, which is blinded: files name its systems by their codes"
PAIRS, EVERY = "pairs", "all"
HIDDEN = "is hidden while the study is blinded: leave it out"


class SystemCodes:
    """The systems of a blinded study by code. Of any other study, and for what the site itself writes: no codes."""

    def __init__(self, names: Names, systems: Collection[str] = ()) -> None:
        self.names = names
        self._named = {names.shown(name): name for name in systems}

    @property
    def are_used(self) -> bool:
        return self.names.are_codes

    def shown(self, name: str) -> str:
        """What files call a system."""
        shown: str = self.names.shown(name)
        return shown

    def lacks(self, given: Any) -> str | None:
        """Why a file may not call a system so; None if it may."""
        return NO_CODE.format(quoted(given)) if self.are_used and given not in self._named else None

    def named(self, given: Any) -> Any:
        """The system's own name for what a checked file calls it; anything else, such as None, as it is."""
        return self._named.get(given, given) if self.are_used and isinstance(given, str) else given

    def all_named(self, given: Sequence[Any] | None) -> list[Any] | None:
        return None if given is None else [self.named(one) for one in given]

    def variant(self, given: str) -> str | None:
        """The variant that a file calls so; None if it is a model's own name, which no file may say."""
        return None if given in self._named.values() and self.are_used else self.named(given)

    def value(self, level: str, value: Any) -> Any:
        """A checked value of a level of measurement with systems by their own names."""
        return renamed(level, value, self.named) if self.are_used else value


def codes_for_files(study: Study) -> SystemCodes:
    """How files that people send name the systems of a study.

    The first outputs of a blinded study come with names: before them there is nothing to guess.
    """
    names = names_of(study)
    is_first = protocol_of(study).files.needs_outputs and not Output.objects.filter(item__study=study.pk).exists()
    return SystemCodes(OWN_NAMES) if is_first or not names.are_codes else SystemCodes(names, systems_of(study))


def with_hidden(study: Study, body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """What a study file holds, made from what is shown of the study, with what a blinded study hides put back.

    An option that names other systems than before names them by codes. Raises ImportRefusedError.
    """
    codes = codes_for_files(study)
    if not is_blind(study):
        return body
    found = dict(body)
    if isinstance(body.get("options"), Mapping):
        shown = shown_options(study)
        found["options"] = {
            key: study.options[key]
            if key in shown and value == shown[key]
            else _named_option(key, value, codes, name)
            if key in NAMING_OPTIONS
            else value
            for key, value in body["options"].items()
        }
    if body.get("systems") is None:
        found["systems"] = study.systems
    elif codes.are_used:
        raise refuse(name, HIDDEN, field="systems")
    return found


def refuse_names(file: StudyFile, codes: SystemCodes) -> None:
    """Raise ImportRefusedError if a study file says anything about the systems of a blinded study."""
    if codes.are_used and file.systems:
        raise refuse(file.name, HIDDEN, field="systems")
    for key, value in (file.options or {}).items():
        if key in NAMING_OPTIONS:
            _named_option(key, value, codes, file.name)


def _named_option(key: str, value: Any, codes: SystemCodes, name: str) -> Any:
    """The value of an option that names systems, with their own names. Raises ImportRefusedError."""
    if isinstance(value, Mapping):  # {baseline: system} and {list: pairs}, whose keys are words of the option
        return {word: _named_option(f"{key}.{word}", one, codes, name) for word, one in value.items()}
    if isinstance(value, list):
        return [_named_option(key, one, codes, name) for one in value]
    if not isinstance(value, str) or (key == PAIRS and value == EVERY):
        return value
    why = codes.lacks(value)
    if why is not None:
        raise refuse(name, why, field=f"options.{key}")
    return codes.named(value)
