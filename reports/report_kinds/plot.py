"""A plot as files: see `reports.pages.plot_files`. Its choices are the whole plot, so changed data make another one."""

from reports.report_kinds import ReportKind

REPORT = ReportKind("plot", "reports.pages.plot_files.kept_plot")
"""The name of a function, because web processes must not load matplotlib."""
