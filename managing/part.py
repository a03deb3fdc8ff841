"""What managing adds: its erasing."""

from config.part import Part
from managing.erasing import ERASING


class ManagingPart(Part):
    erasing = ERASING
    var_folders = {"uploads": r"[0-9a-f-]{36}(\.\w+)?"}


PART = ManagingPart()
