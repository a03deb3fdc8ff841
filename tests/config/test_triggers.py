"""The triggers of frozen tables: that they are there, and that losing one is noticed."""

from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations import AlterField
from django.db.migrations.loader import MigrationLoader

from annotation.models import Guideline
from config.triggers import Freeze, Thaw, check_triggers, frozen_tables, lost_triggers
from parts.routing.slot_counting import EVENTS, CountSlots

pytestmark = pytest.mark.both
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def guideline(make_study):
    return make_study().guidelines.get()


@contextmanager
def altered_guidelines():
    """What a later migration might do, then undone; SQLite remakes the table for either."""
    before = MigrationLoader(connection).project_state()
    operation = AlterField("guideline", "text", models.TextField(null=True))
    after = before.clone()
    operation.state_forwards("annotation", after)
    with connection.schema_editor() as editor:
        operation.database_forwards("annotation", editor, before, after)
    yield
    with connection.schema_editor() as editor:
        operation.database_backwards("annotation", editor, after, before)


def run(operation):
    with connection.cursor() as cursor:
        for statement in operation.statements(connection.vendor):
            cursor.execute(statement)


@pytest.mark.django_db
def test_a_migrated_database_has_all_triggers():
    tables = frozen_tables(connection)
    assert set(tables) == {
        "config_erasure", "accounts_auditentry", "accounts_identity",
        "annotation_item", "annotation_output", "annotation_guideline",
        "annotation_annotation", "annotation_rating", "annotation_batch", "annotation_reviewer",
        "annotation_judgerun", "annotation_writtenexample", "annotation_spanreview", "annotation_adjudication",
        "annotation_spotcheck", "annotation_flaganswer", "annotation_unblinding", "llm_call", "llm_studyprompt",
        "revision_sessions_revisionsession", "revision_sessions_turn", "revision_sessions_turnlabel",
        "revision_sessions_labelsample", "preregistration_preregistration",
        "way_in_consentversion", "way_in_consent", "way_in_steppassage", "way_in_practiceanswer",
        "checks_checkitem", "annotation_raterexclusion", "annotation_exclusionreply", "checks_filedcheck",
        "stopping_filedlook",
        "stopping_stopplan", "stopping_resultpeek", "stopping_stoplook", "stopping_stopcontinuation",
        "crowds_crowdstay",
        "rater_messages_messagethread", "rater_messages_ratermessage", "annotation_raterpause",
    }  # fmt: skip
    assert lost_triggers(connection) == []
    assert check_triggers(databases=["default"]) == []


@pytest.mark.django_db
def test_frozen_columns_exist():
    with connection.cursor() as cursor:
        for table, frozen in frozen_tables(connection).items():
            columns = {column.name for column in connection.introspection.get_table_description(cursor, table)}
            assert {*frozen.columns, *frozen.once} <= columns, table


@pytest.mark.django_db
def test_each_app_has_one_migration_until_0_1_0_is_released():
    """The first change of a table after the release takes a new migration, and removes this test."""
    apps = ("config", "accounts", "annotation", "llm", "retrieval", "sessions")
    assert {app: [path.name for path in (ROOT / app / "migrations").glob("0*.py")] for app in apps} == {
        app: ["0001_initial.py"] for app in apps
    }


@pytest.mark.django_db
def test_a_lost_trigger_is_noticed_and_named(capsys):
    [lost] = Freeze("annotation_guideline", ["text"]).triggers("sqlite")[1:]
    with connection.cursor() as cursor:
        for statement in lost.drop(connection.vendor):
            cursor.execute(statement)
    assert lost_triggers(connection) == ["annotation_guideline_kept"]
    [warning] = check_triggers(databases=["default"])
    assert "annotation_guideline_kept" in warning.msg
    call_command("check", database=["default"])
    assert "annotation_guideline_kept" in capsys.readouterr().err


@pytest.mark.django_db
@pytest.mark.parametrize("event", EVENTS)
def test_a_lost_trigger_that_counts_slots_is_noticed(event):
    name = f"annotation_slot_counted_{event.lower()}"
    on = "" if connection.vendor == "sqlite" else " ON annotation_slot"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}{on}")
    assert lost_triggers(connection) == [name]
    run(CountSlots())
    assert lost_triggers(connection) == []


@pytest.mark.django_db
def test_a_trigger_that_guards_fewer_columns_than_the_migrations_say_is_noticed():
    run(Freeze("annotation_guideline", ["text"]))
    assert lost_triggers(connection) == ["annotation_guideline_frozen"]


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no switched-off triggers")
def test_a_trigger_that_is_switched_off_is_noticed():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE annotation_guideline DISABLE TRIGGER annotation_guideline_kept")
    assert lost_triggers(connection) == ["annotation_guideline_kept"]


@pytest.mark.django_db(transaction=True)
def test_a_migration_that_alters_a_frozen_table_loses_its_triggers_on_sqlite_until_it_freezes_it_again(guideline):
    frozen = frozen_tables(connection)["annotation_guideline"]
    with altered_guidelines():
        lost = ["annotation_guideline_frozen", "annotation_guideline_kept"] if connection.vendor == "sqlite" else []
        assert lost_triggers(connection) == lost
        run(frozen)
        assert lost_triggers(connection) == []
        with pytest.raises(IntegrityError), transaction.atomic():
            Guideline.objects.update(text="other")
    run(frozen)


@pytest.mark.django_db
def test_a_thawed_table_takes_changes_until_it_is_frozen_again(guideline):
    frozen = frozen_tables(connection)["annotation_guideline"]
    run(Thaw("annotation_guideline"))
    Guideline.objects.update(text="corrected by a migration")
    run(frozen)
    with pytest.raises(IntegrityError), transaction.atomic():
        Guideline.objects.update(text="other")


@pytest.mark.django_db
def test_bookkeeping_and_unchanged_values_may_be_written(guideline):
    guideline.save()
    assert Guideline.objects.update(text=guideline.text) == 1


@pytest.mark.django_db
def test_frozen_rows_are_neither_changed_nor_deleted(guideline):
    for statement in (
        "UPDATE annotation_guideline SET text = 'other'",
        "DELETE FROM annotation_guideline",
        f"DELETE FROM annotation_guideline WHERE id = {guideline.pk}",
    ):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    guideline.refresh_from_db()
    assert guideline.text == "Read *everything*."


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has REPLACE")
def test_replacing_a_frozen_row_is_refused(guideline):
    replaced = (
        f"REPLACE INTO annotation_guideline VALUES ({guideline.pk}, 1, 'other', '2026-01-01', {guideline.study_id})"
    )
    with pytest.raises(IntegrityError, match="is kept"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(replaced)


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no TRUNCATE")
def test_no_frozen_table_is_truncated_not_even_in_an_erasure():
    for table in frozen_tables(connection):
        with pytest.raises(IntegrityError, match="is kept"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f'TRUNCATE "{table}" CASCADE')
