from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment, open_slots, release_expired, release_held_by
from annotation.desk.submitting import Submission, skip, submit
from annotation.models import Annotation, Assignment, Rater, Slot, Study

pytestmark = [pytest.mark.quick, pytest.mark.both]
GOOD = {"q-follows": ["true"], "q-how_well": ["4"]}


@pytest.fixture
def raters(study):
    return [Rater.objects.create(study=study, name=name) for name in ("ada", "ben", "cyn")]


def answer(assignment):
    return submit(assignment, Submission(form=GOOD, revision=0))


def work_through(study, rater, most=100):
    done = []
    while len(done) < most and (assignment := next_assignment(study, rater)):
        done.append(answer(assignment))
    return done


def test_a_rater_gets_every_task_once_and_then_nothing(study, raters):
    done = work_through(study, raters[0])
    assert len({a.task_id for a in done}) == len(done) == 6
    assert next_assignment(study, raters[0]) is None


def test_the_quota_is_met_exactly_and_the_next_rater_gets_no_task(study, raters):
    for rater in raters:
        work_through(study, rater)
    assert Slot.objects.filter(state="filled").count() == 12  # 2 items, 3 outputs, k = 2
    assert Annotation.objects.filter(rater=raters[2]).count() == 0
    assert not Annotation.objects.filter(surplus=True).exists()


def test_an_items_outputs_stay_with_the_same_raters(study, raters):
    for _ in range(6):
        for rater in raters:
            assignment = next_assignment(study, rater)
            if assignment:
                answer(assignment)
    pairs = set(Slot.objects.filter(state="filled").values_list("item", "number", "holder"))
    assert len(pairs) == 4  # one holder an item and number


def test_raters_need_not_stay_together_if_the_study_says_so(make_study):
    study = make_study(items=1, redundancy=2, options={"same_raters": False}, status="draft")
    from annotation.studies.planning import plan_chunk

    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    first, second = (Rater.objects.create(study=study, name=name) for name in "ab")
    next_assignment(study, first)
    assert Slot.objects.filter(holder=first).count() == 1
    next_assignment(study, second)
    assert Slot.objects.filter(holder=second).count() == 1


def test_asking_again_without_answering_gives_the_same_task(study, raters):
    assert next_assignment(study, raters[0]) == next_assignment(study, raters[0])
    assert AuditEntry.objects.filter(action="task assigned").count() == 1


@pytest.mark.parametrize("status", ["draft", "paused", "closed"])
def test_only_a_live_study_gives_work(study, raters, status):
    Study.objects.update(status=status)
    assert next_assignment(study, raters[0]) is None


def test_the_database_refuses_the_same_rater_twice_on_a_task(study, raters):
    first, second = Slot.objects.filter(task=Slot.objects.first().task).order_by("number")
    later = timezone.now()
    Slot.objects.filter(pk=first.pk).update(state="held", holder=raters[0], lease_until=later)
    with pytest.raises(IntegrityError), transaction.atomic():
        Slot.objects.filter(pk=second.pk).update(state="held", holder=raters[0], lease_until=later)


def test_the_database_refuses_a_second_current_annotation_of_one_rater(study, raters):
    task = Slot.objects.first().task
    common = {"task": task, "status": "submitted", "shown": [0], "protocol_version": 1}
    Annotation.objects.create(rater=raters[0], revision=1, **common)
    Annotation.objects.create(rater=raters[1], revision=1, **common)
    with pytest.raises(IntegrityError), transaction.atomic():
        Annotation.objects.create(rater=raters[0], revision=2, **common)


def test_slots_with_expired_leases_open_again_and_a_late_answer_takes_one(study, raters):
    assignment = next_assignment(study, raters[0])
    Slot.objects.filter(holder=raters[0]).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert release_expired(study, timezone.now()) == 3
    assert not Slot.objects.filter(holder=raters[0]).exists()
    late = answer(assignment)
    assert not late.surplus
    assert Slot.objects.get(task=late.task, holder=raters[0]).state == "filled"


def test_a_late_answer_beyond_the_quota_is_kept_as_surplus(study, raters):
    late = next_assignment(study, raters[0])
    Slot.objects.filter(holder=raters[0]).update(lease_until=timezone.now() - timedelta(seconds=1))
    work_through(study, raters[1])
    work_through(study, raters[2])
    kept = answer(late)
    assert kept.surplus
    assert kept.ratings.count() == 2
    assert Slot.objects.filter(task=late.task, state="filled").count() == 2


def test_a_renewed_lease_is_not_released(study, raters):
    next_assignment(study, raters[0])
    assert release_expired(study, timezone.now() + timedelta(minutes=29)) == 0
    assert release_expired(study, timezone.now() + timedelta(minutes=31)) == 3


def test_a_skipped_task_goes_to_somebody_else_and_not_back(study, raters):
    assignment = next_assignment(study, raters[0])
    skip(assignment, Submission(form={}, revision=0), "I know the author")
    assert assignment.task_id not in [a.task_id for a in work_through(study, raters[0])]
    assert assignment.task_id in open_slots(study, raters[1]).values_list("task", flat=True)


def test_tasks_released_behind_a_raters_place_are_found_at_the_end(study, raters):
    first = next_assignment(study, raters[0])  # ada takes item 1, number 0
    next_assignment(study, raters[1])  # ben takes item 1, number 1
    done = work_through(study, raters[2])  # cyn: only item 2 is open
    assert len(done) == 3
    release_held_by(study, raters[0], "left")
    assert {a.task.item_id for a in work_through(study, raters[2])} == {first.task.item_id}


def test_the_order_within_an_item_differs_between_raters(make_study):
    study = make_study(items=8, redundancy=4)
    from annotation.studies.planning import plan_chunk

    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    orders = []
    for name in "abcd":
        rater = Rater.objects.create(study=study, name=name)
        orders.append([a.task_id for a in work_through(study, rater)])
    assert len({tuple(order) for order in orders}) == 4
    assert len({tuple(sorted(order)) for order in orders}) == 1


def test_claiming_takes_the_same_number_of_queries_early_and_late(study, raters, django_assert_max_num_queries):
    work_through(study, raters[0], most=4)
    with django_assert_max_num_queries(20):
        next_assignment(study, raters[0])
    assert Assignment.objects.filter(rater=raters[0]).count() == 5
