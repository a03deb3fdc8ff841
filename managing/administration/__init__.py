"""The admin of what researchers change: lists with actions, each a verb of the pages, and links to the pages."""

from managing.administration import audit_admin, item_admin, people_admin, study_admin

__all__ = ["audit_admin", "item_admin", "people_admin", "study_admin"]
