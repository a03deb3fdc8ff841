"""Researchers change an item's places while raters claim and answer it: nothing is lost, doubled or locked for good."""

import random
from contextlib import ExitStack

import pytest

from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Item, Slot, Study
from annotation.studies.locking import RaterGoneError
from annotation.studies.planning import plan_chunk
from annotation.studies.slot_steps import add_rater, cancel_open, free_slot, reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError, restore, set_priority, withdraw
from tests.conftest import make_person
from tests.processes import child, finished, said, tell

ANSWER = """
from annotation.desk.assigning import BusyError, next_assignment
from annotation.desk.submitting import StaleRevisionError
from annotation.desk.submitting import Submission, submit
from annotation.models import Rater
rater = Rater.objects.select_related("study").get(pk=int(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
missed = 0
while missed < 8:
    try:
        task = next_assignment(rater.study, rater)
    except BusyError:
        continue
    if task is None:
        missed += 1
        continue
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0, guidelines_version=1))
"""
RATERS, ITEMS = 3, 12


@pytest.fixture
def busy(transactional_db, make_study, owner):
    study = make_study(items=ITEMS, redundancy=2)
    people = [make_person(f"rater-{number}") for number in range(RATERS)]
    for person in people:
        add_member(study, person, "annotator", owner)
    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    return Study.objects.get(pk=study.pk), [rater_for(study, person) for person in people]


def steps(study, raters, owner, seed):
    """Take steps on random items for as long as asked; what is refused was changed by a claim meanwhile."""
    draw = random.Random(seed)
    items = list(study.items.order_by("pk"))
    while True:
        item = Item.objects.select_related("study").get(pk=draw.choice(items).pk)
        slots = list(Slot.objects.select_related("item").filter(item=item).exclude(state="filled").order_by("pk"))
        kind = draw.randrange(6)
        try:
            if kind == 0:
                withdraw(item, "Out.", owner)
            elif kind == 1:
                restore(item, "In.", owner)
            elif kind == 2:
                set_priority(item, draw.randrange(3), "Now.", owner)
            elif kind == 3 and Slot.objects.filter(item=item).count() < 30:
                add_rater(item, "More.", owner)
            elif kind == 4 and slots:
                free_slot(draw.choice(slots), "Free.", owner)
            elif kind == 5 and slots:
                reserve_slot(draw.choice(slots), draw.choice(raters), 1, "Yours.", owner)
        except (ItemStepRefusedError, RaterGoneError):  # some tests erase raters
            pass
        yield


def test_steps_and_claims_at_once_keep_every_answer_and_every_quota(busy, owner):
    study, raters = busy
    taking = steps(study, raters, owner, seed=5)
    with ExitStack() as stack:
        children = [stack.enter_context(child(ANSWER, rater.pk)) for rater in raters]
        for one in children:
            assert said(one) == "ready"
        for one in children:
            tell(one)
        while any(one.poll() is None for one in children):
            next(taking)
        for one in children:
            finished(one)
    counted = Annotation.objects.filter(is_current=True, status="submitted", surplus=False)
    assert counted.count() == Slot.objects.filter(state="filled").count()
    for slot in Slot.objects.filter(state="filled"):
        assert counted.filter(task=slot.task, rater=slot.holder).exists()
    for item in study.items.all():
        places = set(Slot.objects.filter(item=item).values_list("place", flat=True))
        assert len(places) == 1
        assert (places.pop() < 0) == (item.withdrawn_at is not None)


@pytest.mark.thorough
@pytest.mark.usefixtures("busy")
def test_two_researchers_who_take_steps_at_once_do_not_lock_each_other():
    code = (
        "from tests.annotation.studies.test_steps_and_claims import steps\n"
        "from accounts.models import Person\nfrom annotation.models import Study\n"
        "study = Study.objects.get()\nowner = Person.objects.get(username='owner')\n"
        "taking = steps(study, list(study.raters.all()), owner, int(sys.argv[1]))\n"
        "print('ready', flush=True)\nsys.stdin.readline()\n"
        "for _ in range(60):\n    next(taking)\n"
    )
    with ExitStack() as stack:
        children = [stack.enter_context(child(code, seed)) for seed in (1, 2)]
        for one in children:
            assert said(one) == "ready"
        for one in children:
            tell(one)
        for one in children:
            finished(one)


def test_cancelled_places_are_never_taken(busy, owner):
    study, raters = busy
    with ExitStack() as stack:
        children = [stack.enter_context(child(ANSWER, rater.pk)) for rater in raters]
        for one in children:
            assert said(one) == "ready"
            tell(one)
        for item in study.items.select_related("study"):
            try:
                cancel_open(item, "Enough.", owner)
            except ItemStepRefusedError:
                continue
        for one in children:
            finished(one)
    assert not Slot.objects.filter(state="open").exists()
    counted = Annotation.objects.filter(is_current=True, status="submitted", surplus=False)
    assert counted.count() == Slot.objects.filter(state="filled").count()
