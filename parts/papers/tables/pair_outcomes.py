"""Choices between systems' outputs by people and by judges, for the tables of wins, ties and losses."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agreement.meta_evaluation.compared_answers import Rerun
from agreement.meta_evaluation.output_answers import OutputChoices
from parts.papers.figures.system_outcomes import OUTCOMES, SystemOutcomes, system_outcomes
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import TableColumn

PEOPLE = "people"


def outcome_columns(anchor: str) -> tuple[TableColumn, ...]:
    """The columns of wins, ties and losses, described under `anchor`."""
    return tuple(TableColumn(name, name.capitalize(), "share", anchor) for name in OUTCOMES)


def outcomes_of(answers: PaperAnswers, key: str, judges: int) -> tuple[list[tuple[str, SystemOutcomes]], int]:
    """The outcomes of people's choices and of the best judges', at most `judges`, and the number of other judges.

    The best judges are those that choose as people's majority most often. Items have the study's codes.
    """
    outputs, people = answers.codes.arrays, answers.people(key)
    by_name = {one.name: one for one in answers.judges(key)}
    ordered = best_judges(answers, key)
    found = [(PEOPLE, people.choices), *((name, all_choices(by_name[name].reruns)) for name in ordered[:judges])]
    outcomes = [(name, system_outcomes(choices, outputs)) for name, choices in found if choices.choice.size]
    return outcomes, max(len(ordered) - judges, 0)


def best_judges(answers: PaperAnswers, key: str) -> list[str]:
    """The judges of a question by their accuracy, the highest first, then by name; those without one are last."""
    figures = answers.figures(key)["judges"]
    accuracy = {one.name: figures.get(one.name, {}).get("accuracy") for one in answers.judges(key)}
    return sorted(accuracy, key=lambda name: (-1.0 if accuracy[name] is None else -accuracy[name] - 2.0, name))


def only_judged_items(outcomes: SystemOutcomes) -> SystemOutcomes:
    """The same outcomes with new codes for the items that have one, so that intervals draw no other items."""
    items, item = np.unique(outcomes.item, return_inverse=True)
    return replace(outcomes, item=item.astype(np.int64), items=int(items.size))


def all_choices(reruns: Sequence[Rerun]) -> OutputChoices:
    """The choices of all reruns, one after the other."""
    every = [rerun.choices for rerun in reruns]
    return OutputChoices(
        first=np.concatenate([one.first for one in every]),
        second=np.concatenate([one.second for one in every]),
        rater=np.concatenate([one.rater for one in every]),
        choice=np.concatenate([one.choice for one in every]),
        shown_first=np.concatenate([one.shown_first for one in every]),
        raters=every[0].raters,
    )


def left_out_note(others: int) -> list[str]:
    """A sentence about judges that are left out, if there are any."""
    if not others:
        return []
    return [f"Only the judges that choose most often as people do are shown; {others} more are left out."]
