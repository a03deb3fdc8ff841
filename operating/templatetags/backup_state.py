"""The state of backups, for the admin's first page."""

from django import template
from django.conf import settings

from operating.last_backup import LastBackup, last_backup

register = template.Library()


@register.simple_tag
def newest_backup() -> LastBackup:
    """What is known of the last backup."""
    return last_backup()


@register.simple_tag
def hours_without_backup() -> int:
    """The age from which a backup is too old."""
    return int(settings.BACKUP_WARN_HOURS)
