"""Numbers from addresses and hidden fields."""

import pytest
from django.core.exceptions import ValidationError

from config.form_fields import LARGEST, WholeNumberField


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (str(LARGEST), LARGEST), ("", None), (None, None)])
def test_digits_are_read_and_nothing_is_none(text, number):
    assert WholeNumberField(required=False).clean(text) == number


@pytest.mark.parametrize(
    "text", ["-1", "+1", " 1", "1.0", "1e3", "1_000", "٣", "\N{FULLWIDTH DIGIT ONE}", "x", str(LARGEST + 1), "9" * 5000]
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValidationError):
        WholeNumberField().clean(text)
