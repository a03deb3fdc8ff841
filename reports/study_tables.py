"""The tables of an import that this app reads."""

from reports.preregistering.plan_import import PlanImport

IMPORTERS = {PlanImport.table: PlanImport}
