"""Changes of a study's steps on pages. Who may have tasks follows from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.models import Person
from annotation.models import Guideline, Study
from files.entered.recruiting_settings import change_recruiting, digest
from parts.way_in.entry_step import steps_of
from parts.way_in.settings import SINCE

Body = Mapping[str, Any]


def change_steps(study: Study, steps: Sequence[Body], actor: Person | None, *, seen: str, reason: str = "") -> bool:
    """Make `steps` the study's; False if nothing differs. `seen` is `digest` of those that the page was made from.

    Raises RecruitingRefusedError, and StudyRefusedError for a locked study without a reason.
    """
    body = {**study.recruiting, "steps": [dict(step) for step in steps]}
    return change_recruiting(study, body, actor, action="steps changed", seen=seen, reason=reason)


def qualify_again(study: Study, actor: Person | None) -> int | None:
    """Let only attempts under the newest guidelines count, in all qualifications; return the version, if there is one.

    For a version that changes what answers mean. People who rate already are asked with their next page.
    """
    newest = Guideline.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
    if newest is None:
        return None
    change_steps(study, steps_since(study, newest), actor, seen=digest(study))
    return newest


def steps_since(study: Study, version: int) -> list[dict[str, Any]]:
    """Return the study's steps, of which qualifications count from this version of the guidelines on."""
    return [
        {**step.body, SINCE: version} if SINCE in step.kind.spec_keys else dict(step.body) for step in steps_of(study)
    ]
