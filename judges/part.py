"""What judges adds: its erasing."""

from config.part import Part
from judges.erasing import ERASING


class JudgesPart(Part):
    erasing = ERASING


PART = JudgesPart()
