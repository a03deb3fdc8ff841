"""What preparing adds: its erasing, and its table in imports."""

from config.part import Part
from preparing.erasing import ERASING
from preparing.files.preparing_import import PreparingImport


class PreparingPart(Part):
    erasing = ERASING
    importers = {PreparingImport.table: PreparingImport}


PART = PreparingPart()
