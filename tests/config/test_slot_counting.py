"""What the triggers count of slots is what a plain count gives, after each kind of change, on both databases."""

from random import Random

import pytest
from django.utils import timezone

from annotation.models import Item, Rater, Slot, Task
from parts.routing.models import QuotaMember, RoutingQuota

pytestmark = [pytest.mark.both, pytest.mark.django_db]
LANES, STEPS = 4, 150


@pytest.fixture
def counted(make_study):
    """A study with quotas of one lane, of some and of all, and three raters, of whom the last is in no quota."""
    study = make_study("counted", items=1)
    raters = [Rater.objects.create(study=study, name=f"rater-{number}") for number in range(3)]
    for first, last in ((1, 1), (2, LANES), (1, LANES)):
        quota = RoutingQuota.objects.create(
            study=study, key=f"{first}-{last}", most=99, first_lane=first, last_lane=last
        )
        for rater in raters[:2] if last == LANES else raters[:1]:
            QuotaMember.objects.create(rater=rater, quota=quota)
    item = Item.objects.get(study=study)
    tasks = [Task.objects.create(item=item, key=f"k{number}") for number in range(6)]
    return study, raters, tasks


def change(random, study, raters, tasks):
    """Insert a slot, delete one, give one to another or to nobody, or change what does not count."""
    slot = random.choice([None, *Slot.objects.filter(study=study).order_by("pk")])
    task = slot.task if slot else random.choice(tasks)
    there = list(Slot.objects.filter(task=task).values_list("number", "holder"))
    holder = random.choice([None, *(rater for rater in raters if rater.pk not in [taken for _, taken in there])])
    state = {"state": "filled" if holder else "open", "holder": holder, "lease_until": None}
    if slot is None:
        number, lane = max((number for number, _ in there), default=-1) + 1, random.randrange(LANES + 1)
        Slot.objects.create(
            study=study, item=task.item, task=task, number=number, place=0, order=[], lane=lane, **state
        )
    elif random.random() < 0.2:
        slot.delete()
    elif random.random() < 0.3 and slot.holder_id is not None:
        Slot.objects.filter(pk=slot.pk).update(state="held", lease_until=timezone.now(), holder=slot.holder_id)
    else:
        Slot.objects.filter(pk=slot.pk).update(**state)


def plain(quota):
    members = QuotaMember.objects.filter(quota=quota).values_list("rater", flat=True)
    lanes = range(quota.first_lane, quota.last_lane + 1)
    return sum(slot.lane in lanes and slot.holder_id in members for slot in Slot.objects.all())


@pytest.mark.thorough
def test_the_count_of_triggers_is_a_plain_count(counted):
    study, raters, tasks = counted
    random, seen = Random(4), set()
    for _ in range(STEPS):
        change(random, study, raters, tasks)
        for quota in RoutingQuota.objects.filter(study=study):
            assert quota.taken == plain(quota), quota.key
            seen.add((quota.key, quota.taken))
    assert len(seen) > 6  # the counts went up and down
    Slot.objects.filter(study=study).update(state="open", holder=None, lease_until=None)
    assert set(RoutingQuota.objects.values_list("taken", flat=True)) == {0}
