"""What preparing adds: its pages, its table in imports and exports, and its erasing."""

from annotation.study_tabs import Tab, is_draft
from config.part import Part
from files.writing.table_list import StudyTable
from parts.preparing.erasing import ERASING
from parts.preparing.file_lines import PREPARING, preparing_lines, shows_preparation

PAGE = "preparing:prepare"


class PreparingPart(Part):
    urls = "parts.preparing.urls"
    tabs = (Tab(70, "Items", "Prepare", PAGE, ("preparing:*",), is_draft),)
    ways_to_items = (("Prepare items with models", PAGE),)
    importers = {"preparing": "parts.preparing.file_import.PreparingImport"}
    tables = (
        StudyTable(
            "preparing", "what was drawn, asked, suggested and written before there were items", PREPARING,
            preparing_lines, shows_preparation,
        ),
    )  # fmt: skip
    erasing = ERASING


PART = PreparingPart()
