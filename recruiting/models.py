"""The tables of recruiting; each part keeps its own in a module of its folder."""

from recruiting.checks.check_tables import (
    CheckItem,
    CheckLook,
    ExclusionReply,
    FiledCheck,
    RaterExclusion,
    RaterNotice,
)

__all__ = ["CheckItem", "CheckLook", "ExclusionReply", "FiledCheck", "RaterExclusion", "RaterNotice"]
