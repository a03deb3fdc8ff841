"""What raters are shown, and in which order, follows from a secret and not from what they can know."""

import re
from collections import Counter
from random import Random

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Assignment, Item, Slot, Study, Task
from annotation.protocols import protocols
from annotation.studies.planning import plan_chunk, replan_from, seeded
from annotation.studies.slot_steps import next_order
from config.erasure import open_erasure
from files.reading import import_study
from parts.second_stage.case_answers import CaseSheet
from parts.way_in.entry_step import steps_of
from parts.way_in.practice_tasks import tasks_for
from tests.annotation.protocols.pairwise.conftest import folder, item, live  # noqa: F401 - a fixture
from tests.house import ROOT

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]
SYSTEMS = ["alpha", "beta", "gamma", "delta"]
ITEMS = 24
RANK = [{"key": "best", "type": "rank", "ranks": 4, "text": "Which?"}]
RATED = [{"key": "good", "type": "binary", "text": "Is it good?"}]


def planned(folder, name, secret="its own", **more):  # noqa: F811
    path = folder([item(f"i{number}", SYSTEMS) for number in range(ITEMS)], name=name, slug=name, **more)
    made = import_study(path).study
    Study.objects.filter(pk=made.pk).update(code_secret=secret)
    made.refresh_from_db()
    while plan_chunk(made):
        pass
    made.refresh_from_db()
    return made


def shown_orders(made):
    """The systems that each slot shows, in the order shown, by item, systems of the task and number."""
    found = {}
    for slot in Slot.objects.filter(study=made).select_related("item").order_by("item", "task", "number"):
        keys = list(slot.task.task_outputs.values_list("output__key", flat=True))
        found[slot.item.key, tuple(keys), slot.number] = tuple(keys[place] for place in slot.order)
    return found


def same(one, other):
    return sum(one[key] == other[key] for key in one) / len(one)


@pytest.mark.parametrize(
    ("protocol", "questions", "alike"), [("listwise", RANK, 0.4), ("pairwise", None, 0.7)], ids=["lists", "pairs"]
)
def test_another_secret_key_gives_other_orders(folder, settings, protocol, questions, alike):  # noqa: F811
    """With 24 orders of a list, a guess is right once in 24 times, or in 4 if rows of a square are shared; once in 2
    with 2 orders of a pair."""
    settings.SECRET_KEY = "the first one"
    more = {"protocol": protocol, "redundancy": 2, **({"questions": questions} if questions else {})}
    made = planned(folder, "first", **more)
    orders = shown_orders(made)
    Slot.objects.all().delete()
    made.planned_through = 0
    made.save()
    settings.SECRET_KEY = "another one"
    while plan_chunk(made):
        pass
    again = shown_orders(made)
    assert again.keys() == orders.keys()
    assert same(orders, again) < alike


def test_orders_are_not_those_that_address_item_and_seed_give(folder, settings):  # noqa: F811
    """What a rater could compute before: the protocol's orders, seeded with the study's address and the item's id."""
    settings.SECRET_KEY = "the first one"
    made = planned(folder, "guessed", protocol="listwise", questions=RANK, redundancy=2)
    protocol, guessed = protocols()["listwise"], {}
    for number, one in enumerate(made.items.order_by("pk")):
        task = one.tasks.get()
        random = Random(seeded(made, "orders", one.key, task.key))
        orders = protocol.orders(4, 2, random, number, seeded(made, "orders"))
        for place, order in enumerate(orders):
            guessed[one.key, tuple(SYSTEMS), place] = tuple(SYSTEMS[at] for at in order)
    assert same(guessed, shown_orders(made)) < 0.4


@pytest.mark.parametrize(
    ("protocol", "more"),
    [
        ("rating", {"questions": RATED, "options": {"same_raters": False}}),
        ("rating", {"questions": RATED}),
        ("pairwise", {}),
    ],
    ids=["single outputs", "outputs together", "pairs"],
)
def test_tasks_of_an_item_come_in_no_order_of_systems(folder, rater, protocol, more):  # noqa: F811
    """In the order of the file, the first task of every item would show the same system."""
    made = live(planned(folder, "tasks", protocol=protocol, redundancy=1, **more), rater)
    mine, firsts = rater_for(made, rater), {}
    while (task := next_assignment(made, mine)) is not None:
        keys = tuple(task.task.task_outputs.values_list("output__key", flat=True))
        firsts.setdefault(task.task.item_id, keys)
        answer = {"q-better": ["A"], "q-good": ["true"]}
        submit(task, Submission(answer, 0))
    assert len(firsts) == ITEMS
    assert max(Counter(firsts.values()).values()) < ITEMS * 0.7


def test_the_numbers_of_tasks_do_not_tell_the_order_of_the_file(folder):  # noqa: F811
    made = planned(folder, "numbers", protocol="rating", questions=RATED)
    firsts = Counter(
        Task.objects.filter(item=one).order_by("pk").values_list("outputs__key", flat=True).first()
        for one in made.items.all()
    )
    assert max(firsts.values()) < ITEMS * 0.7


def test_which_pairs_are_drawn_follows_from_the_studys_own_secret(folder):  # noqa: F811
    """By a seed alone, a pair of an item's number would always be of the same two systems."""
    drawn = {}
    for name in ("one", "two"):
        made = planned(folder, name, secret=name, options={"pairs": {"sample": 1}})
        rows = made.items.order_by("pk").prefetch_related("tasks__outputs")
        drawn[name] = [frozenset(output.key for output in one.tasks.get().outputs.all()) for one in rows]
    assert sum(one == other for one, other in zip(*drawn.values(), strict=True)) < ITEMS / 2


def test_another_secret_key_changes_nothing_that_was_planned_or_given(folder, rater, settings):  # noqa: F811
    made = live(planned(folder, "kept", redundancy=2, options={"pairs": {"sample": 2}}), rater)
    given = next_assignment(made, rater_for(made, rater))
    before = shown_orders(made)
    settings.SECRET_KEY = "another one"
    replan_from(made, made.items.order_by("pk").first().pk)
    while plan_chunk(made):
        pass
    assert shown_orders(made) == before
    assert Assignment.objects.get().order == given.order == Slot.objects.get(holder__isnull=False).order
    again = next_assignment(made, rater_for(made, rater))
    assert (again.pk, again.order) == (given.pk, given.order)


PRACTICE = [{"key": "training", "kind": "training", "items": ITEMS}]


def test_practice_tasks_of_an_item_come_in_no_order_of_systems(folder, rater):  # noqa: F811
    made = planned(folder, "practice", protocol="rating", questions=RATED)
    with open_erasure("test"):
        Item.objects.filter(study=made).update(pool="training")
    made.recruiting = {"steps": PRACTICE}
    made.save()
    [step] = steps_of(made)
    tasks = tasks_for(made, step, rater_for(made, rater))
    assert len(tasks) == 4 * ITEMS
    firsts = Counter(order[0] for _, _, order in tasks[::4])
    assert max(firsts.values()) < ITEMS * 0.7
    assert tasks_for(made, step, rater_for(made, rater)) == tasks


def test_the_letters_of_a_rater_who_decides_follow_from_the_studys_own_secret(folder, rater):  # noqa: F811
    made = planned(folder, "decided", protocol="rating", questions=RATED)
    mine, letters = rater_for(made, rater), {}
    for secret in ("its own", "another", "a third"):
        made.code_secret = secret
        letters[secret] = []
        for one in made.items.order_by("pk"):
            one.study = made
            letters[secret].append(CaseSheet.of(one, mine).sheet.keys)
    assert letters["its own"] != letters["another"] != letters["a third"]


SEEDED = re.compile(r'(?<!secretly_)(?<!\.)\bseeded\(\s*[\w.]+,\s*"([^"]+)"')
OPEN_DRAWS = {"core", "place", "rater checks", "sample", "second", "spot check", "topics"}
"""What is drawn without a secret: which items and answers, and when items come; never what shows a system where."""


def test_only_what_names_no_system_is_drawn_without_a_secret():
    texts = {path: path.read_text(encoding="utf-8") for path in ROOT.glob("[a-z]*/**/*.py")}
    drawn = {
        (kind, path.name)
        for path, text in texts.items()
        if path.parts[-1] != "test_secret_orders.py" and path.relative_to(ROOT).parts[0] not in ("tests", "benchmarks")
        for kind in SEEDED.findall(text)
    }
    assert {kind for kind, _ in drawn} == OPEN_DRAWS, drawn


def test_places_that_are_added_later_get_other_orders_with_another_secret_key(folder, settings):  # noqa: F811
    """Of 24 orders of a list, a guess is right once in 24 times."""
    settings.SECRET_KEY = "the first one"
    made = planned(folder, "added", protocol="listwise", questions=RANK, redundancy=1)
    orders = []
    for secret in ("the first one", "another one"):
        settings.SECRET_KEY = secret
        orders.append({one.key: tuple(next_order(made, one, one.tasks.get(), [])) for one in made.items.all()})
    assert len(orders[0]) == ITEMS
    assert len(set(orders[0].values())) > 6
    assert same(*orders) < 0.4
