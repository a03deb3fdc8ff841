"""Packed rows come back unchanged and never run code."""

import os
import pickle
from datetime import UTC, datetime, timedelta, timezone

import pytest

from annotation.models import Rater, Rating
from config.bulk_insert import packed_time
from files.reading.row_packing import MOST_BYTES, Change, Insertion, unpack

pytestmark = pytest.mark.quick


class Code:
    """An object that makes a folder when it is unpickled."""

    def __init__(self, made):
        self.made = str(made)

    def __reduce__(self):
        return os.mkdir, (self.made,)


def test_rows_and_changes_come_back_as_they_were_packed():
    rows = [(1, "ann", None, 2.5, True), (2, "\u202e\U0001f9ca", 0, -0.0, False)]
    insertion = Insertion(Rating, ("id", "name", "a", "b", "c"), rows)
    change = Change(Rater, "id", [3, 4], {"import_pending": False})
    [packed] = insertion.pack()
    assert unpack(packed) == insertion
    [packed] = change.pack()
    assert unpack(packed) == change


def test_many_rows_are_packed_in_parts_in_their_order():
    rows = [(number, "x" * (MOST_BYTES // 4)) for number in range(9)]
    parts = [unpack(packed) for packed in Insertion(Rating, ("id", "value"), rows).pack()]
    assert len(parts) > 1
    assert [row for part in parts for row in part.rows] == rows


@pytest.mark.parametrize("hidden", ["alone", "in a row"])
def test_packed_rows_that_carry_code_are_refused_and_the_code_never_runs(tmp_path, hidden):
    crafted = Code(tmp_path / "made")
    packed = pickle.dumps(crafted if hidden == "alone" else ("insert", "annotation.Rating", ("id",), [(crafted,)]))
    with pytest.raises(pickle.UnpicklingError, match="packed rows cannot contain"):
        unpack(packed)
    assert not (tmp_path / "made").exists()
    pickle.loads(packed)
    assert (tmp_path / "made").exists()


def test_times_are_packed_in_utc():
    at = datetime(2026, 3, 1, 12, 0, 0, 1, tzinfo=timezone(timedelta(hours=2)))
    assert packed_time(at) == packed_time(at.astimezone(UTC)) == "2026-03-01 10:00:00.000001"
    assert packed_time(None) is None
