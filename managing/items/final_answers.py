"""The form for a final answer: one question about one unit of an item, read as an annotator's form is."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict

from annotation.access import NOTHING
from annotation.answers import Form, Sheet, Unit
from annotation.blinding import in_shown_order, names_of, shown_outputs
from annotation.desk.form_reading import field_name
from annotation.models import Adjudication, Item, Output, Question, Rating
from annotation.questions import ValueInvalidError, question_types
from annotation.review.adjudicating import is_asked_about, ordered_unit, unit_digest

LONGEST_VARIANT = 240
NOT_THERE = ""
"""Stands for an output that the item does not have."""


@dataclass(frozen=True)
class AnswerSubject:
    """A question about a unit of an item; `last` is the newest final answer, if there is one."""

    item: Item
    question: Question
    unit: Unit
    outputs: list[Output]
    last: Adjudication | None

    @classmethod
    def of(cls, item: Item, query: QueryDict) -> "AnswerSubject":
        """Read it from an address or a posted form. Raises Http404 for what the item does not have."""
        question = Question.objects.filter(study=item.study_id, key=query.get("question", "")).first()
        outputs = in_shown_order(item.study, item.outputs.order_by("position"))
        called = {names_of(item.study).shown(output.key): output.key for output in outputs}
        given = [query.get(name) or None for name in ("output", "other")]
        named = [called.get(key, NOT_THERE) if key else None for key in given]
        variant = query.get("variant", "")
        unit = Unit(named[0], named[1], variant)
        wrong = NOT_THERE in named or (named[0] is None and named[1])
        if question is None or wrong or (named[0] and named[0] == named[1]) or len(variant) > LONGEST_VARIANT:
            raise Http404(NOTHING)
        if question_types()[question.type].level == "span" or (variant and not _is_known(item, question, variant)):
            raise Http404(NOTHING)
        if not is_asked_about(item.study, question, unit):
            raise Http404(NOTHING)
        unit = ordered_unit(unit, [one.key for one in sorted(outputs, key=lambda output: output.position)])
        same = Adjudication.objects.filter(item=item, question=question, unit=unit_digest(unit), is_current=True)
        return cls(item, question, unit, outputs, same.select_related("by").first())

    @property
    def number(self) -> int:
        return self.last.number if self.last else 0

    @property
    def shown_unit(self) -> Unit:
        """The unit with its systems called as they are shown, as addresses and forms name it."""
        shown = names_of(self.item.study).shown
        return Unit(shown(self.unit.output), shown(self.unit.other), self.unit.variant)

    @property
    def shown_outputs(self) -> list[Output]:
        """The outputs as the page shows them."""
        return shown_outputs(self.item.study, self.outputs)

    @property
    def sheet(self) -> Sheet:
        """The outputs that the answer may name: those of a pair, or all of the item's."""
        shown = [
            one for one in self.outputs if self.unit.other is None or one.key in (self.unit.output, self.unit.other)
        ]
        return Sheet.of([one.key for one in shown], [one.text for one in shown], self.item.document)

    @property
    def name(self) -> str:
        return field_name(self.question)

    def read(self, form: Form) -> Any:
        """The checked value of a posted form. Raises ValueInvalidError."""
        kind, spec, sheet = question_types()[self.question.type], self.question.spec, self.sheet
        value = kind.read(form, self.name, spec, sheet)
        if value is None:
            raise ValueInvalidError("is missing: choose or write one")
        kind.check(value, spec)
        kind.check_shown(value, spec, sheet)
        return value

    def field(self, form: Form | None) -> dict[str, Any]:
        """The context of the form: what the question's type shows; without a posted form, the last answer."""
        kind, sheet = question_types()[self.question.type], self.sheet
        value = self.last.value if self.last else None
        shown = form if form is not None else ({} if value is None else kind.write(value, self.name, sheet))
        found = kind.shown(shown, self.name, self.question.spec, sheet)
        called = names_of(self.item.study).shown
        for row in found.get("rows", []):
            if "letter" in row:
                row["key"] = called(sheet.key_of(row["letter"]))
            for choice in row.get("choices", []) if "side" in row else []:
                choice["label"] = called(sheet.key_of(choice["letter"]))
        for choice in found["choices"] if kind.level == "choice" else []:
            choice["label"] = called(sheet.key_of(choice["value"])) or choice["label"]
        several = kind.takes_several(self.question.spec)
        return {**found, "name": self.name, "several": several}


def _is_known(item: Item, question: Question, variant: str) -> bool:
    """Whether anybody has answered the question about this variant of the item."""
    return Rating.objects.filter(item=item, question=question, variant=variant).exists()
