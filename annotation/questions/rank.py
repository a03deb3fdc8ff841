"""A rank for each of several outputs: 1 is best."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Form, Sheet
from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, as_ranking, ranking

MOST_RANKS = 100
LETTERS = re.compile(r"[A-Z]{1,2}")


class Rank(QuestionType):
    """{output key: whole number from 1 to `ranks`}; equal numbers are ties, which `allow_ties: false` refuses.

    A form ranks every output shown, without gaps: after a tie comes the next number. A file may leave outputs out, and
    its ranks may have gaps unless the study's option `dense` is true.
    """

    key = "rank"
    label = "Ranking"
    level = "rank"
    spec_keys = frozenset({"ranks", "allow_ties"})
    spec_fields = (
        SpecField(
            "ranks", "Number of ranks", kind="whole", required=True, least=2, most=MOST_RANKS, begins=5,
            help="Without ties, at least as many as an item has outputs.",
        ),
        SpecField("allow_ties", "Ties are allowed", kind="truth", default=True),
    )  # fmt: skip
    needs_outputs = True

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        ranks = spec.get("ranks")
        if type(ranks) is not int or not 2 <= ranks <= MOST_RANKS:
            raise SpecInvalidError(f"ranks must be a whole number from 2 to {MOST_RANKS}")
        if not isinstance(spec.get("allow_ties", True), bool):
            raise SpecInvalidError("allow_ties must be true or false")
        if spec.get("per", "task") != "task":
            raise SpecInvalidError("per must be task: a rank compares outputs")

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        given = _given(form, name)
        strange = sorted(letter for letter in given if sheet.key_of(letter) is None)
        if strange:
            reason = gettext("ranks %(letters)s, which was not shown")
            raise ValueInvalidError(reason % {"letters": _listed(strange)})
        if not given:
            return None
        wrong = sorted(letter for letter, raw in given.items() if not _fits(raw, spec))
        if wrong:
            reason = gettext("needs a whole number from 1 to %(ranks)s for %(letters)s")
            raise ValueInvalidError(reason % {"ranks": spec["ranks"], "letters": _listed(wrong)})
        missing = [output.letter for output in sheet.outputs if output.letter not in given]
        if missing:
            reason = gettext("leaves out %(letters)s: every output needs a rank")
            raise ValueInvalidError(reason % {"letters": _listed(missing)})
        ranks = {output.letter: int(given[output.letter]) for output in sheet.outputs}
        if not spec.get("allow_ties", True):
            tied = [one for one, rank in ranks.items() if list(ranks.values()).count(rank) > 1]
            if tied:
                reason = gettext("gives %(letters)s the same rank as another: give each output its own rank")
                raise ValueInvalidError(reason % {"letters": _listed(tied)})
        return closed({output.key: ranks[output.letter] for output in sheet.outputs})

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        return {f"{name}-{output.letter}": [str(value[output.key])] for output in sheet.outputs if output.key in value}

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        given = _given(form, name)
        rows = [
            {"letter": output.letter, "name": f"{name}-{output.letter}", "value": given.get(output.letter, "")}
            for output in sheet.outputs
        ]
        tiers = range(1, min(spec["ranks"], len(sheet.outputs)) + 1)
        said = ", ".join(f"{row['letter']} {row['value']}" for row in rows if row["value"])
        ties = spec.get("allow_ties", True)
        return {"choices": [], "value": said, "rows": rows, "tiers": list(tiers), "ties": ties}

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        return len(str(MOST_RANKS)) * len(sheet.outputs)

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return ranking(name)

    def column_value(self, value: Any) -> Any:
        return as_ranking(value)

    def takes_ties(self, spec: Mapping[str, Any]) -> bool:
        return bool(spec.get("allow_ties", True))

    def worst_rank(self, spec: Mapping[str, Any]) -> int | None:
        most: int = spec["ranks"]
        return most

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not isinstance(value, dict) or not value or not all(isinstance(key, str) for key in value):
            raise ValueInvalidError("must give a rank for each output: {output id: rank}")
        most = spec["ranks"]
        if not all(type(rank) is int and 1 <= rank <= most for rank in value.values()):
            raise ValueInvalidError(f"must contain whole numbers from 1 to {most}")
        if not spec.get("allow_ties", True) and len(set(value.values())) < len(value):
            raise ValueInvalidError("gives two outputs the same rank, and ties are not allowed")
        return value

    def check_options(self, value: Any, spec: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        if options.get("dense") and closed(value) != value:
            raise ValueInvalidError("leaves out a rank, and this study has dense ranks (option dense)")

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        known = set(sheet.keys)
        strange = sorted(key for key in value if key not in known)
        if strange:
            raise ValueInvalidError(f"ranks {_listed([repr(key) for key in strange])}, which is not an output shown")


def closed(ranks: Mapping[str, int]) -> dict[str, int]:
    """Return the same ranking without gaps: the best rank is 1, the next one 2, and so on."""
    place = {rank: number for number, rank in enumerate(sorted(set(ranks.values())), 1)}
    return {key: place[rank] for key, rank in ranks.items()}


def _given(form: Mapping[str, list[str]], name: str) -> dict[str, str]:
    """Return the raw ranks by letter, without empty ones."""
    start = f"{name}-"
    fields = {field.removeprefix(start): raw for field, raw in form.items() if field.startswith(start)}
    given = {letter: raw[-1].strip() for letter, raw in fields.items() if LETTERS.fullmatch(letter) and raw}
    return {letter: raw for letter, raw in given.items() if raw}


def _fits(raw: str, spec: Mapping[str, Any]) -> bool:
    return raw.isascii() and raw.isdigit() and len(raw) < 5 and 1 <= int(raw) <= spec["ranks"]


def _listed(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else gettext("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}
    )


QUESTION_TYPE = Rank()
