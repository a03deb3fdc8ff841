"""What puts an inconsistency of routing into a database that `tests.filled` has filled."""

from annotation.models import Study
from parts.routing.models import RoutingQuota


def routing_count_drift():
    """A place that is counted, but that nobody has."""
    study = Study.objects.get(slug="the-rating")
    RoutingQuota.objects.create(study=study, key="about.country=DE", most=9, taken=1, first_lane=1, last_lane=1)
