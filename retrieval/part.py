"""What retrieval adds: its erasing."""

from config.part import Part
from retrieval.erasing import ERASING


class RetrievalPart(Part):
    erasing = ERASING


PART = RetrievalPart()
