"""Admin of recruiting; each part registers its own tables."""

from recruiting.checks import check_admin

__all__ = ["check_admin"]
