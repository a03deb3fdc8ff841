"""No cell of fewer than five people can be read off, or computed from the cells and the total that are shown."""

import itertools

import pytest

from parts.way_in.small_cells import LEAST, safe_counts, safe_total


@pytest.mark.parametrize("cells", [2, 3, 4])
def test_no_small_cell_follows_from_what_is_shown(cells):
    for counts in itertools.product(range(9), repeat=cells):
        named = dict(zip("abcd", counts, strict=False))
        shown = safe_counts(named)
        hidden = [name for name, count in shown.items() if count is None]
        assert all(count is None or (count >= LEAST and count == named[name]) for name, count in shown.items())
        if hidden and sum(counts) >= LEAST:
            assert len(hidden) > 1
            assert sum(named[name] for name in hidden) >= LEAST
        if not hidden:
            assert min(counts) >= LEAST


def test_large_cells_are_all_shown():
    assert safe_counts({"a": 5, "b": 12}) == {"a": 5, "b": 12}
    assert safe_counts({"a": 4, "b": 12, "c": 6}) == dict.fromkeys("abc")
    assert safe_counts({"a": 4, "b": 12, "c": 6, "d": 7}) == {"a": None, "b": None, "c": 6, "d": 7}
    assert safe_counts({"a": 7, "b": 12, "c": 1, "d": 2}) == dict.fromkeys("abcd")
    assert (safe_total(4), safe_total(5)) == (None, 5)
