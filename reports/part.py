"""What reports add: their erasing, and preregistered plans in imports."""

from config.part import Part
from reports.erasing import ERASING
from reports.preregistering.plan_import import PlanImport


class ReportsPart(Part):
    erasing = ERASING
    importers = {PlanImport.table: PlanImport}


PART = ReportsPart()
