"""The option by which a study is a dry run: a copy that synthetic raters fill."""

DRY_RUN = "dry_run"
