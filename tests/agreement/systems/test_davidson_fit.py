from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.systems.davidson_fit import fit, has_maximum, strong_components

FIRST, SECOND = (np.array(codes) for codes in zip(*combinations(range(4), 2), strict=True))
"""The six pairs of four systems."""
TABLES = st.lists(st.lists(st.integers(0, 6), min_size=18, max_size=18), min_size=1, max_size=5)
SPARSE = st.lists(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=18, max_size=18), min_size=1, max_size=5)


def counts_of(tables):
    """Tables of (P, 3) as counts (3, P, b)."""
    return np.array(tables, dtype=float).reshape(len(tables), -1, 3).transpose(2, 1, 0)


def distances(seen, systems=4):
    """The lengths of the shortest paths in one table (Floyd and Warshall), with -1 per win and 1 per tie."""
    way = np.full((systems, systems), np.inf)
    for a, b, won, lost, tied in zip(FIRST, SECOND, *seen, strict=True):
        way[a, b] = -1 if won else 1 if tied else np.inf
        way[b, a] = -1 if lost else 1 if tied else np.inf
    for via in range(systems):
        way = np.maximum(np.minimum(way, way[:, [via]] + way[[via], :]), -1e9)
    return way


@settings(max_examples=60)
@given(TABLES)
def test_the_fit_matches_observed_points_and_ties(tables):
    counts = counts_of(tables)
    counts = counts[:, :, has_maximum(counts > 0, FIRST, SECOND, 4)]
    theta, nu = fit(counts, FIRST, SECOND, 4)
    a, b = np.exp(theta[FIRST]), np.exp(theta[SECOND])
    chances = np.stack([a, b, nu * np.sqrt(a * b)])
    expected = counts.sum(axis=0) * chances / chances.sum(axis=0)
    for system in range(4):
        won, lost = system == FIRST, system == SECOND
        points = [
            t[0, won].sum(axis=0) + t[1, lost].sum(axis=0) + t[2, won | lost].sum(axis=0) / 2
            for t in (counts, expected)
        ]
        assert points[0] == pytest.approx(points[1], abs=1e-7)
    assert expected[2].sum(axis=0) == pytest.approx(counts[2].sum(axis=0), abs=1e-7)
    assert theta.mean(axis=0) == pytest.approx(0, abs=1e-9)


@settings(max_examples=60)
@given(TABLES, st.lists(st.floats(-3, 3), min_size=4, max_size=4), st.floats(0.1, 3))
def test_the_fit_does_not_depend_on_where_it_starts(tables, theta, nu):
    counts = counts_of(tables)
    counts = counts[:, :, has_maximum(counts > 0, FIRST, SECOND, 4)]
    plain, started = (fit(counts, FIRST, SECOND, 4, start) for start in (None, (np.array(theta), np.array([nu]))))
    for one, other in zip(plain, started, strict=True):
        assert one == pytest.approx(other, abs=1e-9, rel=1e-9)


@settings(max_examples=200)
@given(SPARSE)
def test_what_decides_whether_there_is_a_maximum_are_the_shortest_paths(tables):
    seen = counts_of(tables) > 0
    found = has_maximum(seen, FIRST, SECOND, 4)
    labels = strong_components(seen, FIRST, SECOND, 4)
    for table in range(len(tables)):
        way = distances(seen[:, :, table])
        reached = np.isfinite(way) | np.eye(4, dtype=bool)
        assert np.array_equal(labels[table][:, None] == labels[table], reached & reached.T)
        assert found[table] == (reached.all() and (bool((way.diagonal() < 0).any()) or not seen[2, :, table].any()))


@pytest.mark.parametrize(
    ("table", "bounded"),
    [
        ([5, 0, 0], False),  # one only wins
        ([5, 2, 0], True),
        ([5, 0, 3], False),  # ties, but no loss: the gap and nu grow together
        ([1, 1, 9], True),
        ([0, 0, 4], False),  # nothing but ties
    ],
)
def test_only_some_tables_of_two_systems_have_a_maximum(table, bounded):
    assert has_maximum(counts_of([table]) > 0, np.array([0]), np.array([1]), 2).tolist() == [bounded]


def test_a_cycle_needs_more_wins_than_ties_for_a_finite_fit():
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    circle = [3, 0, 1, 0, 3, 0, 3, 0, 0]  # a beats b beats c beats a
    half = [3, 0, 0, 0, 0, 3, 0, 0, 3]  # a beats b, b ties c, c ties a
    assert has_maximum(counts_of([circle, half]) > 0, *pairs, 3).tolist() == [True, False]


def test_a_cycle_of_wins_and_fewer_ties_is_enough():
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    most = [3, 0, 0, 0, 0, 3, 3, 0, 0]  # a beats b beats c ties a
    assert has_maximum(counts_of([most]) > 0, *pairs, 3).tolist() == [True]
