"""Form fields that Django does not have."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

LARGEST = 2**31 - 1
"""The largest number that an integer column can hold in both databases."""
DIGITS = re.compile("[0-9]{1,10}")


class WholeNumberField(forms.IntegerField):
    """A whole number of 0 or more, in the digits 0 to 9. Django's own field also accepts blanks, signs and "1.0"."""

    def __init__(self, *, min_value: int = 0, max_value: int = LARGEST, **more: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **more)

    def to_python(self, value: Any) -> int | None:
        if value not in self.empty_values and not DIGITS.fullmatch(str(value)):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        number: int | None = super().to_python(value)
        return number
