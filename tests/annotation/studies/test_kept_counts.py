"""Whether counts are kept, and whether they are of now, is as quick to say in a large site as in a small one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry
from annotation.models import StudyCounts
from annotation.review import batch_samples
from annotation.studies.kept_counts import OVERVIEW, is_large, kept_counts
from config.database_clock import database_now
from tests.query_plans import plan_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]


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


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans without the values")
def test_places_of_other_studies_are_not_read_to_say_whether_one_is_large(study):
    with CaptureQueriesContext(connection) as queries:
        assert not is_large(study)
    [asked] = queries.captured_queries
    assert "SCAN U0" not in plan_of(asked["sql"])


def test_answers_of_a_batch_with_many_items_are_not_looked_for(study, monkeypatch):
    monkeypatch.setattr(batch_samples, "MOST_AT_ONCE", 1)
    with CaptureQueriesContext(connection) as queries:
        assert batch_samples.is_large_batch(study, 0)
    assert not [query["sql"] for query in queries.captured_queries if "annotation_annotation" in query["sql"]]
