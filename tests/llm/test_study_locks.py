"""Calls while their study is locked, and calls of other studies to the same endpoint."""

import pytest
from django.db import connection

from llm.door import complete
from llm.models import Call
from llm.requests import Charge
from tests.llm.calls import asked, write_endpoints
from tests.processes import child, finished, said, tell

LOCK_STUDY = """
from django.db import transaction
from annotation.models import Study
from annotation.studies.locking import lock_study
with transaction.atomic():
    lock_study(Study.objects.get(slug="study").pk)
    print("locked", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.postgresql
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")
def test_calls_continue_while_a_study_is_locked(transactional_db, study, make_study, replies, settings, tmp_path):
    """A call that waited for its study's lock would hold the endpoint's lock and so block every other study."""
    write_endpoints(settings, tmp_path)
    replies()
    other = make_study("other")
    with child(LOCK_STUDY) as changing:
        assert said(changing) == "locked"
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")
            complete(asked("of the locked study"), Charge(study))
            complete(asked("of another study"), Charge(other))
            cursor.execute("RESET lock_timeout")
        tell(changing)
        finished(changing)
    assert Call.objects.filter(status="answered").count() == 2
