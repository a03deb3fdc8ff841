import pytest

from annotation.models import Slot, Study, Task
from annotation.studies.planning import is_planned, plan_chunk, replan_from
from tests.conftest import SYSTEMS, add_item

pytestmark = pytest.mark.postgresql


def plan_all(study: Study, size: int = 500) -> None:
    while plan_chunk(study, size):
        pass
    study.refresh_from_db()


def test_every_output_becomes_a_task_with_as_many_slots_as_the_redundancy(make_study):
    study = make_study(items=3, redundancy=4)
    plan_all(study)
    assert Task.objects.count() == 9
    assert Slot.objects.filter(state="open", holder=None).count() == 36
    assert sorted(set(Slot.objects.values_list("number", flat=True))) == [0, 1, 2, 3]


def test_planning_in_chunks_gives_what_planning_at_once_gives(make_study):
    at_once, chunked = make_study("first", items=5), make_study("second", items=5)
    plan_all(at_once)
    plan_all(chunked, size=2)
    tasks = [list(Task.objects.filter(item__study=s).values_list("item__key", "key")) for s in (at_once, chunked)]
    assert sorted(tasks[0]) == sorted(tasks[1])
    assert is_planned(chunked)


def test_planning_twice_changes_nothing(make_study):
    study = make_study()
    plan_all(study)
    before = list(Slot.objects.order_by("pk").values())
    Study.objects.update(planned_through=0)
    plan_all(study)
    assert list(Slot.objects.order_by("pk").values()) == before


def test_an_output_added_later_gets_its_own_task_and_leaves_the_others(make_study):
    study = make_study(items=1)
    item = study.items.get()
    plan_all(study)
    before = set(Task.objects.values_list("pk", flat=True))
    item.outputs.create(position=3, key="system-late", text="late", digest="y")
    replan_from(study, item.pk)
    plan_all(study)
    assert before < set(Task.objects.values_list("pk", flat=True))
    assert Task.objects.count() == len(SYSTEMS) + 1


def test_the_order_of_items_depends_on_the_seed_and_not_on_the_order_of_import(make_study):
    def order(slug: str, keys: list[str], seed: int) -> list[str]:
        study = make_study(slug, items=0, options={"seed": seed})
        for key in keys:
            add_item(study, key)
        plan_all(study)
        places = Slot.objects.filter(study=study).values_list("place", "item__key").distinct()
        return [key for _, key in sorted(places)]

    keys = [f"k{number}" for number in range(12)]
    forward = order("same", keys, 7)
    Slot.objects.all().delete()
    assert forward != keys
    study = Study.objects.get(slug="same")
    Study.objects.filter(pk=study.pk).update(slug="gone")
    assert order("same", keys[::-1], 7) == forward
    Study.objects.filter(slug="same").update(slug="gone-too")
    assert order("same", keys, 8) != forward
