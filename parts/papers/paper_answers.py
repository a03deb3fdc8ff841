"""What tables read of a comparison beside the answers and figures that its report has, each on first use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.output_answers import Outputs
from annotation.blinding import shown_systems
from parts.papers.figures.reranking import reranking_report
from parts.papers.rows.judge_methods import JudgeMethod, judge_methods
from parts.papers.rows.span_shares import SpanShares, span_shares
from parts.papers.session_answers import SessionAnswers
from reports.figures import rows
from reports.figures.study_answers import Report, StudyAnswers


@dataclass(frozen=True)
class ComparedScores:
    """The outputs of the items that people answered in any of the questions, and their scores, (O,) each.

    `people` has people's means by question; `judges`, by question and name, an array for each rerun. Scores are numbers
    as given, s_i of rankings, or points of choices; NaN without one.
    """

    outputs: Outputs
    people: Mapping[str, Floats]
    judges: Mapping[str, Mapping[str, Sequence[Floats]]]

    def judge_means(self, key: str, name: str) -> Floats:
        """A judge's scores, averaged over the reruns that have one."""
        table = np.stack(self.judges[key][name])
        count = np.isfinite(table).sum(axis=0)
        return np.divide(np.nansum(table, axis=0), count, out=np.full(count.shape, np.nan), where=count > 0)


def compared_scores(
    outputs: Outputs, people: Mapping[str, PeopleAnswers], judges: Mapping[str, Sequence[Judge]]
) -> ComparedScores:
    """The scores of questions that people answered; the others are left out."""
    answered = {key: own for key, own in people.items() if own.scores.value.size}
    keep = np.any([own.answered_items() for own in answered.values()], axis=0)
    if not answered:
        keep = np.zeros(outputs.items, dtype=bool)
    kept, code = outputs.of_items(keep)
    return ComparedScores(
        kept,
        {key: own.scores.recoded(code).means(kept) for key, own in answered.items()},
        {
            key: {
                judge.name: [rerun.scores.recoded(code).means(kept) for rerun in judge.reruns] for judge in judges[key]
            }
            for key in answered
        },
    )


class PaperAnswers(StudyAnswers):
    """The answers of a comparison: what has been read of them is shared."""

    def __init__(self, answers: StudyAnswers) -> None:
        vars(self).update(vars(answers))
        self._reranked: dict[str, Report] = {}

    def answered(self, key: str) -> tuple[PeopleAnswers, list[Judge]]:
        """People's and the judges' answers about the items that people answered."""
        people, code = self.people(key).of_items(self.people(key).answered_items())
        return people, [one.recoded(code) for one in self.judges(key)]

    @cached_property
    def scores(self) -> ComparedScores:
        """The scores of all questions about outputs that people answered."""
        asked = self.compared_questions
        judges = {key: self.judges(key) for key in asked}
        return compared_scores(self.codes.arrays, {key: self.people(key) for key in asked}, judges)

    def reranked(self, key: str) -> Report:
        """People's mean scores of systems and of the outputs that judges pick, as `reranking_report` describes them."""
        if key not in self._reranked:
            people, judges = self.answered(key)
            scores = {one.name: [rerun.scores.means(people.outputs) for rerun in one.reruns] for one in judges}
            means = people.scores.means(people.outputs)
            self._reranked[key] = reranking_report(means, scores, people.outputs, replicates=self.replicates)
        return self._reranked[key]

    @cached_property
    def span_shares(self) -> dict[str, SpanShares]:
        """The outputs without a confirmed span, for each question about spans of outputs that people answered."""
        found = {key: span_shares(self.rated, one, self._people_choice) for key, one in self.questions.items()}
        return {key: shares for key, shares in found.items() if shares is not None}

    @cached_property
    def _people_choice(self) -> rows.Choice:
        """The ratings of the group of people."""
        if not self.compared.people and not self.compared.raters:
            return self.choice
        people = {rater.name for rater in self.raters.values() if rater.kind == rows.HUMAN} - self.compared.raters
        names = frozenset(people & self.compared.people if self.compared.people else people)
        return replace(self.choice, kinds=frozenset(), names=names)

    @cached_property
    def methods(self) -> dict[str, JudgeMethod]:
        """The model and protocol of each judge for which both are known."""
        return judge_methods(self.study)

    @cached_property
    def baseline(self) -> str | None:
        """The first system that the study calls its baseline, if it has outputs."""
        named = sorted(key for key, facts in shown_systems(self.study).items() if facts.get("baseline"))
        return next((key for key in named if key in self.codes.system_code), None)

    @cached_property
    def sessions(self) -> SessionAnswers | None:
        """The turns of a study's revision sessions with their labels, or None for a study without sessions."""
        found = SessionAnswers(self.study)
        return found if found.people.sessions else None
