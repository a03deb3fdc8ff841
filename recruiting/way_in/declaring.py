"""Changes of a study's steps and hidden checks, on pages and by programs: checked as in a study file.

Who may have tasks follows from them.
"""

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
from recruiting.declared_part import recruiting_problems
from recruiting.entry_step import steps_of
from recruiting.way_in.admission import admit_all

Body = Mapping[str, Any]


class StepsRefusedError(Exception):
    """The steps cannot be changed like this; the messages are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


STALE = "This was changed after the page was opened. Look at it as it is now, then change it again."


def change_steps(study: Study, steps: Sequence[Body], actor: Person | None, *, seen: str, reason: str = "") -> bool:
    """Make `steps` the study's; False if nothing differs. `seen` is `digest` of those that the page was made from.

    Raises StepsRefusedError, and StudyRefusedError for a locked study without a reason.
    """
    body = {**study.recruiting, "steps": [dict(step) for step in steps]}
    return change_recruiting(study, body, actor, action="steps changed", seen=seen, reason=reason)


def change_checks(study: Study, checks: Body | None, actor: Person | None, *, seen: str, reason: str = "") -> bool:
    """Make `checks` the settings of the study's hidden checks, or take them out; as `change_steps` otherwise."""
    body = {key: value for key, value in study.recruiting.items() if key != "checks"}
    body |= {} if checks is None else {"checks": dict(checks)}
    return change_recruiting(study, body, actor, action="checks changed", seen=seen, reason=reason)


def change_recruiting(
    study: Study, body: Body, actor: Person | None, *, action: str = "recruiting changed", seen: str | None = None,
    reason: str = "",
) -> bool:  # fmt: skip
    """Make `body` what the study's file says under `recruiting`; False if nothing differs.

    Raises StepsRefusedError, and StudyRefusedError for a locked study without a reason.
    """
    questions = list(study.questions.order_by("position"))
    problems = [
        f"{one.field} {one.reason}." for one in recruiting_problems(body, protocols()[study.protocol], questions)
    ]
    if problems:
        raise StepsRefusedError(problems)
    body = {key: value for key, value in body.items() if value not in (None, [])}
    with transaction.atomic():
        now = lock_study(study.pk)
        if seen is not None and digest(now) != seen:
            raise StepsRefusedError([STALE])
        if canonical_json(now.recruiting) == canonical_json(body):
            return False
        why, old = check_correction(now, reason), now.recruiting
        now.recruiting = body
        now.save(update_fields=["recruiting"])
        admit_all(now)
        record(
            action, study.slug, actor=actor, study=study.slug, old={"recruiting": old},
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
