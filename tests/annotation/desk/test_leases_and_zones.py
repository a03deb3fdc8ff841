"""A lease is as long as any other over midnight and when clocks are put forward or back, in whatever zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import pulse
from annotation.desk.submitting import Effort
from annotation.models import Annotation, Rater, Slot
from tests.clock import at_time
from tests.other_host import DOINGS, released_now

pytestmark = pytest.mark.both
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo")
"""With daylight saving: by an hour or half of one, north and south of the equator, at midnight and after it."""
LEASE = timedelta(minutes=30)
JUST, HALF = timedelta(seconds=1), timedelta(minutes=15)


def offset(zone, moment):
    return moment.astimezone(zone).utcoffset()


def changes_of(zone, year=2026):
    """The moments of a year at which a zone's clocks are put forward or back."""
    moment, end, step = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC), timedelta(minutes=30)
    while moment < end:
        if offset(zone, moment) != offset(zone, moment + step):
            yield moment + step
        moment += step


def moments():
    """A moment per midnight and per change of clocks, each with its zone."""
    for name in ZONES:
        zone = ZoneInfo(name)
        changes = list(changes_of(zone))
        assert len(changes) == 2
        for change in changes:
            yield pytest.param(name, change, id=f"{name}-{offset(zone, change) - offset(zone, change - JUST)}")
        yield pytest.param(name, datetime(2026, 7, 1, tzinfo=zone).astimezone(UTC), id=f"{name}-midnight")
    yield pytest.param("UTC", datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC) + JUST, id="new-year")


@pytest.fixture
def site_zone(request):
    """The zone in which the site shows times and counts days, that of the parameter `zone`."""
    with timezone.override(ZoneInfo(request.getfixturevalue("zone"))):
        yield


@pytest.mark.usefixtures("site_zone")
@pytest.mark.parametrize(("zone", "change"), moments())
def test_a_lease_lasts_as_long_over_a_change_of_the_clocks(study, zone, change):
    ada, ben = (Rater.objects.create(study=study, name=name) for name in ("ada", "ben"))
    begun = change - HALF
    with at_time(begun):
        assignment = next_assignment(study, ada)
        held = Slot.objects.filter(holder=ada).count()
    assert {slot.lease_until for slot in Slot.objects.filter(holder=ada)} == {begun + LEASE}
    with at_time(begun + LEASE - JUST):
        assert released_now(study) == 0
        assert pulse(assignment, Effort()).lease_until == begun + 2 * LEASE - JUST
    with at_time(begun + 2 * LEASE):
        assert released_now(study) == held
        assert DOINGS["work"](ben.pk) > 0
    given = Annotation.objects.filter(rater=ben).values_list("submitted_at", flat=True)
    assert set(given) == {begun + 2 * LEASE}
