"""The database itself refuses to change what is evidence: texts that were judged, answers, guideline versions."""

from django.db import migrations

FROZEN = {
    "annotation_item": ["study_id", "key", "document", "instruction", "categories", "references", "metadata", "content"],
    "annotation_output": ["item_id", "position", "key", "text", "metadata"],
    "annotation_guideline": ["study_id", "number", "text"],
    "annotation_annotation": [
        "task_id", "rater_id", "revision", "status", "surplus", "answers", "reason", "flag", "shown",
        "guidelines_version", "protocol_version", "client_key", "payload_digest", "opened_at", "submitted_at",
        "seconds", "visible_seconds", "active_seconds", "tool_use", "metadata",
    ],
    "annotation_rating": [
        "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant", "annotation_id",
        "revision", "level", "number", "value", "off_scale", "guidelines_version", "protocol_version", "run",
        "replicate", "ordinal", "explanation", "shown", "seconds", "submitted_at", "distribution", "metadata",
    ],
}


def statements(vendor, table, columns):
    named = ", ".join(f'"{column}"' for column in columns)
    message = f"{table} is evidence and is never changed: add a revision"
    if vendor == "sqlite":
        yield (
            f'CREATE TRIGGER "{table}_frozen" BEFORE UPDATE OF {named} ON "{table}" '
            f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
    elif vendor == "postgresql":
        changed = " OR ".join(f'OLD."{column}" IS DISTINCT FROM NEW."{column}"' for column in columns)
        yield (
            f"CREATE FUNCTION {table}_frozen() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        yield (
            f'CREATE TRIGGER {table}_frozen BEFORE UPDATE OF {named} ON "{table}" '
            f"FOR EACH ROW WHEN ({changed}) EXECUTE FUNCTION {table}_frozen()"
        )
    else:
        raise NotImplementedError(f"Interrater runs on SQLite and PostgreSQL, not on {vendor}.")


def freeze(apps, schema_editor):
    for table, columns in FROZEN.items():
        for statement in statements(schema_editor.connection.vendor, table, columns):
            schema_editor.execute(statement)


def thaw(apps, schema_editor):
    for table in FROZEN:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f'DROP TRIGGER "{table}_frozen"')
        else:
            schema_editor.execute(f'DROP TRIGGER {table}_frozen ON "{table}"')
            schema_editor.execute(f"DROP FUNCTION {table}_frozen()")


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(freeze, thaw)]
