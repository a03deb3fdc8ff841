"""The ways into studies from templates, by their pages: on a phone by touch, and on a screen by keyboard alone."""

import pytest

from tests.walks.hands import HANDS
from tests.walks.walking import Walk
from tests.walks.ways_in import href, instrusum, kiwi, study_of

SIZES = [pytest.param("touch", 390, 844, id="390"), pytest.param("keyboard", 1366, 768, id="1366")]
pytestmark = [pytest.mark.thorough, pytest.mark.parametrize(("hand", "width", "height"), SIZES)]


@pytest.fixture
def walk(new_desk, axe, hand, width, height):
    """A walk that looks at each page in the browser's colours, light on a phone and dark on a screen."""
    made = Walk("newcomer", HANDS[hand], axe=axe)
    scheme = "light" if hand == "touch" else "dark"
    made.desk = new_desk(viewport={"width": width, "height": height}, color_scheme=scheme, **made.hand.options)
    yield made
    assert made.faults + made.axe_findings == []


def test_instrusum_from_the_invitation_to_the_second_batch(walk, owner, tmp_path):
    study = study_of("instrusum_recruiting", "lists", tmp_path, owner, batch_size=1)
    instrusum(walk, study, owner)


def test_kiwi_from_the_invitation_through_the_pilot_to_the_next_session(walk, new_desk, owner, tmp_path, width, height):
    study = study_of("kiwi_recruiting", "trees", tmp_path, owner)
    kiwi(walk, study, owner, new_desk(owner, viewport={"width": width, "height": height}))


def test_href_from_the_invitation_through_nine_of_ten_to_the_end(walk, owner, tmp_path):
    href(walk, study_of("href_recruiting", "pairs", tmp_path, owner), owner)
