"""An app's first migration makes the tables that Django's own way makes, operation by operation."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.state import ProjectState

from config.first_migration import FirstMigration
from config.triggers import Freeze

pytestmark = pytest.mark.both
KEY = ("id", models.BigAutoField(primary_key=True))
CIRCLE = [
    migrations.CreateModel("Egg", [KEY, ("weight", models.IntegerField(db_index=True))]),
    migrations.CreateModel(
        "Hen",
        [KEY, ("name", models.CharField(max_length=9)), ("first", models.ForeignKey("farm.Egg", models.CASCADE))],
        options={"constraints": [models.UniqueConstraint(fields=["name", "first"], name="farm_once")]},
    ),
    migrations.AddField("Egg", "layer", models.ForeignKey("farm.Hen", models.CASCADE, null=True)),
    Freeze("farm_egg", ["weight"]),
]


def tables(kind, operations, with_classes=False):
    """Apply a migration of this kind; return the tables' columns and constraints, and drop them.

    `with_classes`: to a state that has made its classes, as of all migrations but the first of a run.
    """
    migration = type("Made", (kind,), {"operations": operations})("0001_initial", "farm")
    before = ProjectState()
    if with_classes:
        assert before.apps is not None
    with connection.schema_editor() as editor:
        state = migration.apply(before, editor)
    with connection.cursor() as cursor:
        look = connection.introspection
        found = {
            name: (look.get_table_description(cursor, name), look.get_constraints(cursor, name))
            for name in ("farm_egg", "farm_hen")
        }
        cursor.execute("INSERT INTO farm_egg (weight) VALUES (50)")
        with pytest.raises(Exception, match="farm_egg is kept"):
            cursor.execute("DELETE FROM farm_egg")
    with connection.schema_editor() as editor:
        for statement in CIRCLE[-1].drop(connection.vendor):
            editor.execute(statement, params=None)
        cascade = " CASCADE" if connection.vendor == "postgresql" else ""
        editor.execute(f'DROP TABLE "farm_egg"{cascade}')
        editor.delete_model(state.apps.get_model("farm", "Hen"))
    return found


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("with_classes", [False, True])
def test_tables_made_in_one_step_are_those_of_django_made_one_by_one(with_classes):
    assert tables(FirstMigration, CIRCLE, with_classes) == tables(migrations.Migration, CIRCLE)


def test_a_step_that_may_change_rows_is_refused():
    migration = type("Made", (FirstMigration,), {"operations": [migrations.RunPython(lambda *_: None)]})("0001", "farm")
    with pytest.raises(TypeError, match="tables and triggers only"):
        migration.apply(ProjectState(), None)
