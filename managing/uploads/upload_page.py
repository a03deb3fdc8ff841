"""What the pages show of an upload: which step it is at, what was found, and what can be done next."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Person
from annotation.blinding import is_blind
from config.background.rows import Status
from config.background.workers import worker_status
from managing.models import ItemUpload, UploadStep

NAMES = {
    "items": "items", "outputs": "outputs", "ratings": "ratings", "scores": "scores", "raters": "raters",
    "adjudications": "final answers",
}  # fmt: skip


@dataclass(frozen=True)
class UploadPage:
    """An upload with its newest step, if one has been requested."""

    upload: ItemUpload
    step: UploadStep | None
    names_fields: bool = True
    """Whether the reader may see what fields and labels of the file are called: they may be names of systems."""

    @property
    def is_working(self) -> bool:
        return self.step is not None and self.step.is_waiting

    @property
    def is_checked(self) -> bool:
        """Whether the newest step is a dry run that has ended with a result."""
        return self.step is not None and self.step.kind == UploadStep.Kind.CHECK and self.step.status == Status.DONE

    @property
    def is_imported(self) -> bool:
        return self.step is not None and self.step.kind == UploadStep.Kind.IMPORT and self.step.status == Status.DONE

    @property
    def can_import(self) -> bool:
        return self.upload.has_file and self.is_checked and not self.problems and self.brings_something

    @property
    def can_check_again(self) -> bool:
        """Whether another dry run of the same file may find something else."""
        return (self.upload.is_complete and self.has_ended) or (bool(self.problems) and not self.asked)

    @property
    def brings_something(self) -> bool:
        return bool(self.added)

    @property
    def has_ended(self) -> bool:
        """Whether the newest step has ended without a result."""
        return self.step is not None and self.step.status in (Status.FAILED, Status.STOPPED)

    @property
    def state(self) -> tuple[str, str]:
        """Return the state in a word, and the class of its mark."""
        if self.is_working:
            return ("Importing" if self._imports else "Checking"), "live"
        if self.is_imported:
            return "Imported", "live"
        if self.has_ended:
            return ("Stopped" if self.step is not None and self.step.status == Status.STOPPED else "Failed"), "paused"
        if not self.upload.has_file:
            return "Deleted", "closed"
        if self.is_checked:
            if self.asked:
                return "Needs a decision", "paused"
            return ("Has problems", "paused") if self.problems else ("Checked", "draft")
        return "Incomplete", "paused"

    @property
    def _imports(self) -> bool:
        return self.step is not None and self.step.kind == UploadStep.Kind.IMPORT

    @property
    def findings(self) -> Mapping[str, Any]:
        return self.step.findings if self.step is not None else {}

    @property
    def added(self) -> list[tuple[str, str]]:
        """The rows that an import adds or has added, by what they are."""
        added = self.findings.get("added", {})
        return [(label, f"{added[name]:,}") for name, label in NAMES.items() if added.get(name)]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What a person has to decide before the files can be read."""
        asked: list[dict[str, Any]] = self.findings.get("asked", [])
        return asked if self.is_checked and self.upload.has_file and self.names_fields else []

    @property
    def tallies(self) -> list[tuple[str, list[tuple[str, str, str]]]]:
        """The lines by what they are: how many there are of each outcome. Files in another format have several."""
        return [
            (name.capitalize(), self._tally(self.findings[one])) for one, name in NAMES.items() if one in self.findings
        ]

    @property
    def is_converted(self) -> bool:
        """Whether the file is in another format than ours."""
        return "tool" in self.findings

    @staticmethod
    def _tally(counts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
        """How many lines there are of each outcome, and what the outcome means."""
        rows = [
            ("New", counts["new"], "are not in the study yet"),
            ("Unchanged", counts["equal"], "are in the study already, and are skipped"),
            ("With more outputs", counts["extended"], "are in the study, and get the outputs that are new"),
            ("Changed", counts["changed"], "are in the study with other content; what is in a study never changes"),
            ("Invalid", counts["refused"] - counts["changed"], "cannot be read or do not fit the study"),
        ]
        return [
            (name, "not counted" if count is None else f"{count:,}", meaning)
            for name, count, meaning in rows
            if count or name == "New"
        ]

    @property
    def problems(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.findings.get("problems", [])
        return found

    @property
    def problem_count(self) -> int:
        return len(self.problems) + int(self.findings.get("more", 0))

    @property
    def problem_total(self) -> str:
        return f"{self.problem_count:,}"


def upload_page(upload: ItemUpload, reader: Person | None = None) -> UploadPage:
    """Return what pages show of an upload; in a blinded study its uploader alone sees the names of its fields."""
    steps = list(upload.steps.all())
    newest = max(steps, key=lambda one: one.pk, default=None)
    names_fields = not is_blind(upload.study) or (reader is not None and upload.person_id == reader.pk)
    return UploadPage(upload, newest, names_fields)


def state_context(upload: ItemUpload, reader: Person) -> dict[str, Any]:
    """Return what the page of an upload shows to `reader`."""
    return {"study": upload.study, "page": upload_page(upload, reader), "workers": worker_status()}
