#!/usr/bin/env python
"""Run Interrater's commands. Wrong settings and database problems end in one sentence and exit code 1."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from config.explained_problems import explain


def main(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
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
