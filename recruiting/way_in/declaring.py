"""Changes of a study's steps on pages: checked as in a study file, and followed by who may have tasks."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Guideline, Study
from annotation.protocols import protocols
from annotation.studies.corrections import check_correction
from annotation.studies.locking import lock_study
from config.model_fields import canonical_json
from recruiting.declared_part import PART
from recruiting.entry_step import steps_of
from recruiting.way_in.admission import admit_all

Body = Mapping[str, Any]


class StepsRefusedError(Exception):
    """The steps cannot be changed like this; the messages are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


STALE = "The steps were changed after this page was opened. Look at them, then change them again."


def change_steps(study: Study, steps: Sequence[Body], actor: Person | None, *, seen: str, reason: str = "") -> bool:
    """Make `steps` the study's; False if nothing differs. `seen` is `digest` of those that the page was made from.

    Raises StepsRefusedError, and StudyRefusedError for a locked study without a reason.
    """
    body = {**study.recruiting, "steps": [dict(step) for step in steps]}
    questions = list(study.questions.order_by("position"))
    problems = [f"{one.field} {one.reason}." for one in PART.problems(body, protocols()[study.protocol], questions)]
    if problems:
        raise StepsRefusedError(problems)
    with transaction.atomic():
        now = lock_study(study.pk)
        if digest(now) != seen:
            raise StepsRefusedError([STALE])
        if canonical_json(now.recruiting) == canonical_json(body):
            return False
        why, old = check_correction(now, reason), now.recruiting
        now.recruiting = body if steps else {key: value for key, value in body.items() if key != "steps"}
        now.save(update_fields=["recruiting"])
        admit_all(now)
        record(
            "steps changed", study.slug, actor=actor, study=study.slug, old={"recruiting": old},
            new={"recruiting": now.recruiting, **why},
        )  # fmt: skip
    study.recruiting = now.recruiting
    return True


def digest(study: Study) -> str:
    """Return what tells the study's present steps from others."""
    return hashlib.sha256(canonical_json(study.recruiting).encode()).hexdigest()[:16]


def qualify_again(study: Study, actor: Person | None) -> int | None:
    """Let only attempts under the newest guidelines count, in all qualifications; return the version, if there is one.

    For a version that changes what answers mean. People who rate already are asked with their next page.
    """
    newest = Guideline.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
    if newest is None:
        return None
    steps = [
        {**step.body, "since_guidelines": newest} if "since_guidelines" in step.kind.spec_keys else dict(step.body)
        for step in steps_of(study)
    ]
    change_steps(study, steps, actor, seen=digest(study))
    return newest
