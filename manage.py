#!/usr/bin/env python
"""Run Interrater's commands. What is wrong with settings or the database is told in one sentence, with exit code 1."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError, ProgrammingError

from config.preparing import sentence


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
        sys.stderr.write(sentence(problem) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
