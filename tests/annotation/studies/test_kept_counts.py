"""Kept counts of a large study are as quick to check for a long audit as for a short one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry
from annotation.models import StudyCounts
from annotation.studies.kept_counts import OVERVIEW, kept_counts
from config.database_clock import database_now
from tests.query_plans import plan_of

pytestmark = pytest.mark.django_db


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans without the values")
def test_changes_are_looked_for_from_the_time_of_the_counts_on(study):
    for slug in (study.slug, "other"):
        AuditEntry.objects.bulk_create(AuditEntry(action="task submitted", study=slug) for _ in range(3000))
    now = database_now()
    StudyCounts.objects.create(study=study, subject=OVERVIEW, status="done", read_at=now, ended_at=now, due_at=now)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_auditentry")
    with CaptureQueriesContext(connection) as queries:
        kept_counts(study, OVERVIEW)
    [asked] = [query["sql"] for query in queries.captured_queries if "changed_" in query["sql"]]
    assert "audit_study_at (study=? AND at>?)" in plan_of(asked)
