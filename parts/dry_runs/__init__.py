"""Dry runs: synthetic raters fill a copy of a study, which is marked as such wherever it is shown."""
