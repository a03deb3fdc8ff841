"""Background work of files."""
