"""Admin of recruiting; each part registers its own tables."""

from recruiting.crowds import crowd_admin
from recruiting.way_in import way_in_admin

__all__ = [
    "crowd_admin", "way_in_admin",
]  # fmt: skip
