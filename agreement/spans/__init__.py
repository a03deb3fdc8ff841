"""Marked spans of texts: agreement on them, confirmed ones, severities."""
