"""The database itself refuses to change audit entries."""

from django.db import migrations

TABLE = "accounts_auditentry"
MESSAGE = "audit entries are never changed"


def freeze(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(
            f"CREATE TRIGGER {TABLE}_frozen BEFORE UPDATE ON {TABLE} BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
        )
        return
    schema_editor.execute(
        f"CREATE FUNCTION {TABLE}_frozen() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    schema_editor.execute(
        f"CREATE TRIGGER {TABLE}_frozen BEFORE UPDATE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {TABLE}_frozen()"
    )


def thaw(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TRIGGER {TABLE}_frozen")
        return
    schema_editor.execute(f"DROP TRIGGER {TABLE}_frozen ON {TABLE}")
    schema_editor.execute(f"DROP FUNCTION {TABLE}_frozen()")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]
    operations = [migrations.RunPython(freeze, thaw)]
