"""Writes the lanes and quotas of raters, and the quotas of their study: the only writer of routing's tables but claims.

What a rater says about themselves, and so their groups, comes from the app that asks them.
"""

from collections.abc import Collection, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.models import Rater, Slot, Study
from annotation.studies.batches import FIRST
from annotation.studies.locking import lock_study
from annotation.studies.planning import seeded
from config.prepared_sql import fetch_one, lock_clause
from parts.routing.models import QuotaMember, RoutedRater, RoutingQuota
from parts.routing.plan import (
    FIRST_LANE,
    MOST_NUMBER,
    PREFERENCE,
    AnswerSource,
    GroupQuota,
    RoutingSpec,
    routing_of,
)

WHOLE = ""
"""The key of the study's own row: `most` is how many slots it has; claims lock it."""
SHARE = "share"
Replies = Mapping[AnswerSource, Any]
_GATE = "SELECT id FROM routing_routingquota WHERE study_id = %s AND rater_id IS NULL AND key = ''"


def lock_counts(study: Study) -> None:
    """Let nobody else take or give back counted slots until the transaction ends; nothing if none are counted."""
    routing = routing_of(study)
    if routing is not None and routing.has_quotas:
        fetch_one(_GATE + lock_clause(), [study.pk])


def is_routed(rater: Rater) -> bool:
    """Whether the rater has lanes."""
    return RoutedRater.objects.filter(rater=rater).exists()


def group_key(source: AnswerSource, value: str, *, others: bool = False) -> str:
    """The key of the quota of a group, or of everybody else."""
    return f"{'not ' if others else ''}{source.step}.{source.question}={value}"[:320]


def recount(study: Study) -> None:
    """Set the quotas of a study that has been live by the number of its slots now."""
    routing = routing_of(study)
    if routing is not None and routing.has_quotas and study.status != Study.Status.DRAFT:
        with transaction.atomic():
            count_study(lock_study(study.pk))


def count_study(study: Study) -> None:
    """Set the quotas of a locked study, and of its raters, by the number of its slots now; make those that are missing.

    Slots that are taken stay taken, whatever a quota is now.
    """
    routing = routing_of(study)
    if routing is None or not routing.has_quotas:
        return
    planned = Slot.objects.filter(study=study, place__gte=FIRST).count()
    _set(study, WHOLE, planned)
    for group in routing.groups:
        for quota in group.quotas:
            _set(study, group_key(group.source, quota.value), MOST_NUMBER if quota.most is None else quota.most)
            if quota.least is not None:
                _set(study, group_key(group.source, quota.value, others=True), max(0, planned - quota.least))
    if routing.most_share is not None:
        own = RoutingQuota.objects.filter(study=study, rater__isnull=False, key=SHARE)
        own.update(most=_share(routing, planned))


def _set(study: Study, key: str, most: int) -> None:
    routing = routing_of(study)
    last = routing.last_lane if routing else FIRST_LANE
    fields = {"most": most, "first_lane": FIRST_LANE, "last_lane": last}
    if not RoutingQuota.objects.filter(study=study, rater=None, key=key).update(**fields):
        RoutingQuota.objects.create(study=study, key=key, **fields)


def _share(routing: RoutingSpec, planned: int) -> int:
    """How many answers a rater may give; at least one."""
    return max(1, int((routing.most_share or 1) * planned + 1e-9))


def own_lanes(study: Study, routing: RoutingSpec, rater: str, topics: Collection[str], seat: str | None) -> list[int]:
    """The lanes of a rater with these topics and this answer about seats, in the order in which they get tasks.

    Own topics come in an order drawn for each rater, so that they fill evenly. Places for the rater's own answer come
    before those for anybody.
    """
    names = routing.topics.names
    own = [number for number, name in enumerate(names) if name in topics]
    rest = [number for number in range(len(names)) if number not in own]
    for numbers in (own, rest):
        numbers.sort(key=lambda number: seeded(study, "topics", rater, names[number]))
    order = [*own, len(names), *(rest if routing.topics.mode == PREFERENCE else ())]
    values = routing.seats.values if routing.seats else ()
    seats = [values.index(seat) + 1, 0] if seat in values else [0]
    return [routing.lane(topic, one) for topic in order for one in seats]


def topics_in(routing: RoutingSpec, rater: Rater, replies: Replies) -> list[str]:
    """A rater's own topics: those that they chose, and those that they declared."""
    given = replies.get(routing.topics.source) if routing.topics.source else None
    declared = given if isinstance(given, list) else [given]
    chosen = (rater.topics or []) if routing.topics.choose else []
    return [name for name in routing.topics.names if name in chosen or name in declared]


def groups_of(routing: RoutingSpec, replies: Replies) -> list[tuple[AnswerSource, GroupQuota]]:
    """The groups with quotas that a rater belongs to."""
    return [
        (group.source, quota)
        for group in routing.groups
        for quota in group.quotas
        if quota.value == replies.get(group.source)
    ]


def full_group(study: Study, routing: RoutingSpec, rater: Rater, replies: Replies) -> str | None:
    """The answer of the first of a new rater's groups that has no room for another rater, or None."""
    for source, quota in groups_of(routing, replies):
        if quota.raters is not None and raters_in(study, group_key(source, quota.value), rater) >= quota.raters:
            return quota.value
    return None


def raters_in(study: Study, key: str, but: Rater | None = None) -> int:
    """How many raters of a group are members of the study now, without the rater `but`."""
    members = QuotaMember.objects.filter(quota__study=study, quota__rater=None, quota__key=key)
    present = members.filter(rater__person__memberships__study=study, rater__person__memberships__active=True)
    return (present.exclude(rater=but) if but else present).count()


def write_routing(study: Study, routing: RoutingSpec, rater: Rater, replies: Replies) -> None:
    """Give a locked rater of a locked study their lanes and quotas, in place of earlier ones."""
    topics = topics_in(routing, rater, replies)
    seat = replies.get(routing.seats.source) if routing.seats else None
    lanes = own_lanes(study, routing, rater.name, topics, seat if isinstance(seat, str) else None)
    if not RoutedRater.objects.filter(rater=rater).update(lanes=lanes, at=0, reach=None):
        RoutedRater.objects.create(rater=rater, lanes=lanes)
    if not routing.has_quotas or QuotaMember.objects.filter(rater=rater).exists():
        return
    lock_counts(study)
    quotas = [*_own_quotas(study, routing, rater), *_group_quotas(study, routing, replies)]
    QuotaMember.objects.bulk_create(QuotaMember(rater=rater, quota=quota) for quota in quotas)
    if Slot.objects.filter(study=study, holder=rater).exists():
        for quota in quotas:
            more = Slot.objects.filter(holder=rater, lane__gte=quota.first_lane, lane__lte=quota.last_lane).count()
            RoutingQuota.objects.filter(pk=quota.pk).update(taken=F("taken") + more)


def _own_quotas(study: Study, routing: RoutingSpec, rater: Rater) -> list[RoutingQuota]:
    wanted: list[tuple[str, int, int, int]] = []
    if routing.most_share is not None:
        planned = RoutingQuota.objects.get(study=study, rater=None, key=WHOLE).most
        wanted.append((SHARE, _share(routing, planned), FIRST_LANE, routing.last_lane))
    if routing.topics.most is not None:
        for topic, name in enumerate(routing.topics.names):
            wanted.append((f"topic {name}", routing.topics.most, *routing.lanes_of_topic(topic)))
    return [
        RoutingQuota.objects.create(study=study, rater=rater, key=key, most=most, first_lane=first, last_lane=last)
        for key, most, first, last in wanted
    ]


def _group_quotas(study: Study, routing: RoutingSpec, replies: Replies) -> list[RoutingQuota]:
    mine = [group_key(source, quota.value) for source, quota in groups_of(routing, replies)]
    others = [
        group_key(group.source, quota.value, others=True)
        for group in routing.groups
        for quota in group.quotas
        if quota.least is not None and replies.get(group.source) != quota.value
    ]
    return list(RoutingQuota.objects.filter(study=study, rater=None, key__in=[*mine, *others]).order_by("pk"))


def wrong_counts(study: Study) -> list[str]:
    """The keys of quotas whose count differs from the slots that their members have: none, if all is well.

    Somebody who left and let their answers be kept is a member of no quota any more, because nothing says what they
    said about themselves. Their answers stay counted, so a count may be higher by as many.
    """
    found = []
    for quota in RoutingQuota.objects.filter(study=study).exclude(key=WHOLE, rater=None).order_by("pk"):
        in_lanes = Q(rater__slots__lane__gte=quota.first_lane, rater__slots__lane__lte=quota.last_lane)
        taken = quota.members.filter(in_lanes).aggregate(count=Count("rater__slots"))["count"]
        if taken != quota.taken and not taken < quota.taken <= taken + _taken_by_those_who_left(quota):
            found.append(f"{quota.key}: {quota.taken} counted, {taken} taken")
    return found


def _taken_by_those_who_left(quota: RoutingQuota) -> int:
    if quota.rater_id is not None:
        return 0
    slots = Slot.objects.filter(study=quota.study_id, lane__gte=quota.first_lane, lane__lte=quota.last_lane)
    return slots.filter(holder__isnull=False, holder__routed=None).count()
