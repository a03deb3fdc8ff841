"""Labels of turns or tasks by people and machines, read for comparison."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from agreement.meta_evaluation.label_figures import NO_LABEL, TEST, TRAINING, VALIDATION
from agreement.meta_evaluation.label_judges import LabelJudge, LabelledUnits
from annotation.machine_shapes import LABEL
from annotation.models import JudgeRun, Question, Rater, Study
from judges.split_of_run import ratings_of, split_of
from judges.turn_split import TEST as TEST_PART
from judges.turn_split import TRAINING as TRAINING_PART
from judges.turn_split import TurnSplit
from reports.figures.protocol_figures import protocol_figures
from reports.figures.rows import CHUNK, HUMAN, Choice, answers
from reports.figures.rows.machine_answers import PERSON
from reports.figures.rows.rated_items import Ints, RatedItems
from sessions.turn_variants import named_turn

SPLITS = 3
"""How many seeded splits the figures of a judge without a split of its own are averaged over (KIWI, section 5)."""
Unit = tuple[int, int | None, str]
"""An item's and an output's primary key, and the variant of the task."""


def choices_of(question: Question) -> tuple[str, ...]:
    """The labels of a question with one choice each; empty for other questions."""
    given = question.spec.get("choices")
    return tuple(given) if isinstance(given, list) and not question.spec.get("multiple") else ()


class LabelAnswers:
    """People's and machines' labels about the units of a question that people, or the units' owners, labelled.

    `group` names the people whose labels count, everybody if it is empty, and `persons` those who are judges instead.
    Owners' labels always count; where there are owners, other people's labels are second ones, and nobody is a judge.
    """

    def __init__(
        self,
        rated: RatedItems,
        question: Question,
        people: Choice,
        machines: Choice,
        group: Collection[str] = (),
        persons: Collection[str] = (),
    ) -> None:
        self.rated, self.question, self.machines = rated, question, machines
        self.names = choices_of(question)
        self.code = {name: code for code, name in enumerate(self.names)}
        latest: dict[tuple[Unit, int], str] = {}
        self.of_persons: dict[int, dict[Unit, str]] = {}
        owners = self._owners(rated.study)
        for item, output, variant, rater, value in answers(
            rated.study, question, people, "item_id", "output_id", "variant", "rater_id", "value"
        ):
            name, unit = rated.raters[rater], (item, output, variant)
            if name in persons and not owners:
                self.of_persons.setdefault(rater, {})[unit] = value
            elif not group or name in group:
                latest[unit, rater] = value
        self.place: dict[Unit, int] = {}
        for unit in (*(unit for unit, _ in latest), *owners):
            self.place.setdefault(unit, len(self.place))
        counts = np.zeros((len(self.place), len(self.names)))
        for (unit, _), value in latest.items():
            counts[self.place[unit], self.code[value]] += 1
        item_codes = rated.codes([item for item, _, _ in self.place]) if self.place else np.zeros(0, dtype=np.int64)
        _, item = np.unique(item_codes, return_inverse=True)
        own, second = self._of_owners(owners)
        self.units = LabelledUnits(self.names, item.astype(np.int64), counts, own, second)

    def judges(self, raters: Mapping[int, Rater], about: Any) -> list[LabelJudge]:
        """The chosen machines that labelled any of the units, by name, then people; `about` tells about a machine.

        It takes the machine and the number of its labels of unfinished runs, which are left out if others are finished.
        """
        rows = self.machines.rows(self.rated.study).filter(question=self.question, level=LABEL).exclude(PERSON)
        rows = rows.annotate(raw_value=Cast("value", TextField())).order_by("pk")
        columns = ("rater_id", "run", "replicate", "item_id", "output_id", "variant", "raw_value")
        found: dict[int, dict[tuple[str, int | None], Ints]] = {}
        for rater, run, replicate, item, output, variant, value in rows.values_list(*columns).iterator(CHUNK):
            place, code = self.place.get((item, output, variant)), self.code.get(_text(value))
            if place is None or code is None:
                continue
            reruns = found.setdefault(rater, {})
            if (run, replicate) not in reruns:
                reruns[run, replicate] = np.full(len(self.place), NO_LABEL, dtype=np.int64)
            reruns[run, replicate][place] = code
        unfinished = set(
            JudgeRun.objects.filter(rater__in=found)
            .exclude(status=JudgeRun.Status.FINISHED)
            .values_list("rater_id", "name")
        )
        judges = []
        for pk in sorted(found, key=lambda one: raters[one].name):
            complete = [labels for (run, _), labels in found[pk].items() if (pk, run) not in unfinished]
            given = complete or list(found[pk].values())
            dropped = [labels for labels in found[pk].values() if not any(labels is one for one in given)]
            left_out = sum(int((labels != NO_LABEL).sum()) for labels in dropped)
            said = _newest_configuration(pk)
            parts, folded = self._parts(split_of(said)), self._folded(given, ratings_of(said))
            judges.append(LabelJudge(raters[pk].name, given, parts, folded, about(raters[pk], left_out)))
        for pk in sorted(self.of_persons, key=lambda one: raters[one].name):
            labels = np.full(len(self.place), NO_LABEL, dtype=np.int64)
            for unit, value in self.of_persons[pk].items():
                if unit in self.place:
                    labels[self.place[unit]] = self.code[value]
            judges.append(LabelJudge(raters[pk].name, [labels], about={"kind": HUMAN}))
        return judges

    def _owners(self, study: Study) -> Mapping[Unit, tuple[str, Sequence[str]]]:
        """By unit: the label of its owner, and those of others, if the protocol's units have owners."""
        figures = protocol_figures(study)
        return figures.owned_labels(study, self.question) if figures else {}

    def _of_owners(self, owners: Mapping[Unit, tuple[str, Sequence[str]]]) -> tuple[Ints | None, Ints | None]:
        if not owners:
            return None, None
        own, second = (np.full(len(self.place), NO_LABEL, dtype=np.int64) for _ in range(2))
        for unit, (label, others) in owners.items():
            own[self.place[unit]] = self.code.get(label, NO_LABEL)
            if others:
                second[self.place[unit]] = self.code.get(others[0], NO_LABEL)
        return own, second

    def _folded(self, reruns: Iterable[Ints], ratings: Sequence[str] | None) -> dict[int, int]:
        """For a judge of two ratings, who has no middle one: neutral counts as bad (KIWI).

        `ratings` are those among which its run let it choose. If no run says so, they are those that it gave.
        """
        figures = protocol_figures(self.rated.study)
        folded = figures.folded_labels(self.question) if figures else {}
        given = {code for labels in reruns for code in np.unique(labels).tolist()}
        known = given if ratings is None else {self.code[label] for label in ratings if label in self.code}
        pairs = {self.code[label]: self.code[other] for label, other in folded.items()}
        return {} if known & set(pairs) else pairs

    def _parts(self, own: TurnSplit | None) -> list[Ints]:
        """The seeded splits of a judge of turns: its own, if it was trained or shown examples, or SPLITS by turn."""
        turns = [named_turn(variant) for _, _, variant in self.place]
        if not turns or any(turn is None for turn in turns):
            return []
        splits = [own] if own is not None else [TurnSplit(by="turn", seed=seed) for seed in range(SPLITS)]
        items = dict(self.rated.study.items.values_list("pk", "key"))
        return [
            np.array(
                [
                    _part_code(split.part(items[item], *turn))
                    for (item, _, _), turn in zip(self.place, turns, strict=True)
                    if turn is not None
                ],
                dtype=np.int64,
            )
            for split in splits
        ]


def _newest_configuration(rater: int) -> Any:
    """The configuration of a machine's newest run, None without one."""
    return JudgeRun.objects.filter(rater=rater).order_by("-pk").values_list("configuration", flat=True).first()


def _part_code(part: str) -> int:
    return TRAINING if part == TRAINING_PART else TEST if part == TEST_PART else VALIDATION


def _text(value: str) -> str:
    parsed = json.loads(value)
    return parsed if isinstance(parsed, str) else value
