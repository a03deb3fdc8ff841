"""What was done in a study, for comparison with its registered plan."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("done_facts", "parts.preregistration.plan_facts.done_facts")
