"""The tables of an import that this app reads."""

from recruiting.checks.filed_checks import CheckImport

IMPORTERS = {CheckImport.table: CheckImport}
