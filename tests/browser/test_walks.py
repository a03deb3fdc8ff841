"""A short walk of each protocol, by keyboard or by touch; `python -m tests.walks` walks all of them."""

import pytest

from tests.walks.hands import HANDS
from tests.walks.walked_studies import TASKS, walk_through
from tests.walks.walking import Walk

SHORT = [
    ("rating", "keyboard", 1366, 768), ("listwise", "touch", 820, 1180), ("pairwise", "touch", 390, 844),
    ("session", "keyboard", 1366, 768),
]  # fmt: skip
QUICK = ("rating",)
"""The walk of `make test`; other tests of the desk go through lists and sessions, by keyboard and by mouse."""


@pytest.mark.parametrize(
    ("protocol", "hand", "width", "height"),
    [pytest.param(*row, id=row[0], marks=[pytest.mark.thorough] * (row[0] not in QUICK)) for row in SHORT],
)
def test_a_walk_reaches_the_end_and_finds_nothing(new_desk, tmp_path, protocol, hand, width, height):
    def desk(**options):
        return new_desk(viewport={"width": width, "height": height}, **options)

    walk = Walk(f"short-{protocol}", HANDS[hand])
    walk_through(walk, desk, protocol, tmp_path)
    assert walk.faults == []
    assert walk.sent == TASKS[protocol] + (protocol == "session")
