"""Imports registered plans: each as it was, with its date and hash, marked as registered elsewhere."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from config.background.rows import Status
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.text_validation import time_text
from files.import_problems import FieldInvalidError
from files.reading.protocol_tables import TableImport
from parts.preregistration.models import Preregistration
from parts.preregistration.registered_plans import PLAN_SCHEMA

MOST = 10**6
KEYS = ("study", "title", "protocol", "language", "software")


class PlanImport(TableImport):
    """Imports one plan, whose file is one line. A plan that exists already is skipped; another one is refused."""

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        for line, body in objects:
            try:
                self._take(body)
            except FieldInvalidError as problem:
                self.problems.add(line, problem.field, problem.reason)
        self.problems.refuse_if_any()

    def _take(self, plan: Mapping[str, Any]) -> None:
        number, registered_at = _checked(plan)
        body = canonical_json(plan)
        sha256 = hashlib.sha256(body.encode()).hexdigest()
        found = Preregistration.objects.filter(study=self.study.pk, number=number).first()
        if found is not None:
            if found.sha256 != sha256:
                raise FieldInvalidError("number", f"the study has another plan {number}")
            return
        now = database_now()
        row = Preregistration(
            study_id=self.study.pk, number=number, body=body, sha256=sha256, registered_at=registered_at,
            imported_at=now, status=Status.DONE, started_at=now, ended_at=now,
        )  # fmt: skip
        row.pk = self.staging.next_ids(Preregistration, 1)[0]
        self.staging.add([row])
        self.added += 1


def _checked(plan: Mapping[str, Any]) -> tuple[int, datetime]:
    """The number and date of a plan. Raises FieldInvalidError if it is none that this software has written."""
    if plan.get("schema") != PLAN_SCHEMA:
        raise FieldInvalidError("schema", f"must be {PLAN_SCHEMA}")
    number, told = plan.get("number"), plan.get("registered_at")
    if type(number) is not int or not 1 <= number <= MOST:
        raise FieldInvalidError("number", "must be a whole number, 1 or more")
    for key in KEYS:
        if not isinstance(plan.get(key), str):
            raise FieldInvalidError(key, "must be text")
    try:
        moment = datetime.fromisoformat(told) if isinstance(told, str) else None
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or time_text(moment) != told:
        raise FieldInvalidError("registered_at", "must be a time such as 2026-03-01T12:00:00.000000Z")
    return number, moment.astimezone(UTC)
