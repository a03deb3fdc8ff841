"""What the page Export shows of a study's kept exports."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from annotation.models import Study
from config.background.rows import Status
from config.parts import parts
from reports.kept.kept_exports import BUNDLE, all_forms, export_state, exports_of
from reports.models import KeptExport, KeptReport

MOST_SHOWN = 50
FORM_TEXTS = {
    "jsonl": ("JSONL", "loses nothing; another installation imports it"),
    "csv": ("CSV", "for spreadsheets"),
    "parquet": ("Parquet", "typed tables for pandas, polars and datasets"),
    BUNDLE: (
        "Bundle",
        "the report, its figures and plots, the data, versions and hashes, in one file that can be checked",
    ),
}
FILE_TEXTS = {
    "study.yaml": "the study: protocol, questions, options",
    "guidelines": "a version of the guidelines",
    "items": "what was judged",
    "ratings": "people's answers, one line each",
    "scores": "answers of models and metrics",
    "annotations": "submitted answers with all revisions and times",
    "sessions": "revision sessions with their turns",
    "labels": "labels of turns",
    "label_samples": "samples of turns to label",
    "reviews": "verdicts on marked spans",
    "adjudications": "final answers of researchers",
    "examples": "written examples",
    "runs": "runs of judges",
    "README.md": "the dataset card: read this first",
    "manifest.json": "counts, lines and hashes of all files",
    "bundle.json": "the hash of every other file",
    "versions.json": "the software that computed the figures",
    "data": "the study's data",
    "report": "the report, to read and to print",
    "figures": "all figures, as JSON",
    "plots": "a plot of the report",
}
"""What a file is, by its name, the name's stem, or its folder."""


@dataclass(frozen=True)
class ExportLine:
    """A kept export as its page shows it."""

    row: KeptExport
    is_current: bool

    @property
    def title(self) -> str:
        return FORM_TEXTS.get(self.row.form, (self.row.form, ""))[0]

    @property
    def files(self) -> list[dict[str, Any]]:
        return [{**one, "text": file_text(one["name"])} for one in self.row.contents]

    @property
    def has_failed(self) -> bool:
        return self.row.status in (Status.FAILED, Status.STOPPED)


def file_text(name: str) -> str:
    """What a file in an export is, in a few words; empty if its name is not known."""
    folder, _, rest = name.partition("/")
    keys = (name, folder, folder.partition(".")[0]) if rest else (name, name.partition(".")[0])
    of_parts = [{table.key: table.about for table in part.tables} | {**part.folders} for part in parts()]
    texts = {key: text for texts in of_parts for key, text in texts.items()} | FILE_TEXTS
    return next((texts[key] for key in keys if key in texts), "")


def export_page(study: Study) -> dict[str, Any]:
    """The context of the page: a few queries, whatever the size of the study."""
    state = export_state(study)
    rows = exports_of(study).select_related("requested_by").order_by("-pk")[:MOST_SHOWN]
    lines = [ExportLine(row, row.state == state) for row in rows]
    frozen = KeptReport.objects.filter(study=study, removed_at__isnull=False).defer("figures")
    return {
        "study": study,
        "forms": [(form, *FORM_TEXTS.get(form, (form, ""))) for form in all_forms()],
        "waiting": [one for one in lines if one.row.is_waiting],
        "kept": [one for one in lines if one.row.has_file],
        "failed": [one for one in lines if one.has_failed][:1],
        "removed": [one for one in lines if one.row.removed_at],
        "removed_reports": frozen.order_by("-removed_at")[:MOST_SHOWN],
        "most": settings.KEPT_EXPORTS,
        "days": settings.KEPT_EXPORT_DAYS,
    }
