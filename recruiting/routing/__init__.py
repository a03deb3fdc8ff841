"""Topics, groups and quotas: what raters say decides which tasks they are given."""
