"""The names of accounts of synthetic raters."""

PREFIX, FULL_NAME = "dry-run-", "Synthetic rater"


def account_prefix(dry_run: int) -> str:
    """Return how the user names of a dry run's raters (by its primary key) begin; their numbers follow."""
    return f"{PREFIX}{dry_run}-"
