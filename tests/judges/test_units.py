"""Which units a run judges, and in which order their outputs are shown."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from judges.configuration import ConfigurationRefusedError, RunConfiguration
from judges.units import planned_units, some_units
from tests.conftest import add_item, draft_study
from tests.judges.scripted_judges import configured

pytestmark = [pytest.mark.quick, pytest.mark.django_db]

FOUR = ("system-a", "system-b", "system-c", "system-d")
MANY = 60


@pytest.fixture
def empty():
    return draft_study(items=0)


def units(study, protocol="llm_compare", options=None, **given):
    options = {"reference": "none", "both_orders": False} | (options or {})
    return list(planned_units(study, RunConfiguration(protocol, "campus/small", ("q",), options, **given)))


def shown(found):
    return {unit.name: unit.order for unit in found}


@pytest.mark.parametrize(
    ("protocol", "names"),
    [
        ("llm_eval", {f"item\0{key}" for key in FOUR}),
        ("llm_compare", {f"item\0{first}\0{other}" for first, other in combinations(FOUR, 2)}),
        ("llm_rank", {"item"}),
    ],
)
def test_units_are_outputs_pairs_or_items(empty, protocol, names):
    item = add_item(empty, "item", FOUR[::-1])
    found = units(empty, protocol)
    assert {unit.name for unit in found} == names
    assert len(found) == len(names)
    keys = dict(item.outputs.values_list("pk", "key"))
    for unit in found:
        named = [keys[pk] for pk in (unit.output, unit.other) if pk is not None]
        assert named == ([] if protocol == "llm_rank" else list(unit.order))
        assert sorted(unit.order) == (list(FOUR) if protocol == "llm_rank" else unit.name.split("\0")[1:])


@pytest.mark.parametrize("protocol", ["llm_eval", "llm_compare", "pair_forced", "llm_rank"])
def test_an_item_with_one_output_can_be_scored_but_not_compared(empty, protocol):
    add_item(empty, "lonely", FOUR[:1])
    add_item(empty, "bare", ())
    assert len(units(empty, protocol)) == (1 if protocol == "llm_eval" else 0)


@pytest.mark.parametrize("protocol", ["llm_compare", "pair_forced", "llm_rank"])
def test_orders_are_drawn_by_the_seed(empty, protocol):
    for number in range(MANY):
        add_item(empty, f"item-{number}", FOUR[:3])
    first = units(empty, protocol, seed=1)
    assert first == units(empty, protocol, seed=1)
    other = shown(units(empty, protocol, seed=2))
    assert other.keys() == shown(first).keys()
    changed = sum(other[name] != order for name, order in shown(first).items())
    assert 0.3 < changed / len(other) < 0.95


@pytest.mark.parametrize("protocol", ["llm_compare", "llm_rank"])
def test_orders_do_not_depend_on_the_rest_of_the_study(empty, protocol):
    for number in range(MANY):
        add_item(empty, f"item-{number}", FOUR[:3])
    before = shown(units(empty, protocol, seed=7))
    for number in range(MANY):
        add_item(empty, f"more-{number}", FOUR[:3])
    after = shown(units(empty, protocol, seed=7))
    assert len(after) == 2 * len(before)
    assert after.items() >= before.items()
    again = draft_study("again", items=0)
    for number in reversed(range(MANY)):
        add_item(again, f"item-{number}", FOUR[:3][::-1])
    assert shown(units(again, protocol, seed=7)) == before


def test_each_output_of_a_pair_comes_first_about_half_the_time(empty):
    for number in range(100):
        add_item(empty, f"item-{number}", FOUR)
    found = units(empty, seed=3)
    first = Counter(unit.order for unit in found)
    assert len(first) == 12
    for pair in combinations(FOUR, 2):
        assert first[pair] + first[pair[::-1]] == 100
        assert 35 <= first[pair] <= 65  # 3 standard deviations around 50


def test_every_order_of_a_list_occurs(empty):
    for number in range(MANY):
        add_item(empty, f"item-{number}", FOUR[:3])
    assert {unit.order for unit in units(empty, "llm_rank")} == set(permutations(FOUR[:3]))


@pytest.mark.parametrize(("protocol", "options"), [("pair_forced", {}), ("pair_guided", {"both_orders": True})])
def test_both_orders_of_a_pair_are_two_units_side_by_side(empty, protocol, options):
    add_item(empty, "item", FOUR[:3])
    found = units(empty, protocol, options)
    assert len(found) == 6
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert (one.name, one.order, one.output, one.other) == (
            other.name,
            other.order[::-1],
            other.other,
            other.output,
        )
    assert len(units(empty, "pair_guided")) == 3


@pytest.mark.parametrize(("protocol", "orders"), [("llm_compare", 1), ("pair_forced", 2)])
def test_with_a_baseline_only_its_pairs_are_judged(empty, protocol, orders):
    add_item(empty, "item", FOUR)
    add_item(empty, "without", FOUR[1:])
    found = units(empty, protocol, pairs="baseline", baseline=FOUR[0])
    assert Counter(frozenset(unit.order) for unit in found) == {frozenset((FOUR[0], key)): orders for key in FOUR[1:]}
    assert {unit.name.split("\0")[0] for unit in found} == {"item"}
    every = shown(units(empty, protocol))
    assert all(every[unit.name] in (unit.order, unit.order[::-1]) for unit in found)


def test_a_baseline_that_no_item_has_is_refused(empty):
    add_item(empty, "item", FOUR)
    with pytest.raises(ConfigurationRefusedError, match="No item has an output of the baseline system"):
        units(empty, pairs="baseline", baseline="system-x")


@pytest.mark.parametrize("protocol", ["llm_eval", "llm_compare", "llm_rank"])
def test_a_subset_is_drawn_by_the_seed_in_the_order_of_all(empty, protocol):
    for number in range(20):
        add_item(empty, f"item-{number}", FOUR[:3])
    every = units(empty, protocol, seed=5)
    some = units(empty, protocol, seed=5, subset=7)
    assert len(some) == 7
    assert [unit for unit in every if unit in some] == some
    assert units(empty, protocol, seed=5, subset=7) == some
    assert {unit.name for unit in units(empty, protocol, seed=5, subset=4)} < {unit.name for unit in some}
    assert units(empty, protocol, seed=6, subset=7) != some
    assert units(empty, protocol, seed=5, subset=1000) == every


@pytest.mark.parametrize("subset", [1, 4, 5])
def test_a_subset_counts_pairs_and_keeps_both_orders_of_each(empty, subset):
    for number in range(20):
        add_item(empty, f"item-{number}", FOUR[:3])
    found = units(empty, "pair_forced", subset=subset)
    assert Counter(Counter(unit.name for unit in found).values()) == {2: subset}


def test_items_without_a_named_reference_are_no_units_for_a_judge_that_reads_them(empty):
    gold = {"id": "gold", "text": "At nine."}
    add_item(empty, "by-human", FOUR[:2], references=[gold | {"writer": "human"}])
    add_item(empty, "by-model", FOUR[:2], references=[gold | {"writer": "model"}])
    add_item(empty, "none", FOUR[:2], references=None)
    add_item(empty, "empty", FOUR[:2], references=[])
    by_name = {"human": {"by-human"}, "model": {"by-model"}, "gold": {"by-human", "by-model"}}
    for named, found in by_name.items():
        for use in ("context", "candidate"):
            judged = units(empty, "pair_guided", {"reference": use}, references=(named,))
            assert {unit.name.split("\0")[0] for unit in judged} == found
    assert len(units(empty, "pair_guided")) == 4
    with pytest.raises(ConfigurationRefusedError, match="No item has a reference by nobody"):
        units(empty, "pair_guided", {"reference": "context"}, references=("nobody",))


def test_units_of_many_items_take_few_queries(empty, django_assert_num_queries):
    for number in range(MANY):
        add_item(empty, f"item-{number}", FOUR[:3])
    with django_assert_num_queries(3):  # items, their outputs, and no more items
        assert len(units(empty, "pair_guided", {"reference": "context"}, references=("human",))) == 3 * MANY


@pytest.mark.parametrize("protocol", ["llm_eval", "pair_forced", "llm_rank"])
def test_units_do_not_depend_on_how_many_items_are_read_at_once(empty, protocol, monkeypatch):
    for number in range(10):
        add_item(empty, f"item-{number}", FOUR[:3])
    every = units(empty, protocol)
    for at_once in (1, 3, 10):
        monkeypatch.setattr("judges.units.AT_ONCE", at_once)
        assert units(empty, protocol) == every


@pytest.mark.parametrize("protocol", ["llm_eval", "llm_compare", "llm_rank"])
def test_a_few_items_of_a_large_study_say_about_how_many_units_it_has(make_study, model, protocol):
    study = make_study("large", items=60)
    configuration = configured(study, protocol, model="campus/able")
    every = list(planned_units(study, configuration))
    some, about = some_units(study, configuration, places=3, each=5)
    assert len(some) == len(every) // 4
    assert about == len(every)
    assert set(some) < set(every)
    assert some_units(study, configuration, places=3, each=20) == (every, len(every))
