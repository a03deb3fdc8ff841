"""Background work of studies."""
