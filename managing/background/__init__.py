"""Background work of uploads."""
