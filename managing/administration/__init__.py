"""The admin of what researchers change: each change is a verb that the pages call, too, with its checks and audit."""

from managing.administration import (
    audit_admin,
    grants_admin,
    item_admin,
    people_admin,
    run_admin,
    session_admin,
    slot_admin,
    study_admin,
)

__all__ = [
    "audit_admin",
    "grants_admin",
    "item_admin",
    "people_admin",
    "run_admin",
    "session_admin",
    "slot_admin",
    "study_admin",
]
