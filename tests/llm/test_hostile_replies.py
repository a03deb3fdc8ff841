"""Hostile texts as replies of a model: kept exactly, or invalid with the reply in a form that can be stored."""

import pytest
from django.db import transaction

from config.text_validation import with_escapes
from llm.call_errors import BadReplyError
from llm.door import complete
from llm.models import Call
from llm.requests import Charge
from tests.hostile_strings import STRINGS, can_be_stored, spread
from tests.llm.calls import answered, asked


@pytest.mark.parametrize("size", [60, pytest.param(len(STRINGS), marks=pytest.mark.thorough)])
def test_a_reply_is_kept_exactly_or_invalid(study, replies, size):
    wrong = []
    for text in spread(size):
        replies(answered(text, raw=text))
        with transaction.atomic():
            try:
                given = complete(asked(), Charge(study)).text
            except BadReplyError:
                given = None
            call = Call.objects.latest("pk")
            expected = (text, "answered") if can_be_stored(text) else (None, "invalid")
            if (given, call.status) != expected or call.raw != with_escapes(text):
                wrong.append(f"{call.status}: {ascii(text)[:60]}")
            transaction.set_rollback(True)
    assert wrong == []
