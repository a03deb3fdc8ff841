#!/usr/bin/env python
"""Run Interrater's commands. Wrong settings and database problems end in one sentence and exit code 1."""

import os
import sys

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from config.explained_problems import explain


def check_schema_first(arguments: list[str]) -> None:
    """Refuse the command if the database is of a later version, or a restore into it was cut off."""
    from config.schema_state import ANY_SCHEMA, check_before  # noqa: PLC0415 - needs the settings

    command = arguments[1] if len(arguments) > 1 else "help"
    if not command.startswith("-") and command not in ANY_SCHEMA and not {"-h", "--help"} & set(arguments):
        django.setup()
        check_before(command)


def main(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        check_schema_first(arguments)
        execute_from_command_line(arguments)
    except ImproperlyConfigured as problem:
        if "--traceback" in arguments:
            raise
        sys.stderr.write(f"{problem}\n")
        return 1
    except (OperationalError, ProgrammingError) as problem:
        if "--traceback" in arguments:
            raise
        sys.stderr.write(explain(problem) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
