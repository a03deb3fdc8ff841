"""What reports add: their erasing."""

from config.part import Part
from reports.erasing import ERASING


class ReportsPart(Part):
    erasing = ERASING
    var_folders = {"exports": r"\d+/[0-9a-f-]{36}\.zip"}


PART = ReportsPart()
