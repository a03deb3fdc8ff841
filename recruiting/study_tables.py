"""The tables of an import that this app reads."""

from recruiting.checks.filed_checks import CheckImport
from recruiting.checks.filed_exclusions import ExcludedRaterImport
from recruiting.stopping.filed_looks import LookImport

IMPORTERS = {
    CheckImport.table: CheckImport, ExcludedRaterImport.table: ExcludedRaterImport, LookImport.table: LookImport,
}  # fmt: skip
