"""What managing adds: its erasing."""

from config.part import Part
from managing.erasing import ERASING


class ManagingPart(Part):
    erasing = ERASING


PART = ManagingPart()
