"""The work of each rater, and the study's progress: what the report's page shows beside its figures."""

from reports.report_kinds import ReportKind
from reports.report_kinds.agreement import ignored

REPORT = ReportKind("raters", "reports.figures.rows.rater_shares.kept_rater_shares", ignored)
