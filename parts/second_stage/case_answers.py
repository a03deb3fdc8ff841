"""The form of a case, read as an annotator's form is, and the final answers that it gives.

Outputs go by letters, in an order of this item and rater; the first annotators are rater A, B and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_noop

from accounts.models import Person
from annotation.answers import Form, Sheet, letter
from annotation.models import Adjudication, Item, Output, Rater, Reviewer
from annotation.questions import ValueInvalidError, question_types
from annotation.review.adjudicating import adjudicate, unit_digest
from annotation.review.verdicts import ReviewedMeanwhileError
from annotation.studies.locking import lock_rater, lock_study
from annotation.studies.secret_seeds import own_secret_seed
from config.database_clock import database_now
from parts.second_stage.disputed_units import Disagreement, disagreements_on, rated_by
from parts.second_stage.models import SecondStageCase
from parts.second_stage.settings import may_adjudicate


class CaseLostError(Exception):
    """The case is not the rater's any more; the message says what happened."""


TAKEN = gettext_noop("This item was decided or given to somebody else in the meantime. Your answer was not saved.")
CHANGED = gettext_noop("The first answers to this item have changed. Look at them, then answer again.")


class AnswersMissingError(ValueError):
    """The form lacks answers, or has invalid ones: {number of the disagreement: sentence}."""

    def __init__(self, errors: Mapping[int, str]) -> None:
        super().__init__("The form lacks answers.")
        self.errors = dict(errors)


@dataclass(frozen=True)
class CaseSheet:
    """An item of the second stage as its adjudicator sees it."""

    item: Item
    rows: Sequence[Disagreement]
    sheet: Sheet

    @classmethod
    def of(cls, item: Item, rater: Rater) -> "CaseSheet":
        outputs = sorted(
            Output.objects.filter(item=item),
            key=lambda output: own_secret_seed(item.study, "second stage", item.key, rater.pk, output.key),
        )
        sheet = Sheet.of([one.key for one in outputs], [one.text for one in outputs], item.document)
        places = {key: place for place, key in enumerate(sheet.keys)}
        rows = sorted(disagreements_on(item), key=lambda row: _asked_at(row, places))
        return cls(item, rows, sheet)

    @property
    def seen(self) -> str:
        """What tells these disagreements, with these letters, from others, and gives nothing away."""
        said = [self.sheet.keys, *((row.question.pk, unit_digest(row.unit), row.values) for row in self.rows)]
        return salted_hmac("parts.second_stage", repr((self.item.pk, said))).hexdigest()[:24]

    def fields(self, form: Form, errors: Mapping[int, str]) -> list[dict[str, Any]]:
        """What the page shows of each disagreement."""
        return [self._field(number, row, form, errors.get(number, "")) for number, row in enumerate(self.rows)]

    def _field(self, number: int, row: Disagreement, form: Form, error: str) -> dict[str, Any]:
        kind, sheet, name = question_types()[row.question.type], self._sheet_of(row), f"u{number}"
        field = kind.shown(form, name, row.question.spec, sheet)
        for shown in field.get("rows", []):
            for choice in shown.get("choices", []) if "side" in shown else []:
                choice["label"] = _output(self._letter(sheet.key_of(choice["letter"])))
            if "letter" in shown:
                shown["key"] = _output(self._letter(sheet.key_of(shown["letter"])))
        for choice in field["choices"] if kind.level == "choice" else []:
            key = sheet.key_of(choice["value"])
            choice["label"] = _output(self._letter(key)) if key else choice["label"]
        keys = [key for key in self.sheet.keys if key in (row.unit.output, row.unit.other)]
        return {
            **field, "name": name, "several": kind.takes_several(row.question.spec), "error": error,
            "question": row.question, "about": [self._letter(key) for key in keys],
            "given": [(letter(place), self.words(row, value)) for place, value in row.values],
        }  # fmt: skip

    def words(self, row: Disagreement, value: Any) -> str:
        """A first answer in words, with outputs by their letters."""
        kind = question_types()[row.question.type]
        if isinstance(value, Mapping):
            return ", ".join(
                f"{self._called(key)}: {self._called(one)}" for key, one in sorted(value.items(), key=self._place)
            )
        said = kind.in_words(value, row.question.spec)
        if said:
            return said
        return ", ".join(self._called(one) for one in value) if isinstance(value, list) else self._called(value)

    def read(self, form: Form) -> list[Any]:
        """The checked values of a posted form, one per disagreement. Raises AnswersMissingError."""
        values, errors = [], {}
        for number, row in enumerate(self.rows):
            kind, spec, sheet = question_types()[row.question.type], row.question.spec, self._sheet_of(row)
            try:
                value = kind.read(form, f"u{number}", spec, sheet)
                if value is None:
                    raise ValueInvalidError(gettext("is missing: choose or write one"))
                kind.check(value, spec)
                kind.check_shown(value, spec, sheet)
                values.append(value)
            except ValueInvalidError as problem:
                errors[number] = gettext("This answer %(problem)s.") % {"problem": problem}
        if errors:
            raise AnswersMissingError(errors)
        return values

    def _sheet_of(self, row: Disagreement) -> Sheet:
        """The outputs that an answer may name: those of a pair, or all."""
        if row.unit.other is None or row.unit.output is None:
            return self.sheet
        return self.sheet.only([key for key in self.sheet.keys if key in (row.unit.output, row.unit.other)])

    def _letter(self, key: str | None) -> str:
        return self.sheet.letter_of(key or "") or "?"

    def _called(self, value: Any) -> str:
        """A part of an answer: the output's letter if it names one."""
        found = self.sheet.letter_of(value) if isinstance(value, str) else None
        return _output(found) if found else str(value)

    def _place(self, pair: tuple[str, Any]) -> str:
        return self._called(pair[0])


def _asked_at(row: Disagreement, places: Mapping[str, int]) -> tuple[Any, ...]:
    """Where a disagreement comes on the page: as the outputs are shown, since their order in files tells systems."""
    units = sorted(places.get(key or "", -1) for key in (row.unit.output, row.unit.other))
    return row.question.position, row.unit.variant, units


def _output(letter: str) -> str:
    return gettext("Output %(letter)s") % {"letter": letter}


def decide(case: SecondStageCase, person: Person, sheet: CaseSheet, values: Sequence[Any], reason: str) -> None:
    """Save a case's final answers, all or none. Raises CaseLostError, StudyRefusedError and StudyArchivedError."""
    try:
        with transaction.atomic():
            study = lock_study(sheet.item.study_id)
            rater = lock_rater(case.rater_id)
            mine = SecondStageCase.objects.filter(pk=case.pk, rater=rater, done_at=None)
            if not study.is_live or not may_adjudicate(study, rater):
                raise CaseLostError(TAKEN)
            if not mine.update(done_at=database_now(), lease_until=None):
                raise CaseLostError(TAKEN)
            if Item.objects.filter(Exists(rated_by(rater)), pk=sheet.item.pk).exists():
                raise CaseLostError(TAKEN)
            _save(sheet, values, reason, rater, person)
    except ReviewedMeanwhileError:
        raise CaseLostError(TAKEN) from None


def _save(sheet: CaseSheet, values: Sequence[Any], reason: str, rater: Rater, person: Person) -> None:
    by = adjudicator_for(rater)
    final = Adjudication.objects.filter(item=sheet.item, is_current=True)
    if final.filter(value__isnull=False).exists():
        raise ReviewedMeanwhileError
    withdrawn = {(one.question_id, one.unit): one.number for one in final}
    for row, value in zip(sheet.rows, values, strict=True):
        number = withdrawn.get((row.question.pk, unit_digest(row.unit)), 0)
        adjudicate(sheet.item, row.question, row.unit, value, reason, person, number=number, by=by)


def adjudicator_for(rater: Rater) -> Reviewer:
    """The name under which files show this rater's final answers: their name in files. It leads to no person."""
    found = Reviewer.objects.filter(study=rater.study_id, name=rater.name).first()
    return found or Reviewer.objects.create(study_id=rater.study_id, name=rater.name)
