"""Optional features: each is an app that a study may use, and that the core can do without."""
