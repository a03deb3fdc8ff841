"""How the database would answer a statement."""

from django.db import connection


def plan_of(sql: str) -> str:
    """The plan of a statement with its values, as the test's database describes it, a step per line."""
    with connection.cursor() as cursor:
        cursor.execute(("EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN ") + sql)
        return "\n".join(str(row) for row in cursor.fetchall())
