"""The database itself refuses to change what a call asked, what came of one that is over, and a study's prompts."""

from django.db import migrations

ASKED = [
    "study_id", "run", "person_id", "work", "step", "endpoint", "model", "model_asked", "parameters", "prompt_key",
    "prompt_version", "prompt_digest", "messages", "messages_digest", "request_digest", "price_reserved",
    "price_unknown", "reservation_id", "original_id", "started_at",
]
PROMPT = ["study_id", "key", "number", "system", "user", "digest"]
TRIGGERS = [
    ("llm_call_asked", "llm_call", ASKED, "", "what a call asked is never changed"),
    ("llm_call_over", "llm_call", [], "OLD.status <> 'running'", "a call that is over is never changed"),
    ("llm_studyprompt_frozen", "llm_studyprompt", PROMPT, "", "a prompt is never changed: add a version"),
]


def statements(vendor, name, table, columns, condition, message):
    named = ", ".join(f'"{column}"' for column in columns)
    of = f" OF {named}" if columns else ""
    if vendor == "sqlite":
        when = f" WHEN {condition}" if condition else ""
        yield f"CREATE TRIGGER {name} BEFORE UPDATE{of} ON {table}{when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
    elif vendor == "postgresql":
        changed = " OR ".join(f'OLD."{column}" IS DISTINCT FROM NEW."{column}"' for column in columns)
        yield (
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        yield (
            f"CREATE TRIGGER {name} BEFORE UPDATE{of} ON {table} "
            f"FOR EACH ROW WHEN ({condition or changed}) EXECUTE FUNCTION {name}()"
        )
    else:
        raise NotImplementedError(f"Interrater runs on SQLite and PostgreSQL, not on {vendor}.")


def freeze(apps, schema_editor):
    for trigger in TRIGGERS:
        for statement in statements(schema_editor.connection.vendor, *trigger):
            schema_editor.execute(statement)


def thaw(apps, schema_editor):
    for name, table, *_ in TRIGGERS:
        if schema_editor.connection.vendor == "sqlite":
            schema_editor.execute(f"DROP TRIGGER {name}")
        else:
            schema_editor.execute(f"DROP TRIGGER {name} ON {table}")
            schema_editor.execute(f"DROP FUNCTION {name}()")


class Migration(migrations.Migration):
    dependencies = [("llm", "0001_initial")]
    operations = [migrations.RunPython(freeze, thaw)]
