"""Admin of recruiting; each part registers its own tables."""

from recruiting.crowds import crowd_admin
from recruiting.dry_runs import dry_run_admin
from recruiting.way_in import way_in_admin

__all__ = [
    "crowd_admin", "dry_run_admin",
    "way_in_admin",
]  # fmt: skip
