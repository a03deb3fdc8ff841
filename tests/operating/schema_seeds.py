"""What takes a constraint or a trigger from the tables of a database that `tests.filled` has filled."""

from django.db import connection

from config.triggers import frozen_tables

NAME = "annotation_status_known"


def lost_triggers():
    """A table whose evidence could be changed."""
    [statement, *_] = frozen_tables(connection)["annotation_rating"].drop(connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(statement)


def lost_constraints():
    """A table that lacks a constraint which its model declares."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred checks to do cannot be altered
            cursor.execute(f'ALTER TABLE annotation_annotation DROP CONSTRAINT "{NAME}"')
            return
        cursor.execute("PRAGMA writable_schema = ON")
        cursor.execute(
            "UPDATE sqlite_master SET sql = replace(sql, %s, '') WHERE name = 'annotation_annotation'",
            [f'CONSTRAINT "{NAME}"'],
        )
        cursor.execute("PRAGMA writable_schema = OFF")
