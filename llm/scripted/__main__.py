"""`python -m llm.scripted --port 9000 [--script FILE] [--log FILE]`: run a scripted server on this machine."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from llm.scripted.script import ScriptInvalidError, ScriptStep, parse_script
from llm.scripted.server import ScriptedServer

STEPS = "a JSON list of steps, such as " + (
    '[{"status": 429, "retry_after": "1"}, {"text": "Good."}]; the last one repeats. '
    "A call can bring its own steps, as [[status=500]] in a message."
)


def main() -> int:
    """Serve until the process is terminated."""
    parser = argparse.ArgumentParser(
        prog="python -m llm.scripted", description="Run an OpenAI-compatible server that follows a script."
    )
    parser.add_argument("--port", type=int, default=9000, help="on 127.0.0.1; 0 picks a free one")
    parser.add_argument("--script", type=Path, help=STEPS)
    parser.add_argument("--log", type=Path, help="file to which each call is appended as a line of JSON")
    given = parser.parse_args()
    try:
        steps = parse_script(given.script.read_text(encoding="utf-8")) if given.script else (ScriptStep(),)
    except (OSError, ScriptInvalidError) as problem:
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
