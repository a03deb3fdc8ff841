"""The probabilities that a judge gave to the answers of a question, and the shares of people who gave them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.meta_evaluation.compared_answers import PeopleAnswers
from agreement.meta_evaluation.output_answers import means_by
from annotation.machine_shapes import SCORE
from annotation.models import Question, Rating
from annotation.questions import question_types
from reports.figures.rows import CHUNK
from reports.figures.rows.compared_rows import OutputCodes

YES = "yes"


@dataclass(frozen=True)
class AnswerProbabilities:
    """Probabilities (N, K) of the K answers of a question, for outputs (N,) as codes; every rerun has its own rows."""

    output: Ints
    probability: Floats


def allowed_steps(question: Question, *, yes_or_no: bool) -> tuple[str, ...]:
    """The answers whose probabilities count: `yes`, or the steps of a scale; nothing for other questions."""
    if yes_or_no:
        return (YES,)
    kind = question_types()[question.type]
    return tuple(str(step) for step in kind.steps(question.spec)) if kind.level == "interval" else ()


def answer_probabilities(
    codes: OutputCodes, complete: Iterable[tuple[str, QuerySet[Rating]]], steps: tuple[str, ...]
) -> AnswerProbabilities:
    """The probabilities in a machine's reruns, of rows whose distribution is over the question's answers."""
    output: list[int] = []
    probability: list[list[float]] = []
    for level, rows in complete:
        if level != SCORE or not steps:
            continue
        given = rows.filter(distribution__isnull=False).order_by().values_list("output_id", "distribution")
        for pk, distribution in given.iterator(chunk_size=CHUNK):
            row = _of_steps(distribution, steps)
            if row is not None:
                output.append(pk)
                probability.append(row)
    table = np.array(probability, dtype=np.float64).reshape(-1, max(len(steps), 1))
    return AnswerProbabilities(codes.of_pks(np.array(output, dtype=np.int64)), table)


def people_shares(people: PeopleAnswers, steps: tuple[str, ...]) -> Floats:
    """The share of people who gave each answer about each output, (O, K), NaN if nobody answered."""
    scores = people.scores
    wanted = [1.0] if steps == (YES,) else [float(step) for step in steps]
    columns = [means_by(scores.output, (scores.value == one).astype(np.float64), people.outputs.size) for one in wanted]
    return np.stack(columns, axis=1) if columns else np.zeros((people.outputs.size, 0))


def _of_steps(distribution: Any, steps: tuple[str, ...]) -> list[float] | None:
    """The probabilities of the steps, 0 for a step without one; None if the distribution is over other answers."""
    if not isinstance(distribution, Mapping):
        return None
    known = {str(answer).lower(): value for answer, value in distribution.items()}
    if not any(step in known for step in steps):
        return None
    row = [known.get(step, 0.0) for step in steps]
    if not all(isinstance(value, int | float) and 0 <= value <= 1 for value in row):
        return None
    return [float(value) for value in row]
