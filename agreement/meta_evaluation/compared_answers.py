"""The answers that a meta-evaluation compares: a group of people's, and each judge's, in both views."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, OutputScores, summable


@dataclass(frozen=True)
class PeopleAnswers:
    """A group of people's answers to a question about outputs, without repeats.

    With `yes_or_no`, scores are 1 or 0, and the majority about an output is a label.
    """

    outputs: Outputs
    scores: OutputScores
    choices: OutputChoices
    yes_or_no: bool = False

    def answered_items(self) -> np.ndarray:
        """Whether people answered about an item, (I,)."""
        there = np.zeros(self.outputs.items, dtype=bool)
        there[self.outputs.item[self.scores.output]] = True
        return there

    def of_items(self, keep: np.ndarray) -> tuple["PeopleAnswers", Ints]:
        """The answers about the items with a true `keep` (I,), and the new code of each output, (O,)."""
        outputs, code = self.outputs.of_items(keep)
        scores, choices = self.scores.recoded(code), self.choices.recoded(code)
        return replace(self, outputs=outputs, scores=scores, choices=choices), code


@dataclass(frozen=True)
class Rerun:
    """A judge's answers in one rerun; `shape` is the view in which they were given: score, choice or ranking."""

    scores: OutputScores
    choices: OutputChoices
    shape: str


@dataclass(frozen=True)
class Judge:
    """A rater to compare with people; `own_family` (S,) is true for systems of its family, None if that is unknown.

    `about` is put into its report as it is.
    """

    name: str
    reruns: Sequence[Rerun]
    own_family: np.ndarray | None = None
    about: Report = field(default_factory=dict)

    def recoded(self, code: Ints) -> "Judge":
        """The judge's answers under new codes of outputs, (O,)."""
        reruns = [Rerun(one.scores.recoded(code), one.choices.recoded(code), one.shape) for one in self.reruns]
        return replace(self, reruns=reruns)


def people_who_scored(outputs: Outputs, scores: OutputScores, *, yes_or_no: bool = False) -> PeopleAnswers:
    """People who gave scores."""
    latest = scores.latest()
    return PeopleAnswers(outputs, latest, latest.choices(outputs), yes_or_no)


def people_who_ranked(outputs: Outputs, scores: OutputScores, choices: OutputChoices) -> PeopleAnswers:
    """People who ranked, as s_i and as the choices within each ranking.

    Of an output that somebody ranked several times the last s_i counts, and of a pair the last ranking that has both.
    """
    return PeopleAnswers(outputs, scores.latest(), choices.latest(outputs))


def people_who_chose(outputs: Outputs, choices: OutputChoices) -> PeopleAnswers:
    """People who chose between two outputs; their scores are points, 2 for a win, 1 for a tie, 0 for a loss."""
    latest = choices.latest(outputs)
    return PeopleAnswers(outputs, latest.scores(outputs), latest)


def rerun_of_scores(outputs: Outputs, scores: OutputScores, shape: str = "score") -> Rerun:
    """A rerun that gave scores, in any unit. Of several scores of one output the last counts."""
    latest = scores.latest()
    latest = replace(latest, value=summable(latest.value))
    return Rerun(latest, latest.choices(outputs), shape)


def rerun_of_rankings(outputs: Outputs, scores: OutputScores, choices: OutputChoices) -> Rerun:
    """A rerun that ranked, as s_i and as the choices within each ranking; repeats count as those of people do."""
    return Rerun(scores.latest(), choices.latest(outputs), "ranking")


def rerun_of_choices(outputs: Outputs, choices: OutputChoices) -> Rerun:
    """A rerun that chose between two outputs; a pair may have been judged in both orders."""
    return Rerun(choices.scores(outputs), choices, "choice")


def majority_is_yes(means: Floats) -> Floats:
    """From means of 1 and 0, (N,): 1 or 0 by the majority, 0.5 if it is tied, NaN without an answer."""
    return np.asarray(np.sign(means - 0.5) / 2 + 0.5)
