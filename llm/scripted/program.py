"""The options of the programs that run a scripted server."""

from argparse import ArgumentParser
from pathlib import Path

from llm.scripted.script import ScriptStep, parse_script

STEPS = "a JSON list of steps, such as " + (
    '[{"status": 429, "retry_after": "1"}, {"text": "Good."}]; the last one repeats. '
    "A call can bring its own steps, as [[status=500]] in a message."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--port", type=int, default=9000, help="on 127.0.0.1; 0 picks a free one")
    parser.add_argument("--script", type=Path, help=STEPS)
    parser.add_argument("--log", type=Path, help="file to which each call is appended as a line of JSON")


def steps_of(script: Path | None) -> tuple[ScriptStep, ...]:
    """Return the steps in a file, or those of a good server. Raises OSError and ScriptInvalidError."""
    return parse_script(script.read_text(encoding="utf-8")) if script is not None else (ScriptStep(),)
