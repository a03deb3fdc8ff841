"""A thread's warm-up prepares what the desk runs, and changes nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.part import PART


@pytest.mark.django_db
def test_a_warm_thread_has_run_the_long_statements_and_written_nothing():
    with CaptureQueriesContext(connection) as captured:
        PART.warm_up_thread()
    sql = [query["sql"].strip() for query in captured.captured_queries]
    assert all(one.startswith(("SELECT", "WITH")) for one in sql)
    for table in ("accounts_browsersession", "annotation_membership", "annotation_assignment", "annotation_slot"):
        assert any(table in one for one in sql)
