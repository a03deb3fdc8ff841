"""What power adds: its page."""

from annotation.study_tabs import Tab
from config.part import Part


class PowerPart(Part):
    needs = ("stopping",)
    urls = "parts.power.urls"
    tabs = (Tab(150, "Report", "Power and cost", "power:power"),)


PART = PowerPart()
