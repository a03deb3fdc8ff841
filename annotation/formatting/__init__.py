"""Markdown with formulas, as clean HTML."""
