"""What dry runs add: their page, and the section that marks the copy of a study."""

from annotation.dry_run_option import DRY_RUN
from annotation.studies.file_sections import StudySection, by_model
from annotation.study_tabs import Tab
from config.part import Part
from parts.dry_runs.erasing import ERASING
from parts.dry_runs.settings import DryRunMark


class DryRunsPart(Part):
    sections = (StudySection(DRY_RUN, by_model(DryRunMark)),)
    urls = "parts.dry_runs.urls"
    tabs = (Tab(30, "Overview", "Dry run", "dry_runs:dry_runs"),)
    erasing = ERASING


PART = DryRunsPart()
