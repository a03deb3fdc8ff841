"""Background work of reports."""
