"""Admin of recruiting; each part registers its own tables."""

from recruiting.way_in import way_in_admin

__all__ = [
    "way_in_admin",
]  # fmt: skip
