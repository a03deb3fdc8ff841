"""What the key `recruiting` of a study file may hold: a check for each of its sections."""

from recruiting.checks.check_settings import checked_checks

SECTIONS = {"checks": checked_checks}
