"""How many items and raters a study needs: see `reports.planning.power_report`."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("power", "reports.planning.power_report.power_report", version=2, is_shown=True)
