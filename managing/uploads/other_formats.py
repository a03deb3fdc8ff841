"""Uploaded files in other formats than ours: what a part that reads them has to say."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.parts import parts
from files.import_problems import ImportRefusedError
from managing.models import ItemUpload

OURS = (".jsonl", ".csv")
WRONG_NAME = "The file must be JSONL or CSV, with a name that ends in .jsonl or .csv."
ONE_FILE = "Choose one file."


@dataclass(frozen=True)
class ConvertedUpload:
    """What a file became: a folder that an import reads, its tables, and what a dry run tells about the conversion."""

    folder: Path
    tables: Mapping[str, Path]
    findings: Mapping[str, Any]


class ConversionRefusedError(Exception):
    """A file cannot be converted: `refused` has the problems, and `findings` what a dry run tells.

    A choice of `findings["asked"]` has to be made by a person before the file can be read.
    """

    def __init__(self, refused: ImportRefusedError, findings: Mapping[str, Any]) -> None:
        super().__init__(str(refused))
        self.refused, self.findings = refused, findings


class OtherFormats:
    """Formats of uploaded files beside JSONL and CSV as we write them. The defaults read no other."""

    upload_help = "JSONL or CSV, saved as UTF-8."
    """What can be uploaded into a study."""
    study_help = "study.yaml, as an export contains it, or the same as JSON."
    """What a study can be made from."""
    suffixes: frozenset[str] = frozenset()
    """The ends of the names of files that are read; they may be uploaded together."""

    def why_not(self, names: Sequence[str]) -> str:
        """Return why files with these names cannot be uploaded into a study, or an empty text."""
        if len(names) > 1:
            return ONE_FILE
        return "" if Path(names[0]).suffix.lower() in OURS else WRONG_NAME

    def is_other(self, name: str, size: int, begin: bytes) -> bool:
        """Whether a file cannot be a study file; `begin` is all of it if it has at most LINE_LIMIT bytes."""
        return False

    @contextmanager
    def converted(self, upload: ItemUpload) -> Iterator[ConvertedUpload | None]:
        """Yield the conversion of an uploaded file; None if it is in a format of ours. Raises ConversionRefusedError.

        The study's questions say how answers are read, except if the file is to say what the study asks.
        """
        yield None


def other_formats() -> OtherFormats:
    """Return the formats that the installed part for them reads."""
    return next((part.other_formats for part in parts() if part.other_formats is not None), OtherFormats())


def accepted(ours: Sequence[str]) -> str:
    """Return the attribute `accept` of a field for files of ours and of other formats."""
    return ",".join(sorted({*ours, *other_formats().suffixes}))
