"""Background work of recruiting."""
