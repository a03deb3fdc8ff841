"""`python -m llm.scripted --port 9000 [--script FILE] [--log FILE]`: a scripted server on this machine."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from llm.scripted.script import Step, StepInvalidError, script
from llm.scripted.server import ScriptedServer

STEPS = "a JSON list of steps, the last one for all calls that follow, such as " + (
    '[{"status": 429, "retry_after": "1"}, {"text": "Good."}]; a call can bring its own, as [[status=500]] in a message'
)


def main() -> int:
    """Serve until the process is told to end."""
    parser = argparse.ArgumentParser(
        prog="python -m llm.scripted", description="An OpenAI-compatible server by script."
    )
    parser.add_argument("--port", type=int, default=9000, help="on 127.0.0.1; 0 takes any that is free")
    parser.add_argument("--script", type=Path, help=STEPS)
    parser.add_argument("--log", type=Path, help="file to which each call is written as a line of JSON")
    given = parser.parse_args()
    try:
        steps = script(given.script.read_text(encoding="utf-8")) if given.script else (Step(),)
    except (OSError, StepInvalidError) as problem:
        sys.stderr.write(f"{given.script}: {problem}\n")
        return 2
    with ScriptedServer(given.port, steps, given.log) as server:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: threading.Thread(target=server.shutdown, daemon=True).start())
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        server.serve_forever(poll_interval=0.1)
        server.ending.set()
    return 0


if __name__ == "__main__":
    sys.exit(main())
