"""Imports samples of turns that people label. A sample that the study has never changes."""

from collections.abc import Iterable, Mapping
from typing import Any

from files.import_problems import FieldInvalidError, quoted
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from sessions.files.session_columns import LABEL_SAMPLES
from sessions.files.session_import import noted
from sessions.models import LabelSample
from sessions.turn_labels import VALUES

CHOICES = ("kind", "source", "size", "per_model", "seed")
"""What tells the samples of a study apart."""
KEYS = frozenset({*CHOICES, "turns", "made_at"})
SEEDS = 2**63 - 1


class LabelSampleImport(TableImport):
    """Imports the samples of one file. Their turns need not be there: erased sessions stay in samples, too."""

    typed = LABEL_SAMPLES

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        rows = LabelSample.objects.filter(study=self.study)
        known = {tuple(chosen): said for *chosen, said in self._known(rows)}
        for line, body in objects:
            with noted(self, line):
                sample = _read(body)
                sample.study_id = self.study.pk
                chosen, said = tuple(getattr(sample, name) for name in CHOICES), (sample.turns, sample.made_at)
                if chosen not in known:
                    known[chosen] = said
                    self.staging.add([sample])
                    self.added += 1
                elif known[chosen] != said:
                    raise FieldInvalidError("turns", "differs from the sample of this study with the same choices")
        self.problems.refuse_if_any()

    def _known(self, rows: Any) -> Iterable[list[Any]]:
        for *chosen, turns, made_at in self.staging.read(rows, *CHOICES, "turns", "made_at"):
            yield [*chosen, (turns, made_at)]


def _read(body: Mapping[str, Any]) -> LabelSample:
    """Return the sample of a line, without its study. Raises FieldInvalidError."""
    line_fields.only(body, KEYS)
    for name, known in (("kind", list(VALUES)), ("source", LabelSample.Source.values)):
        if body.get(name) not in known:
            raise FieldInvalidError(name, f"must be one of {', '.join(known)}, not {quoted(body.get(name))}")
    numbers: dict[str, Any] = {
        "size": line_fields.whole(body, "size", 1),
        "seed": line_fields.whole(body, "seed", -SEEDS - 1, SEEDS),
        "made_at": line_fields.moment(body, "made_at"),
    }
    for name, value in numbers.items():
        if value is None:
            raise FieldInvalidError(name, "is missing")
    each = line_fields.flag(body, "per_model")
    turns = _turns(body.get("turns"))
    return LabelSample(kind=body["kind"], source=body["source"], per_model=each, turns=turns, **numbers)


def _turns(given: Any) -> list[list[Any]]:
    """Return [session's key, turn's number] of each turn, in order."""
    if not isinstance(given, list) or not given:
        raise FieldInvalidError("turns", "must be a list of {session, turn}")
    found = []
    for place, one in enumerate(given):
        named = isinstance(one, dict) and one.keys() == {"session", "turn"} and isinstance(one["session"], str)
        if not named or type(one["turn"]) is not int or not 0 <= one["turn"] <= line_fields.GREATEST:
            raise FieldInvalidError(f"turns.{place}", "must be {session, turn}")
        found.append([one["session"], one["turn"]])
    if len({tuple(one) for one in found}) != len(found):
        raise FieldInvalidError("turns", "names a turn twice")
    return found
