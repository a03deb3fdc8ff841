"""Free text."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from agreement.text_lengths import count_words
from annotation.answers import Sheet
from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, text_column
from config.text_validation import TextRefusedError, check_text

LONGEST = 20_000


class Text(QuestionType):
    """Text as typed, with at least `min_words` and at most `max_words` words."""

    key = "text"
    label = "Text"
    level = "text"
    spec_keys = frozenset({"min_words", "max_words"})
    spec_fields = (
        SpecField("min_words", "Fewest words", kind="whole", default=0, least=0),
        SpecField("max_words", "Most words", kind="whole", least=1, default_text="no limit"),
    )

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        least, most = spec.get("min_words", 0), spec.get("max_words", 10**6)
        if type(least) is not int or type(most) is not int or not 0 <= least <= most or most < 1:
            raise SpecInvalidError("min_words and max_words must be whole numbers, and min_words at most max_words")

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        # Browsers always send line ends as CR LF; the stored text has LF.
        text = raw[-1].replace("\r\n", "\n") if raw else ""
        return text if text.strip() else None

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return text_column(name)

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        return 2 * LONGEST  # a line end is sent as two characters

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not isinstance(value, str):
            raise ValueInvalidError("must be text")
        if len(value) > LONGEST:
            raise ValueInvalidError(gettext("must have at most %(most)s characters") % {"most": LONGEST})
        try:
            check_text(value)
        except TextRefusedError as problem:
            raise ValueInvalidError(str(problem)) from None
        if "min_words" not in spec and "max_words" not in spec:
            return value
        words = count_words(value)
        if words < spec.get("min_words", 0):
            reason = gettext("needs at least %(least)s words; it has %(words)s")
            raise ValueInvalidError(reason % {"least": spec["min_words"], "words": words})
        if words > spec.get("max_words", words):
            reason = gettext("may have at most %(most)s words; it has %(words)s")
            raise ValueInvalidError(reason % {"most": spec["max_words"], "words": words})
        return value


QUESTION_TYPE = Text()
