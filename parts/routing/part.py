"""What routing adds: who gets which tasks, by topics, groups and quotas."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from annotation.models import Rater, Study
from annotation.studies.file_sections import StudySection, by_model
from annotation.studies.live_checks import LiveProblem
from annotation.study_tabs import Tab
from operating.data_check import DataCheck, Row
from parts.routing.claims import RoutingSearch
from parts.routing.erasing import ERASING
from parts.routing.fill_table import LANES, count_lanes
from parts.routing.models import QuotaMember
from parts.routing.plan import ROUTING, RoutingSpec
from parts.routing.quotas import count_study, wrong_counts
from parts.routing.raters import is_full_for, routing_problems
from parts.way_in.followers import FollowsWayIn

CHUNK = 500


def begin(study: Study, actor: Person | None) -> None:
    """Make the quotas of a locked study that goes live, or set them again."""
    count_study(study)


def is_declared(study: Study) -> bool:
    return ROUTING in study.options


def wrong_quotas() -> Iterator[Row]:
    """Quotas that count other places than their raters have."""
    for study in Study.objects.filter(routing_quotas__isnull=False).distinct().order_by("pk"):
        for quota in wrong_counts(study):
            yield {"study": study.pk, "quota": quota}


class RoutingPart(FollowsWayIn):
    needs = ("way_in",)
    sections = (  # synthetic raters say nothing about themselves
        StudySection(ROUTING, by_model(RoutingSpec), begin, in_dry_runs=False),
    )
    search = RoutingSearch()
    urls = "parts.routing.urls"
    annotators_pages = ("routing:own_topics",)
    tabs = (Tab(220, "People", "Routing", "routing:routing", (), is_declared),)
    counts = {LANES: count_lanes}
    erasing = ERASING
    data_checks = (
        DataCheck("routing_count_drift", "A quota of routing counts other places than its raters have.", wrong_quotas),
    )

    def live_problems(self, study: Study) -> Iterator[LiveProblem]:
        steps = (("Steps before tasks", "way_in:steps"),)
        return (LiveProblem(text, steps, blocks=True) for text in routing_problems(study))

    def is_full_for(self, study: Study, rater: Rater) -> bool:
        return is_full_for(study, rater)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        """Return the groups by which studies share out tasks and to which the person belongs, not how full they are."""
        return [("groups", _groups(person))]


def _groups(person: Person) -> Iterator[dict[str, Any]]:
    members = QuotaMember.objects.filter(rater__person=person, quota__rater=None).exclude(quota__key="")
    for member in members.select_related("quota", "rater__study").order_by("pk").iterator(CHUNK):
        yield {"study": member.rater.study.slug, "group": member.quota.key}


PART = RoutingPart()
