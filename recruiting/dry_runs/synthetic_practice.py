"""How a synthetic rater answers practice tasks: right with the set accuracy, else by merits that they make up."""

from random import Random

from annotation.answers import Form
from annotation.models import Item
from annotation.protocols import protocols
from recruiting.dry_runs.synthetic_answers import SyntheticRater, synthetic_form
from recruiting.way_in.gold_checks import gold_of
from recruiting.way_in.practice_tasks import PracticeTask


def practice_form(task: PracticeTask, golden: Item, rater: SyntheticRater, attempt: int) -> Form:
    """The form that the rater posts; `golden` is the task's item with its gold. Raises UnknownQuestionError."""
    protocol, sheet = protocols()[task.study.protocol], task.sheet
    own = Random(f"{rater.seed} {rater.name} practice {task.item.key} {attempt}")  # noqa: S311 - reproducible, not secret
    known = {}
    for question in task.questions:
        right = gold_of(question, golden.gold or {}, sheet.keys, protocol.asks_per)
        if own.random() < rater.accuracy and right is not None:
            known[question.key] = right
    merits = rater.merits(f"{task.item.key} {attempt}", sheet)
    return synthetic_form(protocol, task.questions, sheet, merits, known)
