"""A row of each table of hidden checks, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import ExclusionReply, Item, RaterExclusion, Task
from parts.checks.models import CheckItem, CheckLook, DueCheck, FiledCheck, RaterNotice
from parts.routing.models import QuotaMember, RoutedRater, RoutingQuota


def add_check_rows(study, rater, person):
    """A check that is due, a notice about the rater, their exclusion and reply; each by its model's name."""
    source = study.items.order_by("pk").first()
    item = Item.objects.create(study=study, key="a-check", pool="copies", digest="d", document="CANARY-DOCUMENT")
    check = CheckItem.objects.create(
        item=item, source=source, kind="twins", damage="cut", damaged="CANARY-KEY", expected={"q": "CANARY-GOLD"}
    )
    task = Task.objects.create(item=item, key="k")
    due = DueCheck.objects.create(rater=rater, number=7, task=task, slot_number=0, order=[])
    notice = RaterNotice.objects.create(
        rater=rater, rule={"figure": "gold", "below": 0.5, "of": 5, "do": "ask"}, share=0.2, number=5,
        answered_at=timezone.now(), answered_by=person, outcome="CANARY-OUTCOME",
    )  # fmt: skip
    now = timezone.now()
    RaterExclusion.objects.create(
        rater=rater, reason="CANARY-REASON", by=person, ended_at=now, ended_by=person, ended_reason="CANARY-END"
    )
    exclusion = RaterExclusion.objects.create(rater=rater, reason="CANARY-REASON", by=person)
    reply = ExclusionReply.objects.create(exclusion=exclusion, text="CANARY-REPLY")
    filed = FiledCheck.objects.create(
        study=study, rater=rater, digest="d", line={"kind": "gold", "item": "CANARY-ITEM", "status": "skipped"}
    )
    quota = RoutingQuota.objects.create(study=study, key="about.country=CANARY", most=9, first_lane=1, last_lane=1)
    routed = RoutedRater.objects.create(rater=rater, lanes=[1])
    member = QuotaMember.objects.create(rater=rater, quota=quota)
    look = CheckLook.objects.create(rater=rater)
    return {
        "routingquota": quota, "routedrater": routed, "quotamember": member, "checkitem": check, "duecheck": due,
        "raternotice": notice, "raterexclusion": exclusion, "exclusionreply": reply, "filedcheck": filed,
        "checklook": look,
    }  # fmt: skip
