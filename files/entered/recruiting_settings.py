"""The key `recruiting` of a study file: how people come in, are checked and leave. Parts bring its sections.

It is checked in the same way in files, on pages and for programs, and changed by `change_recruiting` alone once the
study is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Question, Study
from annotation.protocols import Protocol, protocols
from annotation.studies.corrections import check_correction
from annotation.studies.file_sections import FileFacts, HasPlace, Mistake, recruiting_sections
from annotation.studies.locking import lock_study
from config.model_fields import canonical_json
from config.parts import absent_part, parts
from files.import_problems import NOT_INSTALLED, unknown


class RecruitingRefusedError(Exception):
    """The settings cannot be changed like this; the messages are sentences."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


STALE = "This was changed after the page was opened. Look at it as it is now, then change it again."


def recruiting_problems(value: Any, protocol: Protocol, questions: Sequence[Question]) -> Iterator[HasPlace]:
    """Yield what is wrong with the value of a file with these questions."""
    if not isinstance(value, dict):
        yield Mistake("recruiting", "must be a mapping of keys to values")
        return
    sections, facts = recruiting_sections(), FileFacts(protocol, questions)
    for key in value:
        if key not in sections:
            part = absent_part(f"recruiting.{key}")
            problem = NOT_INSTALLED.format(part) if part else unknown("key", key, tuple(sections))
            yield Mistake(f"recruiting.{key}", problem)
    for key, section in sections.items():
        if value.get(key) is not None:
            yield from section.problems(value[key], facts)


def change_recruiting(
    study: Study,
    body: Mapping[str, Any],
    actor: Person | None,
    *,
    action: str = "recruiting changed",
    seen: str | None = None,
    reason: str = "",
) -> bool:
    """Make `body` what the study's file says under `recruiting`; False if nothing differs.

    `seen` is the `digest` of the settings that a page was made from. Raises RecruitingRefusedError, and
    StudyRefusedError for a locked study without a reason.
    """
    questions = list(study.questions.order_by("position"))
    problems = list(recruiting_problems(body, protocols()[study.protocol], questions))
    if problems:
        raise RecruitingRefusedError([f"{problem.field} {problem.reason}." for problem in problems])
    body = {key: value for key, value in body.items() if value not in (None, [])}
    with transaction.atomic():
        now = lock_study(study.pk)
        if seen is not None and digest(now) != seen:
            raise RecruitingRefusedError([STALE])
        if canonical_json(now.recruiting) == canonical_json(body):
            return False
        why, old = check_correction(now, reason), now.recruiting
        now.recruiting = body
        now.save(update_fields=["recruiting"])
        for part in parts():
            part.recruiting_changed(now)
        new = {"recruiting": now.recruiting, **why}
        record(action, study.slug, actor=actor, study=study.slug, old={"recruiting": old}, new=new)
    study.recruiting = now.recruiting
    return True


def digest(study: Study) -> str:
    """Return what tells the study's present settings from others."""
    return hashlib.sha256(canonical_json(study.recruiting).encode()).hexdigest()[:16]
