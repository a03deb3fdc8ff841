"""One reading of a study's answers about outputs: a group of people's and the judges', question by question."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers, Rerun
from agreement.meta_evaluation.judge_report import REPLICATES, judge_report
from agreement.meta_evaluation.label_judges import label_judge_report
from agreement.meta_evaluation.panel import panel_of
from annotation.models import Rater, Study
from annotation.questions import question_types
from annotation.studies.families import judge_families, system_families
from reports.figures import rows
from reports.figures.agreement_report import choose
from reports.figures.label_answers import LabelAnswers, choices_of
from reports.figures.rows.compared_rows import (
    SHAPES,
    CompleteReruns,
    OutputCodes,
    compares_outputs,
    complete_reruns,
    people_rows,
    reruns_of,
)
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.run_costs import run_costs
from reports.report_kinds.meta_evaluation import EPSILON

MACHINES = frozenset({Rater.Kind.MODEL.value, Rater.Kind.METRIC.value})
NO_PEOPLE = "no person of the group answered this question"
TWO_JUDGES = "a panel needs two judges that answered this question, in the same shape"
NOT_COMPARED = "answers to this question are neither about outputs nor one label each"

Report = dict[str, Any]
Complete = dict[int, CompleteReruns]


@dataclass(frozen=True)
class RaterComparison:
    """What a meta-evaluation compares.

    `kinds` and `raters` choose the judges, who may be people; `people` names the group, which by default is everybody
    who is not a judge. `across` pairs questions: the judges' answers to the first are compared with people's to the
    second. With `categories` each question also has the figures of each category's items. `questions` are those that
    the reader chose for tables of parts, by name (`ComparisonQuestion`). `positive` is the label of precision, recall
    and F1; by default it is a question's first choice. The judges of a `panel` are compared, and once more as one
    judge. `epsilon` is what a person's answers may be better by in the alternative-annotator test. `pairs_by_name` is
    that of `agreement.arrays.pair_choices.PairChoices`.
    """

    kinds: frozenset[str] = MACHINES
    raters: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    guidelines: int | str | None = None
    across: tuple[tuple[str, str], ...] = ()
    categories: bool = False
    questions: Mapping[str, str] = field(default_factory=dict)
    positive: str | None = None
    panel: frozenset[str] = frozenset()
    epsilon: float = EPSILON
    pairs_by_name: bool = False

    @property
    def judges_by_name(self) -> frozenset[str]:
        return self.raters | self.panel


class StudyAnswers:
    """What people and judges answered, each question read once, on first use.

    Machines are read if they were shown the guidelines version that people's answers have, or none; if people's have
    no version, or there are no people, the latest version that machines were shown. Raises ChoiceInvalidError for an
    unknown rater, question or version.
    """

    def __init__(self, study: Study, compared: RaterComparison, replicates: int = REPLICATES) -> None:
        self.study, self.compared, self.replicates = study, compared, replicates
        self.questions = {question.key: question for question in study.questions.order_by("position")}
        self.raters = {rater.pk: rater for rater in Rater.objects.filter(study=study)}
        named = {rater.name for rater in self.raters.values()}
        for name in sorted((compared.judges_by_name | compared.people) - named):
            raise rows.ChoiceInvalidError(f"There is no rater called {name}.")
        if len(compared.panel) == 1:
            raise rows.ChoiceInvalidError("A panel needs at least two judges.")
        named_questions = {key for pair in compared.across for key in pair} | {*compared.questions.values()}
        for key in sorted(named_questions - set(self.questions)):
            raise rows.ChoiceInvalidError(f"There is no question called {key}.")
        if compared.positive is not None:
            self._check_label(compared.positive)
        machines = rows.Choice(compared.kinds - rows.PEOPLE, names=compared.judges_by_name)
        self.choice, self.said = choose(study, rows.PEOPLE, frozenset(), compared.guidelines, judges=machines)
        self.machines = replace(
            machines, version=self.choice.version, shown=self.choice.shown, pooled=self.choice.pooled
        )
        self.rated = RatedItems(study)
        self.costs = run_costs(study)
        self._people: dict[str, tuple[PeopleAnswers, list[Judge]]] = {}
        self._judges: dict[str, list[Judge]] = {}
        self._complete: dict[str, Complete] = {}
        self._figures: dict[tuple[str, str], Report] = {}

    def _check_label(self, label: str) -> None:
        if not any(label in choices_of(question) for question in self.questions.values()):
            raise rows.ChoiceInvalidError(f"No question has the label {label[:100]}.")

    @cached_property
    def codes(self) -> OutputCodes:
        return OutputCodes(self.rated, pairs_by_name=self.compared.pairs_by_name)

    @cached_property
    def compared_questions(self) -> list[str]:
        """The keys of the questions whose answers are about outputs, in their order."""
        return [key for key, one in self.questions.items() if compares_outputs(self.study, one)]

    def shape(self, key: str) -> str:
        """How people answer a question about outputs: score, choice or ranking."""
        return SHAPES.get(question_types()[self.questions[key].type].level, "score")

    def people(self, key: str) -> PeopleAnswers:
        """The group's answers to a question about outputs."""
        return self._divided(key)[0]

    def judges(self, key: str) -> list[Judge]:
        """The judges that answered a question about outputs: machines by name, then people, then the panel."""
        return self._with_panel([*self._machine_judges(key), *self._divided(key)[1]])

    def figures(self, judged: str, against: str | None = None) -> Report:
        """The figures of answers to `judged` against people's answers to the same or another question."""
        about = judged if against is None else against
        if (judged, about) not in self._figures:
            self._figures[judged, about] = self._compared(judged, about)
        return self._figures[judged, about]

    def of_items(self, key: str, keep: np.ndarray) -> Report:
        """The figures of a question for the items with a true `keep`, (I,)."""
        some, code = self.people(key).of_items(keep)
        if not some.scores.value.size:
            return {"judges": {}, "undefined": {"judges": NO_PEOPLE}}
        return judge_report(some, [one.recoded(code) for one in self.judges(key)], replicates=self.replicates)

    @cached_property
    def categories(self) -> dict[str, np.ndarray]:
        """The items of each category, as (I,) of true and false, the categories in order."""
        of_items = self.rated.categories
        names = sorted({name for own in of_items for name in own})
        return {name: np.array([name in own for own in of_items]) for name in names}

    @cached_property
    def families(self) -> dict[str, str]:
        """The family of each system that the study describes."""
        return system_families(self.study)

    @cached_property
    def judge_families(self) -> dict[str, str | None]:
        """The family of each model and metric, if it is known."""
        return judge_families(self.study)

    def _compared(self, judged: str, about: str) -> Report:
        if about not in self.compared_questions:
            return self._labels(judged, about)
        people = self.people(about)
        if not people.scores.value.size:
            return {"judges": {}, "undefined": {"judges": NO_PEOPLE}}
        persons = self._divided(judged)[1] if judged in self.compared_questions else []
        judges = self._with_panel([*self._machine_judges(judged), *persons])
        report = judge_report(people, judges, replicates=self.replicates)
        if self.compared.panel and not any("panel" in one.about for one in judges):
            report["undefined"] = {"panel": TWO_JUDGES}
        return report

    def _with_panel(self, judges: list[Judge]) -> list[Judge]:
        """The judges and, if all of the panel are among them and answered in one shape, the panel."""
        panel = [one for one in judges if one.name in self.compared.panel]
        shapes = {rerun.shape for one in panel for rerun in one.reruns}
        if len(panel) < max(2, len(self.compared.panel)) or len(shapes) != 1:
            return judges
        made = panel_of(f"panel of {', '.join(one.name for one in panel)}", panel, self.codes.arrays)
        prices = [one.about.get("price_per_1000") for one in panel]
        known = {} if None in prices else {"price_per_1000": sum(price for price in prices if price is not None)}
        return [*judges, replace(made, about={"kind": "panel", "family": None, **known, **made.about})]

    def _labels(self, judged: str, about: str) -> Report:
        """The figures of a question with labels as answers."""
        question = self.questions[about]
        if judged != about or not choices_of(question):
            return {"judges": {}, "undefined": {"judges": NOT_COMPARED}}
        labels = LabelAnswers(
            self.rated, question, self.choice, self.machines, self.compared.people, self.compared.raters
        )
        if not labels.place:
            return {"judges": {}, "undefined": {"judges": NO_PEOPLE}}
        judges = labels.judges(self.raters, self._about)
        positive = self.compared.positive if self.compared.positive in labels.names else labels.names[0]
        return label_judge_report(labels.units, judges, positive=positive, replicates=self.replicates)

    def _about(self, rater: Rater, left_out: int) -> Report:
        """What a report says of a judge besides its figures; `left_out` are its answers of unfinished runs."""
        family = self.judge_families.get(rater.name)
        dropped = {"unfinished_left_out": left_out} if left_out else {}
        return {"kind": rater.kind, "family": family, **dropped, **self.costs.get(rater.pk, {})}

    def _divided(self, key: str) -> tuple[PeopleAnswers, list[Judge]]:
        """The group's answers to a question, and those of people who are judges, each by themselves."""
        if key not in self._people:
            everybody = people_rows(self.codes, self.questions[key], self.choice)
            names = np.array(everybody.scores.raters, dtype=object)
            is_judge = np.array([name in self.compared.judges_by_name for name in names], dtype=bool)
            in_group = ~is_judge
            if self.compared.people:
                in_group &= np.array([name in self.compared.people for name in names], dtype=bool)
            persons = [
                Judge(
                    str(names[code]),
                    [_only(everybody, np.arange(names.size) == code, self.shape(key))],
                    about={"kind": rows.HUMAN},
                )
                for code in np.flatnonzero(is_judge)
            ]
            group = _only(everybody, in_group, self.shape(key))
            people = PeopleAnswers(everybody.outputs, group.scores, group.choices, everybody.yes_or_no)
            self._people[key] = people, persons
        return self._people[key]

    def _machine_judges(self, key: str) -> list[Judge]:
        """The chosen machines that answered a question about outputs, by name."""
        if key not in self._judges:
            complete = self.complete(key)
            self._judges[key] = [
                self._judge(self.raters[pk], reruns_of(self.codes, own.reruns), own.left_out)
                for pk, own in complete.items()
            ]
        return self._judges[key]

    def complete(self, key: str) -> Complete:
        """The reruns of each machine that are compared, by the machine's primary key, in the order of names."""
        if key not in self._complete:
            found = complete_reruns(self.study, self.questions[key], self.machines)
            self._complete[key] = {pk: found[pk] for pk in sorted(found, key=lambda pk: self.raters[pk].name)}
        return self._complete[key]

    def _judge(self, rater: Rater, reruns: list[Rerun], left_out: int) -> Judge:
        family = self.judge_families.get(rater.name)
        own = None
        if family is not None and self.families:
            own = np.array([self.families.get(name) == family for name in self.codes.arrays.systems], dtype=bool)
        return Judge(rater.name, reruns, own, self._about(rater, left_out))


def _only(answers: PeopleAnswers, raters: np.ndarray, shape: str) -> Rerun:
    """The answers of the raters with a true entry, (raters,), in both views."""
    return Rerun(
        answers.scores.only(raters[answers.scores.rater]), answers.choices.only(raters[answers.choices.rater]), shape
    )
