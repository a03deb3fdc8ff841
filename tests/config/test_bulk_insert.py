"""Primary keys for bulk inserts, reserved while others insert."""

from contextlib import ExitStack

import pytest
from django.db import connection

from annotation.models import Rater, Study
from config.bulk_insert import insert_rows, next_ids
from tests.processes import child, finished, said, tell

pytestmark = pytest.mark.both
RESERVE_AND_KEEP_OPEN = """
from django.db import connection, transaction
from annotation.models import Rater
from config.bulk_insert import next_ids
if connection.vendor == "postgresql":
    connection.cursor().execute("SET statement_timeout = '20s'")
with transaction.atomic():
    keys = next_ids(Rater, 1000)
    print(keys[0], keys[-1], flush=True)
    sys.stdin.readline()
"""
IMPORTER = """
from django.db import transaction
from django.utils import timezone
from annotation.models import Rater
from config.bulk_insert import insert_rows, next_ids, stored_time
study, me, batches = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for batch in range(batches):
    with transaction.atomic():
        keys = next_ids(Rater, 25)
        rows = [(key, study, f"{me}-{key}", "human", False, stored_time(timezone.now())) for key in keys]
        insert_rows(Rater, ["id", "study_id", "name", "kind", "import_pending", "created_at"], rows)
"""
RATER = """
from annotation.models import Rater
study, me, rows = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(rows):
    Rater.objects.create(study_id=study, name=f"{me}-{number}")
"""


def last_key() -> int:
    """Return the last value of the sequence of primary keys."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT last_value FROM annotation_rater_id_seq")
        return cursor.fetchone()[0]


@pytest.fixture
def study(transactional_db):
    return Study.objects.create(slug="study", protocol="rating", redundancy=1)


@pytest.mark.thorough
@pytest.mark.postgresql
def test_a_second_import_reserves_keys_while_the_first_one_is_still_open(study):
    if connection.vendor != "postgresql":
        pytest.skip("on SQLite there is one writer at a time")
    with child(RESERVE_AND_KEEP_OPEN) as first, child(RESERVE_AND_KEEP_OPEN) as second:
        ranges = [tuple(map(int, said(one).split())) for one in (first, second)]
        before = last_key()
        plain = Rater.objects.create(study=study, name="plain")
        assert last_key() > before
        assert plain.pk > max(end for _, end in ranges)
        tell(first)
        tell(second)
        finished(first)
        finished(second)
    (_, end), (begin, _) = sorted(ranges)
    assert end < begin


@pytest.mark.thorough
def test_no_key_is_used_twice_during_plain_inserts_of_other_processes(study):
    # SQLite has one writer at a time, and lets those who wait starve: fewer rows prove as much there.
    batches, rows = (40, 300) if connection.vendor == "postgresql" else (5, 40)
    with ExitStack() as stack:
        children = [
            stack.enter_context(child(code, study.pk, name, count))
            for name, code, count in (
                ("a", IMPORTER, batches),
                ("b", IMPORTER, batches),
                ("c", RATER, rows),
                ("d", RATER, rows),
            )
        ]
        for one in children:
            said(one)
        for one in children:
            tell(one)
        for one in children:
            finished(one)
    assert Rater.objects.filter(study=study).count() == 2 * batches * 25 + 2 * rows


def test_keys_are_ascending_and_used_once(study):
    first, second = next_ids(Rater, 3), next_ids(Rater, 3)
    assert first + second == sorted({*first, *second})


def test_a_plain_insert_gets_a_key_after_the_reserved_ones(study):
    keys = next_ids(Rater, 10)
    assert Rater.objects.create(study=study, name="plain").pk > keys[-1]


def test_keys_of_a_table_without_rows_begin_at_one_and_continue(study):
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = 'annotation_rater'")
        assert next_ids(Rater, 2) == [1, 2]
    last = next_ids(Rater, 1)[0]
    insert_rows(Rater, ["id", "study_id", "name", "kind", "import_pending", "created_at"], [])
    assert next_ids(Rater, 1)[0] > last
    assert list(next_ids(Rater, 0)) == []
