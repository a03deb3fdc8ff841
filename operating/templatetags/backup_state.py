"""The state of backups, and warnings about what is around the program, for the admin's first page."""

from django import template
from django.conf import settings
from django.core.checks import CheckMessage

from operating.last_backup import LastBackup, last_backup
from operating.surroundings import surroundings_warnings

register = template.Library()


@register.simple_tag
def newest_backup() -> LastBackup:
    """What is known of the last backup."""
    return last_backup()


@register.simple_tag
def surroundings() -> list[CheckMessage]:
    """What operators should change around the program."""
    return surroundings_warnings()


@register.simple_tag
def hours_without_backup() -> int:
    """The age from which a backup is too old."""
    return int(settings.BACKUP_WARN_HOURS)
