"""`python -m llm.scripted --port 9000 [--script FILE] [--log FILE]`: run a scripted server, without Django.

`manage.py scripted_endpoint` does the same and writes the file of endpoints.
"""

import argparse
import sys

from llm.scripted.program import add_arguments, steps_of
from llm.scripted.script import ScriptInvalidError
from llm.scripted.server import ScriptedServer


def main() -> int:
    """Serve until the process is terminated."""
    parser = argparse.ArgumentParser(
        prog="python -m llm.scripted", description="Run an OpenAI-compatible server that follows a script."
    )
    add_arguments(parser)
    given = parser.parse_args()
    try:
        steps = steps_of(given.script)
    except (OSError, ScriptInvalidError) as problem:
        sys.stderr.write(f"{given.script}: {problem}\n")
        return 2
    with ScriptedServer(given.port, steps, given.log) as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        server.serve_until_signal()
    return 0


if __name__ == "__main__":
    sys.exit(main())
