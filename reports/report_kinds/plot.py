"""A plot as files: see `reports.plot_files`. Its choices are the whole plot, so data that change make another one."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("plot", "reports.plot_files.kept_plot")
"""The name of a function, because web processes must not load matplotlib."""
