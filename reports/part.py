"""What reports add: their erasing."""

from config.part import Part
from reports.erasing import ERASING


class ReportsPart(Part):
    erasing = ERASING


PART = ReportsPart()
