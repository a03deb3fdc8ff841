"""Hand-written statements store and read values as Django's own queries do."""

import uuid

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from accounts.auditing import entry
from accounts.models import AuditEntry
from annotation.models import Assignment, Question, Rater, Study, Task
from config.prepared_sql import (
    Columns,
    fetch_all,
    fetch_one,
    insert,
    insertion,
    joined,
    run,
    run_as_one,
    run_later,
    update,
)

pytestmark = pytest.mark.both
ALL = Columns(Assignment, "a")
STUDY = Columns(Study, "s")


@pytest.fixture
def given(study):
    rater = Rater.objects.create(study=study, name="ada")
    tasks = Task.objects.order_by("pk")
    draft, now = {"q-x": ["🚢", "\"'%s"], "q-n": ["1e22"]}, timezone.now()
    return lambda place: Assignment(
        rater=rater, task=tasks[place], order=[place], created_at=now, opened_at=None, draft=draft, visible_seconds=0.1
    )


def inserted(row):
    assert insert(row)
    return row


def same(one, other):
    names = [field.attname for field in Assignment._meta.concrete_fields]
    return {name: getattr(one, name) for name in names} == {name: getattr(other, name) for name in names}


def test_a_row_is_stored_as_django_stores_it(given):
    ours = inserted(given(0))
    theirs = given(1)
    theirs.save()
    for made in (ours, theirs):
        row = fetch_one(f"SELECT {ALL.sql} FROM annotation_assignment a WHERE a.id = %s", [made.pk])
        assert same(ALL.must_take(iter(row)), Assignment.objects.get(pk=made.pk))
        assert same(made, Assignment.objects.get(pk=made.pk))
    assert Assignment.objects.get(pk=ours.pk).key == ours.key
    ours.refresh_from_db()


def test_a_row_that_a_constraint_refuses_is_reported_and_not_inserted(given):
    assert insert(given(0), if_new=True)
    again = given(0)
    assert not insert(again, if_new=True)
    assert again.pk is None
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(given(0))
    assert Assignment.objects.count() == 1


def test_several_rows_are_inserted_in_one_statement(given, django_assert_num_queries):
    rows = [given(place) for place in range(3)]
    with django_assert_num_queries(1):
        run_as_one(insertion(rows))
    with django_assert_num_queries(0):
        run_as_one(insertion([]))
    assert {row.key for row in Assignment.objects.all()} == {row.key for row in rows}


def test_columns_of_an_outer_join_without_a_row_give_none(study):
    sql = f"SELECT {ALL.sql} FROM annotation_question q LEFT JOIN annotation_assignment a ON a.key = %s"
    values = fetch_all(sql, [uuid.uuid4().hex])
    assert [ALL.take(iter(row)) for row in values] == [None] * Question.objects.count()
    with pytest.raises(TypeError):
        ALL.must_take(iter(values[0]))


def test_chosen_columns_leave_the_others_to_be_read_when_asked_for(given, django_assert_num_queries):
    made = inserted(given(0))
    few = Columns(Assignment, "a", only=("id", "key", "flag"), leave_out=("flag",))
    row = fetch_one(f"SELECT {few.sql} FROM annotation_assignment a WHERE a.id = %s", [made.pk])
    found = few.must_take(iter(row))
    assert (found.pk, found.key) == (made.pk, made.key)
    with django_assert_num_queries(1):
        assert found.draft == made.draft


def test_fields_are_updated_as_django_updates_them_where_a_condition_holds(given):
    ours, theirs = inserted(given(0)), inserted(given(1))
    values = {
        "draft": {"q": ["\"'%s", "🚢"]},
        "opened_at": timezone.now(),
        "task": given(2).task,
        "visible_seconds": 0.3,
    }
    assert update(Assignment, values, "id = %s AND opened_at IS NULL", [ours.pk]) == 1
    assert update(Assignment, values, "id = %s AND opened_at IS NULL", [ours.pk]) == 0
    assert Assignment.objects.filter(pk=theirs.pk).update(**values | {"task": given(3).task}) == 1
    ours.refresh_from_db()
    theirs.refresh_from_db()
    for name in ("draft", "opened_at", "visible_seconds"):
        assert getattr(ours, name) == getattr(theirs, name) == values[name]
    assert (ours.task, theirs.task) == (given(2).task, given(3).task)


@pytest.mark.django_db
@pytest.mark.parametrize("fetch", [fetch_one, fetch_all])
def test_a_row_that_cannot_be_computed_is_an_error_of_django(fetch):
    numbers = "SELECT 1 AS n UNION ALL SELECT -9223372036854775807 - 1"
    with pytest.raises(DatabaseError), transaction.atomic():
        fetch(f"SELECT abs(n) FROM ({numbers}) two", [])


def test_an_instance_is_the_one_that_django_makes(study):
    row = fetch_one(f"SELECT {STUDY.sql} FROM annotation_study s WHERE s.id = %s", [study.pk])
    taken, stored = STUDY.must_take(iter(row)), Study.objects.get(pk=study.pk)
    plain = [field.attname for field in Study._meta.concrete_fields]
    assert [getattr(taken, name) for name in plain] == [getattr(stored, name) for name in plain]
    assert (taken._state.adding, taken._state.db) == (stored._state.adding, stored._state.db) == (False, "default")
    taken.title = "another"
    taken.save(update_fields=["title"])
    assert Study.objects.get(pk=study.pk).title == "another"


def test_a_field_that_was_left_out_is_read_when_it_is_used(study, django_assert_num_queries):
    some = Columns(Study, "s", only=("id", "slug"))
    taken = some.must_take(iter(fetch_one(f"SELECT {some.sql} FROM annotation_study s WHERE s.id = %s", [study.pk])))
    with django_assert_num_queries(1):
        assert taken.title == study.title


def test_two_statements_in_a_row_do_not_see_each_others_rows(study):
    first = fetch_all("SELECT slug FROM annotation_study WHERE id = %s", [study.pk])
    assert fetch_all("SELECT slug FROM annotation_study WHERE id = %s", [0]) == []
    assert first == [(study.slug,)]


@pytest.mark.django_db(transaction=True)
def test_joined_statements_run_in_order_before_anything_else(given, settings):
    settings.DATABASE_FAR = True
    made = inserted(given(0))
    name = "UPDATE annotation_rater SET name = name || %s"
    with transaction.atomic(), joined():
        for letter in "bc":
            run_later(name, [letter])
        assert fetch_one("SELECT name FROM annotation_rater") == ("adabc",)
        run_later(name, ["d"])
        assert Rater.objects.get().name == "adabcd"
        run_later(name, ["e"])
        with transaction.atomic():
            run_as_one(insertion([given(1), given(2)]))
        run_later(name, ["f"])
    assert Rater.objects.get().name == "adabcdef"
    assert Assignment.objects.filter(rater=made.rater).count() == 3


def insert_twice(given, asks):
    with transaction.atomic(), joined():
        Rater.objects.update(name="eve")
        run_as_one(insertion([given(0)]))
        if asks:
            fetch_one("SELECT name FROM annotation_rater")


def rename_and_fail():
    with transaction.atomic(), joined():
        run_later("UPDATE annotation_rater SET name = %s", ["eve"])
        raise LookupError


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("asks", [True, False])
def test_an_error_of_a_joined_statement_is_raised_before_the_commit(given, settings, asks):
    settings.DATABASE_FAR = True
    insert(given(0))
    with pytest.raises(IntegrityError):
        insert_twice(given, asks)
    assert Rater.objects.get().name == "ada"
    with pytest.raises(LookupError):
        rename_and_fail()
    assert Rater.objects.get().name == "ada"
    assert Assignment.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("far", [True, False])
def test_joined_statements_share_a_round_trip_if_the_database_is_far(study, settings, monkeypatch, far):
    settings.DATABASE_FAR = far
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no round trips")
    connection.ensure_connection()
    sent, pipeline = [], connection.connection.pipeline
    monkeypatch.setattr(connection.connection, "pipeline", lambda: (sent.append("together"), pipeline())[1])
    with transaction.atomic(), joined():
        run_later("UPDATE annotation_study SET title = %s", ["One"])
        run_later("UPDATE annotation_study SET title = title || %s", ["Two"])
        assert sent == []
        assert fetch_one("SELECT title FROM annotation_study") == ("OneTwo",)
        assert sent == ["together"] * far


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("far", [False, True])
def test_statements_as_one_change_all_their_rows_or_none(given, settings, django_assert_num_queries, far):
    settings.DATABASE_FAR = far
    rename = ("UPDATE annotation_rater SET name = name || %s", ["'%s $1"])
    two, audit = [given(0), given(1)], [entry("task submitted", "task 1", actor=None, study="study")]
    frame, number = 2, 1 if connection.vendor == "postgresql" else 3
    with django_assert_num_queries(frame + number), transaction.atomic(), joined():
        run_as_one([rename, *insertion(two), *insertion(audit)])
    assert Rater.objects.get().name == "ada'%s $1"
    assert [one.draft for one in Assignment.objects.all()] == [two[0].draft] * 2
    assert AuditEntry.objects.filter(action="task submitted").count() == 1
    with pytest.raises(IntegrityError), transaction.atomic(), joined():
        run_as_one([rename, *insertion([given(0)])])
    assert Rater.objects.get().name == "ada'%s $1"


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_nobody_logs_goes_the_way_of_djangos_own(given):
    """In a broken transaction it is refused, and what wraps Django's statements sees it."""
    insert(given(0))
    with transaction.atomic():
        with pytest.raises(IntegrityError), transaction.atomic(savepoint=False):
            insert(given(0))
        with pytest.raises(TransactionManagementError):
            fetch_one("SELECT 1")
        transaction.set_rollback(True)
    with pytest.raises(DatabaseError):
        run("SELECT nothing FROM nowhere")
    seen = []

    def noted(execute, sql, *more):
        seen.append(sql)
        return execute(sql, *more)

    with connection.execute_wrapper(noted):
        assert fetch_one("SELECT 1") == (1,)
    assert seen == ["SELECT 1"]
