"""The database itself refuses to change what was asked and answered in a session, and what was said of a turn."""

from django.db import migrations

FROZEN = {
    "revision_sessions_revisionsession": ["key", "study_id", "item_id", "task_id", "rater_id", "model", "started_at"],
    "revision_sessions_turn": ["session_id", "number", "instruction", "kind", "client_key", "previous_answer"],
    "revision_sessions_turnlabel": ["turn_id", "kind", "value", "rater_id", "revision", "at"],
}
ONCE = {"revision_sessions_turn": ["passages", "summary", "answer"]}
"""Written once, by whoever has the turn in hand, and never again."""


def statements(vendor, table, columns, name, condition, message):
    named = ", ".join(f'"{column}"' for column in columns)
    if vendor == "sqlite":
        yield (
            f'CREATE TRIGGER "{table}_{name}" BEFORE UPDATE OF {named} ON "{table}" '
            f"WHEN {condition.replace('DIFFERS', 'IS NOT')} BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
    elif vendor == "postgresql":
        yield (
            f"CREATE FUNCTION {table}_{name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        yield (
            f'CREATE TRIGGER {table}_{name} BEFORE UPDATE OF {named} ON "{table}" '
            f"FOR EACH ROW WHEN ({condition.replace('DIFFERS', 'IS DISTINCT FROM')}) EXECUTE FUNCTION {table}_{name}()"
        )
    else:
        raise NotImplementedError(f"Interrater runs on SQLite and PostgreSQL, not on {vendor}.")


def triggers():
    for table, columns in FROZEN.items():
        condition = " OR ".join(f'OLD."{column}" DIFFERS NEW."{column}"' for column in columns)
        yield table, columns, "frozen", condition, f"{table} is evidence and is never changed"
    for table, columns in ONCE.items():
        condition = " OR ".join(
            f'(OLD."{column}" IS NOT NULL AND OLD."{column}" DIFFERS NEW."{column}")' for column in columns
        )
        yield table, columns, "once", condition, f"{table}: what a model wrote is never changed"


def freeze(apps, schema_editor):
    for trigger in triggers():
        for statement in statements(schema_editor.connection.vendor, *trigger):
            schema_editor.execute(statement)


def thaw(apps, schema_editor):
    for table, _, name, *_ in triggers():
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f'DROP TRIGGER "{table}_{name}"')
        else:
            schema_editor.execute(f'DROP TRIGGER {table}_{name} ON "{table}"')
            schema_editor.execute(f"DROP FUNCTION {table}_{name}()")


class Migration(migrations.Migration):
    dependencies = [("revision_sessions", "0001_initial")]
    operations = [migrations.RunPython(freeze, thaw)]
