"""What researchers do with an item: withdraw it, set its priority, and add, free, reserve and cancel its slots."""

from collections import Counter

import pytest

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment, open_slots, release_expired
from annotation.desk.drafting import save_draft
from annotation.desk.submitting import Submission, submit, undo
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Item, Rating, Slot
from annotation.pools import in_main_pool, main_items
from annotation.studies.batches import state_of
from annotation.studies.lifecycle import close, make_live
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import work_in
from annotation.studies.redundancy import set_redundancy
from annotation.studies.slot_steps import add_rater, cancel_open, free_slot, reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError, restore, set_priority, withdraw
from annotation.studies.study_progress import StudyProgress, progress_by_study
from tests.conftest import make_person

pytestmark = pytest.mark.postgresql
FORM = {"q-follows": ["true"], "q-how_well": ["4"]}
GOOD = Submission(FORM, revision=0, guidelines_version=1)
FIRST, ORDINARY, LAST = Item.Priority


@pytest.fixture
def wide(make_study, owner, rater):
    """A live study of six items with two raters each, in batches of three if `batch_size` is given."""

    def make(**options):
        study = make_study("wide", items=6, options=options)
        add_member(study, owner, "owner", None)
        add_member(study, rater, "annotator", None)
        while plan_chunk(study):
            pass
        study.refresh_from_db()
        make_live(study, owner)
        return study

    return make


def given_to(study, person, count=100):
    """The items of the person's next tasks, each answered, in their order and without repeats."""
    found = []
    while len(found) < count and (task := next_assignment(study, rater_for(study, person))):
        found.append(task.task.item.key)
        submit(task, GOOD)
    return list(dict.fromkeys(found))


def item_of(study, number):
    return Item.objects.get(study=study, key=f"item-{number}")


def test_a_withdrawn_item_is_given_to_nobody_and_a_restored_one_is_again(wide, owner, rater):
    study = wide()
    withdraw(item_of(study, 2), "It is a duplicate.", owner)
    assert set(given_to(study, rater)) == {f"item-{number}" for number in range(6) if number != 2}
    assert work_in(rater, study).state == "done"
    restore(item_of(study, 2), "It is none.", owner)
    assert given_to(study, rater) == ["item-2"]


def test_a_withdrawn_item_counts_neither_in_figures_nor_in_progress(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    submit(task, GOOD)
    withdraw(task.task.item, "It is a duplicate.", owner)
    assert task.task.item not in main_items(study)
    assert not Rating.objects.filter(in_main_pool(study), study=study).exists()
    assert Rating.objects.filter(study=study).exists()
    total = Slot.objects.filter(study=study).exclude(item=task.task.item).count()
    assert progress_by_study(type(study).objects.all())[study.pk] == StudyProgress(total, 0, 0)
    assert state_of(study, 0).places == total


def test_a_withdrawal_frees_held_slots_and_keeps_the_drafts(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    save_draft(task, {"q-follows": ["true"]}, base_version=0, revision=0)
    withdraw(task.task.item, "It is a duplicate.", owner)
    assert not Slot.objects.filter(item=task.task.item, state="held").exists()
    assert Assignment.objects.get(pk=task.pk).draft
    assert next_assignment(study, rater_for(study, rater)).task.item != task.task.item


def test_slots_that_open_after_a_withdrawal_are_not_given_out(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    submit(task, GOOD)
    withdraw(task.task.item, "It is a duplicate.", owner)
    undo(task, Submission({}, revision=1))
    Slot.objects.filter(item=task.task.item, state="held").update(lease_until="2020-01-01T00:00:00Z")
    release_expired(study, Assignment.objects.get(pk=task.pk).created_at)
    other = make_person("other")
    add_member(study, other, "annotator", None)
    assert task.task.item.key not in given_to(study, other)


def test_a_withdrawn_item_is_not_the_next_task_of_a_rater_who_undid_their_answer_until_it_is_restored(
    wide, owner, rater
):
    study = wide()
    mine = rater_for(study, rater)
    given_to(study, rater)
    task = Assignment.objects.filter(rater=mine).select_related("task__item", "rater").first()
    withdraw(task.task.item, "It is a duplicate.", owner)
    undo(task, Submission({}, revision=1))
    assert next_assignment(study, mine) is None
    assert (work_in(rater, study).left, work_in(rater, study).state) == (0, "done")
    restore(task.task.item, "It is none.", owner)
    assert work_in(rater, study).left == 1
    assert next_assignment(study, mine).task == task.task


def test_a_late_answer_to_a_withdrawn_item_is_kept_and_the_item_is_full_when_it_is_restored(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    withdraw(task.task.item, "It is a duplicate.", owner)
    assert not submit(task, GOOD).surplus
    restore(task.task.item, "It is none.", owner)
    slots = Slot.objects.filter(task=task.task)
    assert Counter(slots.values_list("state", flat=True)) == {"filled": 1, "open": 1}


def test_an_item_is_withdrawn_and_restored_once_and_the_audit_says_why(wide, owner):
    study = wide()
    item = item_of(study, 0)
    with pytest.raises(ItemStepRefusedError, match="not withdrawn"):
        restore(item, "No.", owner)
    withdraw(item, "It is a duplicate.", owner)
    with pytest.raises(ItemStepRefusedError, match="already"):
        withdraw(item, "Again.", owner)
    [entry] = AuditEntry.objects.filter(action="item withdrawn")
    assert entry.new == {"reason": "It is a duplicate."}
    assert entry.actor.person == owner


@pytest.mark.parametrize("options", [{}, {"batch_size": 3}])
def test_items_of_first_priority_are_given_out_first_within_their_batch(wide, owner, rater, options):
    study = wide(**options)
    set_priority(item_of(study, 2), FIRST, "Soon.", owner)
    set_priority(item_of(study, 1), LAST, "Later.", owner)
    set_priority(item_of(study, 5), FIRST, "Soon.", owner)
    found = given_to(study, rater)
    if options:
        assert (found[0], found[2]) == ("item-2", "item-1")
        assert set(found) == {"item-0", "item-1", "item-2"}
    else:
        assert set(found[:2]) == {"item-2", "item-5"}
        assert found[5] == "item-1"


def test_raters_who_have_passed_an_item_get_it_next_if_it_comes_first(wide, owner, rater):
    study = wide()
    begun = given_to(study, rater, 3)
    left = next(number for number in range(6) if f"item-{number}" not in begun)
    set_priority(item_of(study, left), FIRST, "Soon.", owner)
    assert given_to(study, rater, 1) == [f"item-{left}"]


def test_a_slot_keeps_its_place_whatever_the_order_of_steps(wide, owner):
    study = wide(batch_size=3)
    item = item_of(study, 4)
    before = set(Slot.objects.filter(item=item).values_list("place", flat=True))
    set_priority(item, FIRST, "Soon.", owner)
    withdraw(item, "It is a duplicate.", owner)
    set_priority(item, ORDINARY, "Not soon.", owner)
    restore(item, "It is none.", owner)
    assert set(Slot.objects.filter(item=item).values_list("place", flat=True)) == before


def test_one_more_rater_gets_a_slot_of_each_task_in_a_balanced_order(wide, owner, rater):
    study = wide()
    item = item_of(study, 0)
    assert add_rater(item, "They disagree.", owner) == item.tasks.count()
    for task in item.tasks.all():
        numbers = list(Slot.objects.filter(task=task).order_by("number").values_list("number", flat=True))
        assert numbers == [0, 1, 2]
    places = set(Slot.objects.filter(item=item).values_list("place", flat=True))
    assert len(places) == 1


def test_one_more_rater_is_asked_of_an_item_that_had_all_its_raters(wide, owner, rater):
    study = wide()
    other, third = make_person("other"), make_person("third")
    for person in (other, third):
        add_member(study, person, "annotator", None)
    for person in (rater, other):
        given_to(study, person)
    assert given_to(study, third) == []
    add_rater(item_of(study, 3), "They disagree.", owner)
    assert given_to(study, third) == ["item-3"]


def test_an_item_without_tasks_has_no_raters_to_ask(make_study, owner):
    study = make_study()
    with pytest.raises(ItemStepRefusedError, match="no tasks yet"):
        add_rater(study.items.first(), "More.", owner)


def test_a_freed_slot_keeps_the_draft_and_goes_to_another(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    save_draft(task, {"q-follows": ["true"]}, base_version=0, revision=0)
    held = Slot.objects.select_related("item").get(holder=rater_for(study, rater), task=task.task)
    free_slot(held, "They are away.", owner)
    held.refresh_from_db()
    assert (held.state, held.holder) == ("open", None)
    assert Assignment.objects.get(pk=task.pk).draft
    assert submit(task, GOOD).surplus is False  # an open slot is left
    with pytest.raises(ItemStepRefusedError, match="Nobody holds"):
        free_slot(Slot.objects.select_related("item").filter(task=task.task, state="filled").first(), "", owner)


def test_a_reserved_slot_is_the_persons_next_task_and_nobody_elses(wide, owner, rater):
    study = wide()
    other = make_person("other")
    add_member(study, other, "annotator", None)
    order = list(open_slots(study, rater_for(study, rater)))
    last = Slot.objects.select_related("item").get(pk=order[-1].pk)
    reserve_slot(last, rater_for(study, other), 7, "Only they know ferries.", owner)
    assert next_assignment(study, rater_for(study, other)).task.item == last.item  # its tasks go together
    last.refresh_from_db()
    assert last.holder == rater_for(study, other)
    [entry] = AuditEntry.objects.filter(action="slot reserved")
    assert entry.new["days"] == 7


def test_a_slot_that_another_holds_is_reassigned(wide, owner, rater):
    study = wide()
    other = make_person("other")
    add_member(study, other, "annotator", None)
    task = next_assignment(study, rater_for(study, rater))
    held = Slot.objects.select_related("item").get(holder__person=rater, task=task.task)
    reserve_slot(held, rater_for(study, other), 1, "", owner)
    assert next_assignment(study, rater_for(study, other)).task.item == task.task.item
    assert not Slot.objects.filter(item=task.task.item, holder__person=rater).exists()  # its tasks go together


def test_nobody_gets_two_slots_of_a_task(wide, owner, rater):
    study = wide()
    task = next_assignment(study, rater_for(study, rater))
    submit(task, GOOD)
    free = Slot.objects.select_related("item").get(task=task.task, state="open")
    with pytest.raises(ItemStepRefusedError, match="has a place on this task already"):
        reserve_slot(free, rater_for(study, rater), 1, "", owner)


def test_nothing_is_reserved_beyond_the_plan_or_in_a_closed_study(wide, owner, rater):
    study = wide(plan={"most": 3})
    mine = rater_for(study, rater)
    first, second = (Slot.objects.select_related("item").filter(item=item_of(study, one)).first() for one in (0, 1))
    reserve_slot(first, mine, 1, "", owner)
    with pytest.raises(ItemStepRefusedError, match="plan leaves"):
        reserve_slot(second, mine, 1, "", owner)
    close(study, owner)
    with pytest.raises(ItemStepRefusedError, match="The study is closed"):
        reserve_slot(second, mine, 1, "", owner)


def test_cancelled_slots_are_gone_and_the_study_can_be_finished(wide, owner, rater):
    study = wide()
    given_to(study, rater)
    for number in range(6):
        cancel_open(item_of(study, number), "One rater is enough.", owner)
    progress = progress_by_study(type(study).objects.all())[study.pk]
    assert progress.open == 0
    assert progress.filled == progress.total
    with pytest.raises(ItemStepRefusedError, match="no open places"):
        cancel_open(item_of(study, 0), "Again.", owner)


def test_places_of_an_item_that_were_all_cancelled_are_added_again(wide, owner, rater):
    study = wide()
    item = item_of(study, 4)
    before = set(item.slots.values_list("task", "number", "place"))
    cancel_open(item, "Not needed.", owner)
    assert add_rater(item, "It is needed.", owner) == item.tasks.count()
    set_redundancy(item, 2, "As before.", owner)
    assert set(item.slots.values_list("task", "number", "place")) == before
    assert all(sorted(order) == [0] for order in item.slots.values_list("order", flat=True))
    cancel_open(item_of(study, 5), "Not needed.", owner)
    assert set_redundancy(item_of(study, 5), 1, "It is needed.", owner) == 3
    assert "item-4" in given_to(study, rater)
