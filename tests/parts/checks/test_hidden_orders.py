"""Which output of a twin is damaged, and the primary keys of a twin's rows, do not tell the order of the file."""

from collections import Counter

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Output, TaskOutput
from parts.checks.models import CheckItem
from parts.checks.preparing import _Preparing
from tests.parts.checks.checked_study import SYSTEMS, make_checked_study, rater_in

pytestmark = pytest.mark.django_db
ITEMS = 24
TWINS = {"first": 200, "twins": {"share": 0.2, "after": 1}}
EQUAL = {f"q-overall-{letter}": ["1"] for letter in "ABC"}


@pytest.fixture
def tasks(owner, tmp_path):
    """The tasks of the twins of all items of a study of lists; the rater has found all outputs equally good."""
    study = make_checked_study(tmp_path, owner, "listwise", items=ITEMS, golden=0, checks=TWINS)
    _, rater = rater_in(study, "ada")
    while (given := next_assignment(study, rater)) is not None:
        submit(given, Submission(EQUAL, 0))
    preparing = _Preparing(study, rater)
    copies = [(preparing._twin(given), given.task) for given in preparing.done]
    assert len(copies) == ITEMS
    return [preparing._task(item, source) for item, source in copies]


def test_the_damaged_output_is_not_of_one_system_in_most_twins(tasks):
    damaged = Counter(CheckItem.objects.filter(kind="twins").values_list("damaged", flat=True))
    assert damaged.total() == ITEMS
    assert max(damaged.values()) < ITEMS * 0.7


@pytest.mark.parametrize(
    ("model", "column", "system"), [(Output, "item__tasks", "key"), (TaskOutput, "task", "output__key")]
)
def test_the_rows_of_twins_are_not_made_in_the_order_of_the_file(tasks, model, column, system):
    orders = [
        tuple(model.objects.filter(**{column: one}).order_by("pk").values_list(system, flat=True)) for one in tasks
    ]
    assert {frozenset(order) for order in orders} == {frozenset(SYSTEMS)}
    assert max(Counter(orders).values()) < ITEMS * 0.5
