"""What `tests.load.soak` calls growth."""

import pytest

from tests.load.soak import grows


@pytest.mark.parametrize(
    ("memory", "files", "found"),
    [
        ([90.0, 95.0, 99.0] + [100.0] * 9, [9] * 12, 0),
        ([50.0] * 3 + [100.0, 99.0, 101.0] * 3, [9, 30, 9] * 4, 0),
        ([float(100 + number) for number in range(12)], [9] * 12, 1),
        ([100.0] * 12, [9 + 2 * number for number in range(12)], 1),
        ([100.0] * 3 + [100.0] * 3 + [120.0] * 3 + [110.0] * 3, [9] * 12, 0),
        ([100 + number / 10 for number in range(12)], [9] * 12, 0),
    ],
)
def test_only_what_grows_from_part_to_part_after_the_warm_up_is_growth(memory, files, found):
    assert len(grows(memory, files)) == found
