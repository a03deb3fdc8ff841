"""Background work of preregistration: plans are completed."""
