"""The report on revision sessions: see `reports.figures.session_report`."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("session", "reports.figures.session_report.kept_session_report", is_shown=True)
