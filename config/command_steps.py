"""Run several of our commands in one process: `python -m config.command_steps '[["migrate"], ["check"]]'`.

A command alone spends most of its time on loading the project.
"""

import json
import sys

import django
from django.core.management import CommandError, call_command


def run(steps: list[list[str]]) -> None:
    """Run each command with its arguments; end with its sentence and code 1 at the first that fails."""
    for name, *arguments in steps:
        try:
            call_command(name, *arguments)
        except CommandError as problem:
            sys.exit(f"{name}: {problem}")


if __name__ == "__main__":
    django.setup()
    run(json.loads(sys.argv[1]))
