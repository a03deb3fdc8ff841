"""Plans of studies: how many raters an item gets, for whom its slots are kept, and what comes first."""

import threading
from collections import Counter
from random import Random

import pytest
from django.db import connections
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Person
from annotation.desk.assigning import BusyError, next_assignment, tasks_of
from annotation.desk.statements import taken_slots
from annotation.desk.submitting import StaleRevisionError, Submission, submit
from annotation.members.membership import add_member
from annotation.models import Item, Output, Rater, Slot, Study, Task, TaskOutput
from annotation.studies.assignment_plan import PlanInvalidError, in_core, plan_of, read_plan
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.plan_changes import change_plan
from annotation.studies.plan_table import count_groups, plan_figures, plan_table
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import work_in
from config.background.claiming import run_waiting
from config.erasure import open_erasure
from tests.conftest import add_item

pytestmark = pytest.mark.postgresql


def planned(make_study, plan, items=10, **more):
    study = make_study(items=items, options={"plan": plan}, redundancy=1, **more)
    while plan_chunk(study, 3):
        pass
    study.refresh_from_db()
    return study


def go_live(study):
    Study.objects.filter(pk=study.pk).update(status="live")
    study.refresh_from_db()


def rater(study, name):
    return Rater.objects.create(study=study, name=name, person=Person.objects.create(username=name))


def raters_per_item(study):
    slots = Slot.objects.filter(study=study).values_list("item__key", "task")
    return {item: number for (item, _), number in Counter(slots).items()}


def take_all(study, one):
    taken = []
    while assignment := next_assignment(study, one):
        taken.append(assignment)
        submit(assignment, Submission(form={"q-follows": ["true"], "q-how_well": ["5"]}, revision=0,
                                      guidelines_version=None))  # fmt: skip
    return taken


@pytest.mark.django_db
def test_a_core_gets_more_raters_and_the_rest_one(make_study):
    study = planned(make_study, {"core": {"items": 4, "raters": 3}})
    assert sorted(raters_per_item(study).values()) == [1] * 6 + [3] * 4


@pytest.mark.parametrize(("size", "items"), [(1, 7), (3, 7), (7, 7), (9, 7), (50, 1000)])
def test_the_core_has_exactly_its_size_wherever_it_starts(size, items):
    for start in range(items):
        assert sum(in_core(number, size, items, start) for number in range(items)) == min(size, items)


@pytest.mark.django_db
def test_sets_categories_and_items_have_their_own_numbers_of_raters(make_study):
    study = make_study(items=0, redundancy=1, options={"plan": {
        "sets": {"private": 2}, "categories": {"hard": 3, "odd": 5}, "items": {"named": 4},
    }})  # fmt: skip
    add_item(study, "plain")
    add_item(study, "private", set="private")
    add_item(study, "hard", set="private", categories=["hard", "easy"])
    add_item(study, "both", categories=["hard", "odd"])
    add_item(study, "named", categories="hard")
    while plan_chunk(study):
        pass
    assert raters_per_item(study) == {"plain": 1, "private": 2, "hard": 3, "both": 5, "named": 4}


@pytest.mark.django_db
def test_items_with_priority_are_given_out_first(make_study):
    study = make_study(items=0, redundancy=1, options={"plan": {"priority": {"categories": {"now": 5}}}})
    for number in range(6):
        add_item(study, f"k{number}", categories="now" if number % 3 == 0 else "later")
    while plan_chunk(study):
        pass
    ordered = Slot.objects.filter(study=study).order_by("place").values_list("item__key", flat=True)
    assert set(ordered[:6]) == {"k0", "k3"}


@pytest.mark.django_db
def test_a_list_keeps_items_for_its_rater_who_gets_nothing_else(make_study):
    study = planned(make_study, {"lists": {"anna": ["item-1", "item-2"]}}, items=4)
    go_live(study)
    anna, ben = rater(study, "anna"), rater(study, "ben")
    assert tasks_of(study, anna) == (0, 6)
    assert {one.task.item.key for one in take_all(study, ben)} == {"item-0", "item-3"}
    assert {one.task.item.key for one in take_all(study, anna)} == {"item-1", "item-2"}
    assert not Slot.objects.filter(study=study, state="open").exists()


@pytest.mark.django_db
def test_nobody_takes_more_tasks_than_their_limit(make_study):
    study = planned(make_study, {"most": 4, "most_of": {"anna": 2}})
    go_live(study)
    assert len(take_all(study, rater(study, "anna"))) == 2
    ben = rater(study, "ben")
    assert tasks_of(study, ben) == (0, 4)
    assert len(take_all(study, ben)) == 4


@pytest.mark.django_db
def test_a_late_answer_beyond_the_limit_is_surplus(make_study):
    study = planned(make_study, {"most": 1}, items=2)
    go_live(study)
    anna = rater(study, "anna")
    late = next_assignment(study, anna)
    Slot.objects.filter(holder=anna).update(state="open", holder=None, lease_until=None)
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    other = next_assignment(study, anna)
    while other == late:  # the same task again: give it back once more, to somebody else
        Slot.objects.filter(holder=anna).update(state="filled", lease_until=None, holder=rater(study, "ben"))
        other = next_assignment(study, anna)
    answer = submit(late, Submission(form=form, revision=0, guidelines_version=None))
    assert answer.surplus
    assert taken_slots(anna.pk) == 1


@pytest.mark.django_db(transaction=True)
def test_parallel_claims_of_one_rater_never_exceed_their_limit(make_study):
    study = planned(make_study, {"most": 3})
    go_live(study)
    anna = rater(study, "anna")
    barrier = threading.Barrier(6)

    def work():
        barrier.wait(10)
        try:
            for _ in range(3):
                try:
                    assignment = next_assignment(study, anna)
                    if assignment is not None:
                        form = {"q-follows": ["true"], "q-how_well": ["5"]}
                        submit(assignment, Submission(form=form, revision=0, guidelines_version=None))
                except (BusyError, StaleRevisionError):  # another thread was faster
                    continue
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Slot.objects.filter(holder=anna).count() <= 3


@pytest.mark.django_db
def test_a_draft_is_planned_again_after_a_change(make_study):
    study = planned(make_study, {"core": {"items": 4, "raters": 3}})
    assert change_plan(study, {"items": {"item-0": 2}}, None)
    while plan_chunk(study):
        pass
    assert raters_per_item(study) == {f"item-{n}": 2 if n == 0 else 1 for n in range(10)}
    assert AuditEntry.objects.filter(action="plan changed").count() == 1
    study.refresh_from_db()
    assert not change_plan(study, {"items": {"item-0": 2}}, None)


def add_items(study, count, prefix="more"):
    for number in range(count):
        add_item(study, f"{prefix}-{number}")


def plan_all(study):
    while plan_chunk(study, 3):
        pass
    study.refresh_from_db()


@pytest.mark.thorough
@pytest.mark.django_db
def test_the_core_of_a_draft_has_its_size_whatever_comes_or_goes_after_it_was_prepared(make_study):
    study = planned(make_study, {"core": {"items": 5, "raters": 3}})
    add_items(study, 20)
    plan_all(study)
    assert Counter(raters_per_item(study).values()) == {3: 5, 1: 25}
    last = study.items.latest("pk")
    Slot.objects.filter(item=last).delete()
    TaskOutput.objects.filter(task__item=last).delete()
    Task.objects.filter(item=last).delete()
    with open_erasure("test"):
        Output.objects.filter(item=last).delete()
        last.delete()
    plan_all(study)
    assert Counter(raters_per_item(study).values()) == {3: 5, 1: 24}


@pytest.mark.django_db
def test_later_items_of_a_live_study_are_not_in_its_core(make_study):
    study = planned(make_study, {"core": {"items": 5, "raters": 3}})
    before = raters_per_item(study)
    go_live(study)
    add_items(study, 20)
    plan_all(study)
    assert raters_per_item(study) == {**before, **{f"more-{number}": 1 for number in range(20)}}


@pytest.mark.django_db
def test_a_running_study_may_change_limits_and_give_up_lists_only(make_study):
    study = planned(make_study, {"most": 2, "lists": {"anna": ["item-1"]}}, items=3)
    go_live(study)
    with pytest.raises(StudyRefusedError):
        change_plan(study, {"most": 2, "lists": {"anna": ["item-2"]}}, None)
    with pytest.raises(StudyRefusedError):
        change_plan(study, {"core": {"items": 1, "raters": 2}, "lists": {"anna": ["item-1"]}}, None)
    assert change_plan(study, {"most": 20}, None)
    assert len(take_all(study, rater(study, "ben"))) == 9


@pytest.mark.parametrize("plan", [
    [], {"core": {"items": 3}}, {"core": {"items": -1, "raters": 2}}, {"most": 0}, {"most": True}, {"unknown": 1},
    {"sets": {"secret": 2}}, {"categories": {"a": "two"}}, {"lists": {"anna": "item-1"}},
    {"lists": {"anna": ["a", "a"]}},
    {"priority": {"items": {"a": 10}}}, {"priority": {"days": {"a": 1}}},
    {"lists": {"anna": [str(number) for number in range(10_001)]}},
])  # fmt: skip
def test_a_plan_that_cannot_be_followed_is_refused(plan):
    with pytest.raises(PlanInvalidError):
        read_plan(plan)


@pytest.mark.django_db
def test_the_table_says_what_the_plan_makes_and_whether_the_raters_suffice(make_study):
    study = make_study(items=10, redundancy=1, options={"plan": {"core": {"items": 4, "raters": 3}, "most": 5}})
    figures, kept = plan_figures(study)
    assert kept is None
    table = plan_table(study, plan_of(study), figures)
    assert [(row.name, row.items, row.tasks, row.raters, row.slots) for row in table.rows] == [
        ("Core", 4, 12, 3, 36), ("All other items", 6, 18, 1, 18),
    ]  # fmt: skip
    assert table.slots == 54
    assert any("need 3 raters" in one for one in table.problems)
    while plan_chunk(study):
        pass
    assert Slot.objects.filter(study=study).count() == 54


@pytest.mark.django_db
def test_groups_count_every_item_once(make_study):
    study = make_study(items=0)
    for number in range(5):
        add_item(study, f"k{number}", categories="hard" if number < 2 else None, set="public")
    assert count_groups(study)["groups"] == [["public", [], 3, 9], ["public", ["hard"], 2, 6]]


@pytest.mark.django_db
def test_somebody_who_has_done_as_many_tasks_as_the_plan_lets_them_is_told_so(make_study):
    study = planned(make_study, {"most": 2}, items=4)
    go_live(study)
    one = rater(study, "anna")
    add_member(study, one.person, "annotator", None)
    client = Client()
    client.force_login(one.person)
    assert not work_in(one.person, study).is_full
    assert len(take_all(study, one)) == 2
    work = work_in(one.person, study)
    assert (work.state, work.is_full) == ("done", True)
    for page in (f"/studies/{study.slug}/end/", "/"):
        assert "You have done all the tasks you may do in this study." in client.get(page).content.decode()


@pytest.mark.django_db
def test_somebody_who_has_done_every_task_of_a_study_without_a_limit_reads_of_none(make_study):
    study = planned(make_study, {"core": {"items": 1, "raters": 2}}, items=2)
    go_live(study)
    one = rater(study, "anna")
    add_member(study, one.person, "annotator", None)
    take_all(study, one)
    assert (work_in(one.person, study).state, work_in(one.person, study).is_full) == ("done", False)


def random_plan(random):
    keys = [f"k{number}" for number in range(14)]
    raters = {"private": random.randint(1, 4)}
    return {
        "core": {"items": random.randint(0, 14), "raters": random.randint(1, 5)},
        "sets": random.choice([{}, raters]),
        "categories": random.choice([{}, {"hard": random.randint(1, 5)}]),
        "items": {key: random.randint(1, 6) for key in random.sample(keys, 3)},
        "lists": random.choice([{}, {"anna": random.sample(keys, 4), "ben": random.sample(keys, 2)}]),
        "priority": random.choice([{}, {"categories": {"hard": 4}, "items": {"k3": 7, "gone": 1}}]),
    }


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(15))
def test_the_table_has_the_slots_that_are_made(make_study, seed, monkeypatch):
    random = Random(seed)
    plan = random_plan(random)
    study = make_study(items=0, redundancy=random.randint(1, 3), options={"plan": plan, "seed": seed})
    for number in range(random.randint(3, 14)):
        systems = ("north", "south", "west")[: random.randint(1, 3)]
        categories, pool = random.choice([None, "hard", ["hard", "easy"]]), random.choice(["public", "private"])
        item = add_item(study, f"k{number}", systems, categories=categories, set=pool)
        if random.random() < 0.2:
            Item.objects.filter(pk=item.pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Broken.")
    plan_all(study)
    slots = Slot.objects.filter(study=study, item__withdrawn_at=None)
    made = Counter(Counter(slots.values_list("task", flat=True)).values())
    figures, _ = plan_figures(study)
    table = plan_table(study, plan_of(study), figures)
    wanted = Counter()
    for row in table.rows:
        wanted[row.raters] += row.tasks
    assert {key: count for key, count in wanted.items() if count} == made
    assert table.slots == slots.count()
    monkeypatch.setattr("annotation.studies.plan_table.MOST_AT_ONCE", 0)
    assert plan_figures(study)[0] is None
    run_waiting()
    assert plan_table(study, plan_of(study), plan_figures(study)[0]) == table


@pytest.mark.django_db
def test_the_preview_of_a_large_study_has_all_its_items(make_study, monkeypatch):
    study = make_study(items=10, redundancy=1)
    monkeypatch.setattr("annotation.studies.plan_table.MOST_AT_ONCE", 0)
    plan_figures(study)
    run_waiting()
    figures, _ = plan_figures(study)
    table = plan_table(
        study, read_plan({"core": {"items": 4, "raters": 3}, "items": {"item-1": 5, "gone": 2}}), figures
    )
    assert (table.items, table.tasks) == (10, 30)
    assert {row.raters: row.items for row in table.rows} == {5: 1, 3: 4, 1: 5}
    assert any("gone" in one for one in table.problems)


@pytest.mark.django_db
def test_the_page_of_the_plan_reads_each_item_once(make_study, owner, client, django_assert_max_num_queries):
    study = make_study(items=4, redundancy=1, options={"plan": {"core": {"items": 2, "raters": 3}}})
    add_member(study, owner, "owner", None)
    client.force_login(owner)
    client.get("/studies/study/plan/")
    with django_assert_max_num_queries(11):
        page = client.get("/studies/study/plan/").content.decode()
    assert "Core" in page
