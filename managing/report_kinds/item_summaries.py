"""The summaries of a study's items: a kept report whose figures are rows of their own."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("items", "managing.items.summaries.summarise", version=2)
