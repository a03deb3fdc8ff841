"""How systems fared against a study's baseline system, by each judge and by people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.meta_evaluation.output_answers import OutputChoices
from parts.papers.figures.system_outcomes import system_outcomes
from parts.papers.figures.win_rates import PreferenceTable, preference_table
from parts.papers.paper_answers import PaperAnswers

PEOPLE = "people"


@dataclass(frozen=True)
class BaselinePreferences:
    """One judge's preferences between systems and the baseline; `part` names the judge, and the question if needed."""

    part: str
    baseline: str
    table: PreferenceTable


def baseline_preferences(answers: PaperAnswers) -> Iterator[BaselinePreferences]:
    """People's preferences and those of each judge, question by question; those without any are left out.

    All reruns of a judge count alike: an item counts with the share of the judgments that prefer the system or tie.
    """
    asked = answers.compared_questions
    baseline = answers.baseline if asked else None
    if baseline is None:
        return
    for key in asked:
        given = [(PEOPLE, [answers.people(key).choices])]
        given += [(judge.name, [rerun.choices for rerun in judge.reruns]) for judge in answers.judges(key)]
        for name, choices in given:
            outcomes = system_outcomes(joined_choices(choices), answers.codes.arrays)
            table = preference_table(outcomes, baseline)
            if table.systems:
                yield BaselinePreferences(name if len(asked) == 1 else f"{key}: {name}", baseline, table)


def joined_choices(choices: Sequence[OutputChoices]) -> OutputChoices:
    """The choices of several reruns one after the other, as those of one rater."""

    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(one, name) for one in choices])

    first = column("first")
    return OutputChoices(
        first, column("second"), np.zeros_like(first), column("choice"), column("shown_first"), ("joined",)
    )
