"""A row of each table of stop rules, for tests that open every page and use every model."""

import hashlib

from django.utils import timezone

from annotation.models import Slot
from config.model_fields import canonical_json
from parts.stopping.models import ExtraPlace, FiledLook, PairCheck, ResultPeek, StopContinuation, StopLook, StopPlan

STOPPING = {
    "looks": [10], "rules": [{"figure": "score", "question": "how_well", "until": "width", "width": 1.0}],
    "third_rater": {"questions": ["how_well"]},
}  # fmt: skip


def add_stopping_rows(study, person):
    """A plan with a look that ended it, a decision to go on, a peek, a third place and a comparison."""
    now, body = timezone.now(), canonical_json(STOPPING)
    plan = StopPlan.objects.create(
        study=study, body=body, sha256=hashlib.sha256(body.encode()).hexdigest(), fixed_at=now, in_time=True
    )
    look = StopLook.objects.create(
        plan=plan, number=1, planned=10, answers=10, taken_at=now, decision="end", status="done", ended_at=now,
        figures={"rules": []},
    )  # fmt: skip
    going_on = StopContinuation.objects.create(look=look, by=person, at=now, reason="CANARY-REASON")
    peek = ResultPeek.objects.create(plan=plan, by=person, role="owner", kind="report", day=now.date(), at=now)
    slot = Slot.objects.filter(study=study).first()
    place = ExtraPlace.objects.create(study=study, slot=slot, disagreed=["how_well"], made_at=now)
    check = PairCheck.objects.create(task=slot.task, status="done", ended_at=now)
    line = {"number": 1, "planned": 10, "answers": 10, "taken_at": "2026-03-01T12:00:00.000000Z", "decision": "end",
            "plan": "CANARY"}  # fmt: skip
    filed = FiledLook.objects.create(study=study, digest="d", line=line)
    return {
        "filedlook": filed, "stopplan": plan, "stoplook": look, "stopcontinuation": going_on, "extraplace": place,
        "paircheck": check, "resultpeek": peek,
    }  # fmt: skip
