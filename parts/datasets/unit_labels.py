"""Aggregated labels: for each unit and question, what its raters said together.

The most frequent label and the mean are counted item by item. The models of raters (`parts.datasets.crowd_labels`)
see all labels of a question at once, as codes; a question with more labels than they take has none of theirs.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Ints
from annotation.models import Question, Study
from annotation.protocols import Unit, protocols
from annotation.questions import QuestionType, question_types
from annotation.questions.preference import TIE
from annotation.studies.snapshots import study_snapshot
from config.model_fields import canonical_json
from config.text_validation import given
from files.writing.table_list import Line
from parts.datasets.crowd_labels import (
    DIGITS,
    MOST_LABELS,
    NO_LABEL,
    CrowdLabels,
    crowd_labels,
    crowd_labels_of_pairs,
)
from parts.datasets.dataset_tables import LABEL_MODELS
from parts.datasets.unit_answers import AnsweredUnit, ItemAnswers, PeopleAnswersByItem
from reports.kept.kept_reports import kept_figures

FIRST, SECOND = "first", "second"
"""The labels of choices between two outputs, by the order of the unit's outputs."""


def aggregated_lines(study: Study) -> Iterator[Line]:
    """Yield a line per question and unit that people answered, by question, item and unit.

    What the models find is taken from the kept report, or computed if none is kept of these data.
    """
    kept = kept_figures(study, LABEL_MODELS, {})
    for labelled in _labelled(study):
        found = labelled.modelled() if kept is None else kept.get(labelled.question.key, NOTHING_FOUND)
        yield from labelled.lines(found)


def kept_label_models(study: Study, choices: Mapping[str, Any]) -> dict[str, Any]:
    """What the models find, by question: the report that is kept."""
    with study_snapshot(study) as present:
        found = {labelled.question.key: labelled.modelled() for labelled in _labelled(present)}
        return {key: one for key, one in found.items() if one["models"]}


def _labelled(study: Study) -> "Iterator[LabelledQuestion]":
    read = PeopleAnswersByItem(study)
    for question in study.questions.order_by("position"):
        yield from (kind(read, question) for kind in LABELLED if kind.takes(question))


Found = Mapping[str, Any]
"""The labels as `classes`, and for each of the `models` every unit's `label`, as its place there, and `probability`."""
NOTHING_FOUND: Found = {"classes": [], "models": {}}


class LabelledQuestion:
    """The answers to one question as labels of units: those of types that are labels or numbers."""

    def __init__(self, read: PeopleAnswersByItem, question: Question) -> None:
        self.read, self.question = read, question
        self.protocol = protocols()[read.study.protocol]

    @staticmethod
    def takes(question: Question) -> bool:
        return _type(question).level in ("nominal", "interval")

    @property
    def has_labels(self) -> bool:
        """Whether answers are labels; those on a scale without steps are measurements."""
        return _type(self.question).level != "interval" or bool(_type(self.question).steps(self.question.spec))

    @property
    def has_models(self) -> bool:
        """Whether the labels of different units are independent, as the models of raters assume."""
        return self.has_labels

    @property
    def has_mean(self) -> bool:
        return _type(self.question).scale(self.question.spec) is not None

    def units(self, item: ItemAnswers) -> dict[AnsweredUnit, dict[str, Any]]:
        """The labels of an item's units by rater."""
        return item.units

    def shown(self, label: Any, unit: AnsweredUnit) -> Any:
        """A label as the line shows it."""
        return label

    def modelled(self) -> Found:
        """What the models find in the labels of all units, as plain JSON values."""
        codes = self._codes() if self.has_models else self.no_codes()
        models = {
            key: {"label": found.label.tolist(), "probability": found.probability.tolist()}
            for key, found in codes.models().items()
        }
        return {"classes": codes.sorted_classes(), "models": models} if models else NOTHING_FOUND

    def no_codes(self) -> "LabelCodes":
        """Codes to which labels are added."""
        return LabelCodes()

    def lines(self, found: Found) -> Iterator[Line]:
        """Yield the lines of all units, with what `modelled` returned."""
        classes, number = found["classes"], 0
        for item in self.read.items(self.question):
            for unit, labels in self.units(item).items():
                line = self._line(item, unit, list(labels.values()))
                for key, of_model in found["models"].items():
                    label = of_model["label"][number]
                    line[key] = None if label == NO_LABEL else self.shown(classes[label], unit)
                    line[f"{key}_probability"] = of_model["probability"][number]
                number += 1
                yield given(line)

    def _codes(self) -> "LabelCodes":
        codes = self.no_codes()
        for item in self.read.items(self.question):
            for labels in self.units(item).values():
                codes.add(labels)
            if codes.are_too_many:
                return self.no_codes()
        return codes

    def _line(self, item: ItemAnswers, unit: AnsweredUnit, labels: list[Any]) -> Line:
        line = {"question": self.question.key, **self._unit(item, unit), "raters": len(labels)}
        if self.has_labels:
            line |= self._majority(unit, labels)
        if self.has_mean:
            line["mean"] = round(sum(map(float, labels)) / len(labels), DIGITS)
        return line

    def _unit(self, item: ItemAnswers, unit: AnsweredUnit) -> Line:
        first, second = (*unit.outputs, None, None)[:2]
        named = Unit(first, second, unit.variant)
        return {
            "item": item.key if self.protocol.files.ratings_name_items else None,
            **self.protocol.unit_line(named),
        }

    def _majority(self, unit: AnsweredUnit, labels: Sequence[Any]) -> Line:
        """The share of the most frequent label, and the label, or all of them if several are equally frequent."""
        by_text = {canonical_json(label): label for label in labels}
        counts = Counter(map(canonical_json, labels))
        most = max(counts.values())
        often = sorted((by_text[text] for text, count in counts.items() if count == most), key=_order)
        shown = [self.shown(label, unit) for label in often]
        said = {"majority": shown[0]} if len(shown) == 1 else {"tied": shown}
        return {"agreement": round(most / len(labels), DIGITS), **said}


class ChosenOutput(LabelledQuestion):
    """Choices between two outputs: the labels are the first output, the second, and a tie."""

    @staticmethod
    def takes(question: Question) -> bool:
        return _type(question).level == "choice"

    @property
    def has_mean(self) -> bool:
        return False

    def units(self, item: ItemAnswers) -> dict[AnsweredUnit, dict[str, Any]]:
        return {
            unit: {rater: self._side(unit, value) for rater, value in answers.items()}
            for unit, answers in item.units.items()
            if len(unit.outputs) == 2
        }

    def no_codes(self) -> "LabelCodes":
        return ChoiceCodes()

    def _side(self, unit: AnsweredUnit, value: Any) -> str:
        return (FIRST, SECOND)[unit.outputs.index(value)] if value in unit.outputs else TIE

    def shown(self, label: Any, unit: AnsweredUnit) -> Any:
        return unit.outputs[(FIRST, SECOND).index(label)] if label != TIE else TIE


class RankedOutputs(LabelledQuestion):
    """Rankings: the units are the outputs, their labels the ranks. An output's rank depends on the others' ranks."""

    @staticmethod
    def takes(question: Question) -> bool:
        return _type(question).level == "rank"

    @property
    def has_models(self) -> bool:
        return False

    @property
    def has_mean(self) -> bool:
        return True

    def units(self, item: ItemAnswers) -> dict[AnsweredUnit, dict[str, Any]]:
        found: dict[AnsweredUnit, dict[str, Any]] = {}
        for unit, answers in item.units.items():
            for rater, ranks in answers.items():
                for output, rank in ranks.items():
                    found.setdefault(AnsweredUnit((output,), unit.variant), {})[rater] = rank
        return {unit: found[unit] for unit in sorted(found)}


LABELLED: tuple[type[LabelledQuestion], ...] = (LabelledQuestion, ChosenOutput, RankedOutputs)


@dataclass
class LabelCodes:
    """The labels of all units as codes; units are numbered in the order of their lines."""

    unit: "array[int]" = field(default_factory=lambda: array("q"))
    rater: "array[int]" = field(default_factory=lambda: array("q"))
    label: "array[int]" = field(default_factory=lambda: array("q"))
    raters: dict[str, int] = field(default_factory=dict)
    classes: dict[str, tuple[int, Any]] = field(default_factory=dict)
    units: int = 0

    @property
    def are_too_many(self) -> bool:
        return len(self.label) > max(MOST_LABELS.values())

    def add(self, labels: Mapping[str, Any]) -> None:
        """Add the labels of the next unit, by rater."""
        for rater, label in labels.items():
            self.unit.append(self.units)
            self.rater.append(self.raters.setdefault(rater, len(self.raters)))
            self.label.append(self.classes.setdefault(canonical_json(label), (len(self.classes), label))[0])
        self.units += 1

    def sorted_classes(self) -> list[Any]:
        return sorted((label for _, label in self.classes.values()), key=_order)

    def models(self) -> dict[str, CrowdLabels]:
        """What the models find, with codes into the sorted classes and raters."""
        if not self.label:
            return {}
        place = np.empty(len(self.classes), dtype=np.int64)
        classes = [canonical_json(label) for label in self.sorted_classes()]
        for text, (code, _) in self.classes.items():
            place[code] = classes.index(text)
        by_name = np.empty(len(self.raters), dtype=np.int64)
        for new, rater in enumerate(sorted(self.raters)):
            by_name[self.raters[rater]] = new
        units, raters, labels = (np.frombuffer(codes, dtype=np.int64) for codes in (self.unit, self.rater, self.label))
        return self.found(units, by_name[raters], place[labels])

    def found(self, unit: Ints, rater: Ints, label: Ints) -> dict[str, CrowdLabels]:
        return crowd_labels(unit, rater, label)


class ChoiceCodes(LabelCodes):
    """Choices within pairs, whose classes are known beforehand and exchangeable but for the tie."""

    def sorted_classes(self) -> list[Any]:
        return [FIRST, SECOND, TIE]

    def found(self, unit: Ints, rater: Ints, label: Ints) -> dict[str, CrowdLabels]:
        return crowd_labels_of_pairs(unit, rater, label)


def _type(question: Question) -> QuestionType:
    return question_types()[question.type]


def _order(label: Any) -> tuple[bool, float, str]:
    """Sorts labels: numbers first, false before true, then the others as JSON."""
    numeric = isinstance(label, int | float)
    return not numeric, float(label) if numeric else 0.0, canonical_json(label)
