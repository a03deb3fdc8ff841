"""Topics, groups and quotas: see README.md."""
