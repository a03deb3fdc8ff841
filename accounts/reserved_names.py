"""User names that nobody may choose, because accounts that stand for no person have them."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from config.folded_text import folded

RESERVED_PREFIX = "dry-run-"


def is_reserved(name: str) -> bool:
    """Return whether a user name begins as those of synthetic raters do."""
    return folded(name).startswith(RESERVED_PREFIX)


def refuse_reserved(name: str) -> None:
    """Raise ValidationError for a user name that nobody may choose."""
    if is_reserved(name):
        raise ValidationError(gettext("This user name is taken. Choose another one."), code="reserved")
