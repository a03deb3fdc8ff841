import numpy as np
import pytest

from agreement.systems.pair_figures import length_bias_rate, position_bias
from agreement.systems.place_effects import (
    NOT_COMPARED,
    ONE_PLACE,
    PlacedValues,
    length_shares,
    place_effects,
    side_shares,
)

pytestmark = pytest.mark.quick


def placed(rows, items=None):
    """Values from rows (unit, value, place)."""
    unit, value, place = (np.array(column) for column in zip(*rows, strict=True))
    item = np.arange(unit.max() + 1) if items is None else np.array(items)
    return PlacedValues(unit, value.astype(float), place, item)


def test_an_output_is_compared_with_itself_at_other_places():
    # output 0: 5 at place 1, 3 at place 2; output 1: 4 at place 2, 2 and 3 at place 1
    rows = [(0, 5, 0), (0, 3, 1), (1, 4, 1), (1, 2, 0), (1, 3, 0)]
    first, second = place_effects(placed(rows), replicates=100)["places"]
    assert (first["place"], first["n"], first["mean"]) == (1, 3, pytest.approx(10 / 3))
    assert first["effect"] == pytest.approx(((5 - 3) + (2 - 3.5) + (3 - 3)) / 3)
    assert second["effect"] == pytest.approx(((3 - 5) + (4 - 2.5)) / 2)


def test_which_outputs_are_shown_where_is_no_effect():
    # good outputs always first: a difference of means, and no effect
    rows = [(unit, 5 - 3 * (unit % 2), unit % 2) for unit in range(10) for _ in range(2)]
    first, second = place_effects(placed(rows), replicates=50)["places"]
    assert (first["mean"], second["mean"]) == (5, 2)
    assert (first["effect"], second["effect"]) == (0, 0)


def test_a_known_effect_is_found_within_its_interval():
    rng = np.random.default_rng(2)
    rows = [(unit, rng.normal() + (place == 0), place) for unit in range(300) for place in (0, 1)]
    first, second = place_effects(placed(rows), replicates=300)["places"]
    assert first["effect_ci"][0] < 1 < first["effect_ci"][1]
    assert second["effect"] == pytest.approx(-first["effect"])


def test_one_place_and_uncompared_outputs_say_so():
    assert place_effects(placed([(0, 1, 0), (0, 2, -1)]))["undefined"] == ONE_PLACE
    rows = place_effects(placed([(0, 1, 0), (1, 2, 1)]), replicates=10)["places"]
    assert [row["undefined"]["effect"] for row in rows] == [NOT_COMPARED] * 2
    assert [row["mean"] for row in rows] == [1, 2]


def test_shares_of_sides_and_lengths_give_the_biases_of_the_agreement_report(choices_of):
    rng = np.random.default_rng(5)
    rows = [(item, *rng.permutation(["a", "b"]), rater, ["a", "b", None][rng.integers(0, 3)])
            for item in range(15) for rater in "rs"]  # fmt: skip
    lengths = {(item, name): int(rng.integers(1, 5)) for item in range(15) for name in "ab"}
    choices = choices_of(rows, lengths)
    weights = np.ones((1, 15))
    sides, longer = side_shares(choices, 50), length_shares(choices, 50)
    assert sides["first"] - sides["second"] == pytest.approx(position_bias(choices, 15).at(weights)[0, 0])
    assert longer["longer"] - longer["shorter"] == pytest.approx(length_bias_rate(choices, 15).at(weights)[0, 0])
    assert sides["first"] + sides["tie"] + sides["second"] == pytest.approx(1)
    assert sides["n"] == 30


def test_unknown_lengths_have_no_shares(choices_of):
    found = length_shares(choices_of([("i", "a", "b", "r", "a")]), 10)
    assert (found["n"], found["longer"]) == (0, None)
    assert "unequal length" in found["undefined"]["longer"]
