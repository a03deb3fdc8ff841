"""How many items and raters a study needs: see `parts.power.power_report`."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("power", "parts.power.power_report.power_report", version=2, is_shown=True)
