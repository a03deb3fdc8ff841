"""Which pairs of an item are compared, and on which side each rater sees an output."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest

from accounts.models import Person
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Slot, Task
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from tests.annotation.protocols.pairwise.conftest import PROTOCOL, SYSTEMS, item, live, problems_of

pytestmark = pytest.mark.django_db


def pairs(outputs, number=0, **options):
    return [plan.outputs for plan in PROTOCOL.plan(outputs, options, number)]


def test_all_pairs_of_an_item_are_the_default():
    assert pairs(SYSTEMS) == pairs(SYSTEMS, pairs="all") == list(combinations(SYSTEMS, 2))
    assert pairs(SYSTEMS[:1]) == []


def test_each_system_is_compared_with_the_baseline():
    assert pairs(["a", "b", "c"], pairs={"baseline": "b"}) == [("a", "b"), ("b", "c")]
    assert pairs(["a", "c"], pairs={"baseline": "b"}) == []


def test_a_given_list_names_pairs_in_either_order():
    assert pairs(["a", "b", "c"], pairs={"list": [["c", "a"], ["a", "d"]]}) == [("a", "c")]


@pytest.mark.parametrize("options", [{}, {"pairs": {"baseline": "a"}}, {"pairs": {"list": [["a", "b"], ["d", "a"]]}}])
def test_an_output_added_later_only_adds_pairs(options):
    assert set(pairs(["a", "b", "c"], **options)) <= set(pairs(["a", "b", "c", "d"], **options))


@pytest.mark.parametrize("systems", range(2, 10))
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_sample_has_all_systems_equally_often_at_every_point_of_the_study(systems, size):
    names = [f"s{number}" for number in range(systems)]
    met, asked = Counter(dict.fromkeys(names, 0)), Counter(dict.fromkeys(combinations(names, 2), 0))
    for number in range(60):
        drawn = pairs(names, number, pairs={"sample": size}, seed=5)
        assert len(set(drawn)) == len(drawn) == min(size, systems * (systems - 1) // 2)
        met.update(name for pair in drawn for name in pair)
        asked.update(drawn)
        assert max(met.values()) - min(met.values()) <= 1
        assert max(asked.values()) - min(asked.values()) <= 1


def test_a_sample_depends_on_the_seed_and_the_items_number_alone():
    names = [f"s{number}" for number in range(6)]
    draws = [[pairs(names, number, pairs={"sample": 2}, seed=seed) for number in range(8)] for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    assert pairs(names[::-1], 3, pairs={"sample": 2}, seed=1) != []


def test_the_planned_sample_is_balanced_whatever_the_chunks(folder):
    items = [item(f"i{number}", ["a", "b", "c", "d", "e"]) for number in range(30)]
    study = import_study(folder(items, options={"pairs": {"sample": 2}})).study
    while plan_chunk(study, 7):
        pass
    met = Counter(Task.objects.filter(item__study=study).values_list("outputs__key", flat=True))
    assert Task.objects.count() == 60
    assert set(met.values()) == {24}


@pytest.mark.thorough
@pytest.mark.parametrize("systems", range(2, 9))
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("slots", [1, 3])
def test_the_sides_of_a_sampled_pair_are_balanced_whatever_the_sample(systems, size, slots):
    names = [f"s{number}" for number in range(systems)]
    sides: dict[tuple, Counter] = {pair: Counter() for pair in combinations(names, 2)}
    for number in range(56):
        for plan in PROTOCOL.plan(names, {"pairs": {"sample": size}, "seed": 3}, number):
            for order in PROTOCOL.orders(2, slots, Random(number), plan.turn, seed=9):
                sides[plan.outputs].update([plan.outputs[order[0]]])
    for pair, left in sides.items():
        assert abs(left[pair[0]] - left[pair[1]]) <= 1


def test_the_sides_of_a_planned_sample_are_balanced_over_the_study(folder):
    items = [item(f"i{number}", ["a", "b", "c", "d"]) for number in range(36)]
    study = import_study(folder(items, redundancy=3, options={"pairs": {"sample": 1}})).study
    while plan_chunk(study, 7):
        pass
    left: dict[tuple, Counter] = {}
    for slot in Slot.objects.select_related("task"):
        keys = tuple(slot.task.task_outputs.order_by("position").values_list("output__key", flat=True))
        left.setdefault(keys, Counter()).update([slot.order[0]])
    assert len(left) == 6
    assert all(set(counts.values()) == {9} for counts in left.values())


def test_an_annotation_of_a_pair_that_an_earlier_sample_asked_about_is_imported(folder):
    about = {"item": "one", "rater": "r", "revision": 1, "status": "submitted"}
    items, options = [item("one", ["a", "b", "c"])], {"pairs": {"sample": 1}}
    for pair in combinations(["a", "b", "c"], 2):
        line = about | {"outputs": pair, "shown": pair[::-1], "answers": {"better": pair[0]}}
        name = "-".join(pair)
        import_study(folder(items, name=name, slug=name, options=options, annotations=[line]))
    assert Annotation.objects.count() == 3


def test_an_annotation_of_a_pair_that_the_study_does_not_compare_is_refused(folder):
    about = {"item": "one", "rater": "r", "revision": 1, "status": "submitted", "answers": {"better": "tie"}}
    options = {"pairs": {"baseline": SYSTEMS[0]}}
    [(line, field, _)] = problems_of(folder(annotations=[about | {"outputs": SYSTEMS[1:]}], options=options))
    assert (line, field) == (1, "outputs")


@pytest.mark.parametrize(
    "pairs", ["some", {}, [], {"baseline": ""}, {"list": []}, {"list": [["a", "a"]]}, {"list": [["a"]]}, {"sample": 0},
              {"sample": True}, {"sample": "2"}, {"baseline": "a", "sample": 1}, {"other": 1}, 3]
)  # fmt: skip
def test_an_unknown_way_to_name_pairs_is_refused(folder, pairs):
    [(_, _, reason)] = problems_of(folder(options={"pairs": pairs}))
    assert reason.startswith("options.pairs must be")


def test_with_an_even_number_of_raters_each_output_is_equally_often_on_both_sides():
    for seed in range(20):
        orders = PROTOCOL.orders(2, 4, Random(seed), seed)
        assert Counter(map(tuple, orders)) == {(0, 1): 2, (1, 0): 2}


def test_with_an_odd_number_the_side_changes_from_item_to_item():
    for number, following in pairwise(range(10)):
        first, second = (Counter(map(tuple, PROTOCOL.orders(2, 3, Random(n), n))) for n in (number, following))
        assert first[0, 1] == second[1, 0] in (1, 2)


def test_sixty_annotators_see_every_system_equally_often_on_both_sides(folder):
    items = [item(f"i{number}") for number in range(40)]
    study = live(import_study(folder(items, redundancy=3)).study)
    people = [Person.objects.create_user(f"p{number}", password="x") for number in range(60)]
    for person in people:
        add_member(study, person, "annotator", None)
    raters = [rater_for(study, person) for person in people]
    sides, by_rater = Counter(), {rater.pk: Counter() for rater in raters}
    while raters:
        raters = [rater for rater in raters if _answers(study, rater, sides, by_rater[rater.pk])]
    assert Annotation.objects.count() == 360 == Slot.objects.filter(state="filled").count()
    table = {system: (sides[system, 0], sides[system, 1]) for system in SYSTEMS}
    assert table == dict.fromkeys(SYSTEMS, (120, 120))
    for slots in _orders_by_task().values():
        assert sorted(Counter(slots).values()) == [1, 2]
    # How much more often does a rater see one of the two orders? Six fair coins differ by 0.31 on average.
    skews = [abs(row["first"] - row["second"]) / row.total() for row in by_rater.values()]
    assert sum(skews) / len(skews) < 0.4


def _orders_by_task():
    found = {}
    for task, order in Slot.objects.values_list("task", "order"):
        found.setdefault(task, []).append(tuple(order))
    return found


def _answers(study, rater, sides, own):
    """Claim and answer one task of `rater`; return whether there was one."""
    assignment = next_assignment(study, rater)
    if assignment is None:
        return False
    annotation = submit(assignment, Submission(form={"q-better": ["A"]}, revision=0))
    shown = annotation.ratings.get(question__key="better").shown
    sides.update((system, side) for side, system in enumerate(shown))
    own.update(["first" if SYSTEMS.index(shown[0]) < SYSTEMS.index(shown[1]) else "second"])
    return True
