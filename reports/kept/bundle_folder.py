"""A bundle: a study's report, its figures and plots, the data behind them, versions and the hash of every file."""

import json
import platform
import shutil
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import QueryDict
from django.template.loader import render_to_string

from accounts.models import Person
from annotation.models import Study
from config.parts import parts
from config.software_version import SOFTWARE_VERSION
from files.writing import SCHEMA, ExportRefusedError, export_study
from files.writing.folder_placement import placed
from reports.figures.protocol_figures import protocol_figures
from reports.figures.rows import ChoiceInvalidError
from reports.figures.rows.exclusion_rows import of_data
from reports.kept.kept_exports import export_state
from reports.kept.kept_reports import compute_here
from reports.kept.page_alone import PageAlone, drawing_parts
from reports.kept.zip_archive import listed_files
from reports.pages.display.leaderboard import leaderboard
from reports.pages.display.question_sections import question_sections
from reports.pages.display.shown_tables import shown_tables
from reports.pages.display.study_details import study_details, with_details
from reports.pages.forms import ReportPageForm, choices_in
from reports.pages.report_page import ReportPage
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.details import details_choices
from reports.report_kinds.disagreement import disagreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices

BUNDLE_SCHEMA = "interrater-bundle/1"
CONTENTS = "bundle.json"
VERSIONS = "versions.json"
REPORT = "report/index.html"
DATA = "data"
ATTEMPTS = 3
STYLES = ("base.css", "pages.css", "judges.css", "print.css")
PLOT_STYLE = "plot_file.css"
CHANGING = "The study changed while its bundle was written. Pause it, or try again when fewer people are working."


def write_bundle(study: Study, out: Path, actor: Person | None = None, via: str = "") -> dict[str, Any]:
    """Write the bundle's folder at `out` and return its contents, `bundle.json`.

    The figures and the data are of one state: if the data change meanwhile, it begins again. Raises ExportRefusedError
    and ImportPendingError.
    """
    with placed(out) as folder:
        for _ in range(ATTEMPTS):
            state = export_state(study)
            write_figures(study, folder)
            export_study(study, folder / DATA, "jsonl", actor, via)
            if export_state(study) == state:
                _write_json(folder / VERSIONS, versions())
                contents = {"schema": BUNDLE_SCHEMA, "study": study.slug, "files": listed_files(folder)}
                _write_json(folder / CONTENTS, contents)
                return contents
            for path in folder.iterdir():
                shutil.rmtree(path)
        raise ExportRefusedError(CHANGING)


def write_figures(study: Study, folder: Path) -> None:
    """Write the report, its figures and its plots: all that can be computed again from the data."""
    figures = _figures(study)
    for name, body in figures.items():
        _write_json(folder / "figures" / f"{name}.json", body)
    page = PageAlone(_report(study, figures))
    (folder / REPORT).parent.mkdir(parents=True, exist_ok=True)
    (folder / REPORT).write_text(page.text, encoding="utf-8")
    for number, drawing in enumerate(page.drawings, 1):
        place = folder / "plots" / f"plot-{number:02}.svg"
        place.parent.mkdir(exist_ok=True)
        start, rest = drawing_parts(drawing)
        told = {"start": start, "style": _style(PLOT_STYLE), "rest": rest}
        place.write_text(render_to_string("reports/plot_file.svg", told), encoding="utf-8")
    for name, text in (file for part in parts() for file in part.bundled(study).items()):
        place = folder / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _figures(study: Study) -> dict[str, Any]:
    """All reports with the choices that the study's pages begin with, computed now, by the names of their files."""
    found = {"agreement": compute_here(study, "agreement", agreement_choices())}
    details = compute_here(study, "details", details_choices())
    found["details"] = {**details, "exclusions": of_data(details["exclusions"])}
    for kind, choices in (("raters", {"kinds": ["human"], "raters": []}), ("disagreement", disagreement_choices())):
        compute_here(study, kind, choices)
    with suppress(ChoiceInvalidError):  # a study without machines compares none
        found["meta_evaluation"] = compute_here(study, "meta_evaluation", comparison_choices())
    own = protocol_figures(study)
    if own is not None:
        found["sessions"] = compute_here(study, own.report_kind, {"labeller": None})
    return found


def _report(study: Study, figures: dict[str, Any]) -> str:
    """The report page, with what the data alone decide."""
    page = ReportPage.of(study, choices_in(ReportPageForm(QueryDict())), QueryDict())
    if page.status.placeholder:  # somebody erased answers between two steps
        raise ExportRefusedError(CHANGING)
    compared = figures.get("meta_evaluation")
    sections = question_sections(study, figures["agreement"], page.sorting)
    context = {
        **page.context(),
        "questions": with_details(study, sections, figures["details"], page.disagreement, page.sorting, {}),
        "details": study_details(figures["details"], page.sorting),
        "files_at": "",
        "styles": "\n".join(map(_style, STYLES)),
        "software": SOFTWARE_VERSION,
        "frozen": True,
        "plots_at": "",
        "sections": leaderboard(compared, "", None) if compared else [],
        "tables": shown_tables(compared) if compared else [],
    }
    return str(render_to_string("reports/bundle_report.html", context))


def _style(name: str) -> str:
    return (settings.BASE_DIR / "static" / "css" / name).read_text(encoding="utf-8")


def versions() -> dict[str, Any]:
    """The software that computed a bundle, with every package that was installed."""
    packages = {one.metadata["Name"].lower(): one.version for one in distributions()}
    return {
        "schemas": {"bundle": BUNDLE_SCHEMA, "data": SCHEMA},
        "interrater": SOFTWARE_VERSION,
        "python": platform.python_version(),
        "packages": dict(sorted(packages.items())),
    }


def _write_json(path: Path, body: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")
