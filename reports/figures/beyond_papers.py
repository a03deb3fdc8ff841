"""Adds the figures beyond the papers to a question of the meta-evaluation: of each judge, and of systems."""

from typing import Any

import numpy as np

from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.output_answers import NOWHERE, OutputChoices
from annotation.questions import question_types
from reports.figures.judge_details import (
    REPLICATES,
    SEED,
    JudgeEvidence,
    QuestionAnswered,
    choices_together,
    judge_details,
)
from reports.figures.rows.answer_probabilities import (
    AnswerProbabilities,
    allowed_steps,
    answer_probabilities,
    people_shares,
)
from reports.figures.rows.output_style import FEATURES, output_styles
from reports.figures.rows.run_facts import example_outputs, probe_flips
from reports.figures.study_answers import Report, StudyAnswers
from reports.figures.system_details import baseline_of, system_details


class FiguresBeyondPapers:
    """What is read once for all questions of a study: probes, examples and the style of outputs."""

    def __init__(self, answers: StudyAnswers) -> None:
        self.answers = answers
        self.replicates = min(REPLICATES, answers.replicates)
        self.pks = {rater.name: pk for pk, rater in answers.raters.items()}
        self.flips = probe_flips(answers.study)
        self.examples = example_outputs(answers.study)

    def settings(self) -> dict[str, Any]:
        """What the figures depend on beside the answers."""
        return {"replicates": self.replicates, "seed": SEED, "epsilon": self.answers.compared.epsilon}

    def added(self, key: str, figures: Report) -> Report:
        """A question's figures with those beyond the papers; unchanged if nobody can be compared."""
        if key not in self.answers.compared_questions or not figures["judges"] or "people" not in figures:
            return figures
        people, judges = self.answers.people(key), self.answers.judges(key)
        question = self.answers.questions[key]
        kind = question_types()[question.type]
        steps = allowed_steps(question, yes_or_no=people.yes_or_no)
        shape = self.answers.shape(key)
        asked = QuestionAnswered(
            people, shape, kind.scale(question.spec) if shape == "score" else None, people_shares(people, steps),
            self.answers.compared.epsilon, self.replicates, kind.takes_ties(question.spec),
        )  # fmt: skip
        details = {one.name: judge_details(asked, self._evidence(one, key, steps)) for one in judges}
        return {
            **figures,
            "judges": {name: {**own, **details[name]} for name, own in figures["judges"].items()},
            "systems": self._systems(people, judges),
        }

    def _evidence(self, judge: Judge, key: str, steps: tuple[str, ...]) -> JudgeEvidence:
        pk = self.pks.get(judge.name)
        if pk is None:
            return JudgeEvidence(judge)
        own = self.answers.complete(key).get(pk)
        complete = own.reruns if own else []
        probabilities: AnswerProbabilities = answer_probabilities(self.answers.codes, complete, steps)
        shown = self.examples.get((pk, key), set())
        codes = self.answers.codes.of_pks(np.array(sorted(shown), dtype=np.int64))
        return JudgeEvidence(judge, probabilities, self.flips.get(pk), codes)

    def _systems(self, people: PeopleAnswers, judges: list[Judge]) -> Report:
        """Strengths and win rates over the items that people answered."""
        some, code = people.of_items(people.answered_items())
        kept = code != NOWHERE
        styles = output_styles(self.answers.codes, kept)[kept]
        baseline = baseline_of(self.answers.study.systems, some.outputs.systems)

        def details(choices: OutputChoices) -> Report:
            return system_details(choices, some.outputs, styles, FEATURES, baseline, self.replicates)

        return {
            "baseline": baseline,
            "people": details(some.choices),
            "judges": {one.name: details(choices_together(one.recoded(code))) for one in judges},
        }
