"""Scripts: lists of steps, one per call; the last step repeats.

A step is a JSON object or, in a model's name or a message, a mark such as `[[status=429 retry_after=1]]`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

MARK = re.compile(r"\[\[([a-z_]+(?:=[^\s\]]*)?(?: [a-z_]+(?:=[^\s\]]*)?)*)\]\]")
TRUE = ("", "true", "yes", "1")


class ScriptInvalidError(ValueError):
    """The script is invalid; the message says why."""


@dataclass(frozen=True)
class ScriptStep:
    """How the server responds to a call; the defaults are those of a good server. Times are in seconds.

    `delay` comes before the response, `pause` between the pieces of a stream, `drip` between the bytes of a body. `cut`
    closes the connection after that many pieces of a stream or bytes of a body; `stall` stops sending but keeps it
    open. `body` is sent as it is. `candidates` are those for each token with their log-probabilities, as a JSON object;
    `logprobs` names a fault of theirs.
    """

    status: int = 200
    retry_after: str = ""
    delay: float = 0.0
    pause: float = 0.0
    drip: float = 0.0
    cut: int = -1
    stall: int = -1
    close: bool = False
    silent: bool = False
    text: str = ""
    length: int = 0
    body: str = ""
    content_type: str = ""
    code: str = ""
    location: str = ""
    finish: str = "stop"
    refusal: str = ""
    model: str = ""
    usage: str = "good"
    logprobs: str = "good"
    candidates: str = ""
    done: bool = True
    stream_error: bool = False
    echo_headers: bool = False


KINDS: dict[str, Any] = {one.name: type(getattr(ScriptStep, one.name)) for one in fields(ScriptStep)}


def make_step(given: Mapping[str, Any]) -> ScriptStep:
    """Return the step with these values. Raises ScriptInvalidError."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in KINDS:
            raise ScriptInvalidError(f"no step has {name!r}; known are {', '.join(KINDS)}")
        kind = KINDS[name]
        try:
            if kind is bool and isinstance(value, str):
                values[name] = value in TRUE
            elif kind is str and isinstance(value, dict | list):
                values[name] = json.dumps(value)
            else:
                values[name] = kind(value)
        except (ValueError, TypeError):
            raise ScriptInvalidError(f"{name} cannot be {value!r}") from None
    return ScriptStep(**values)


def parse_script(text: str) -> tuple[ScriptStep, ...]:
    """Return the steps in a JSON list. Raises ScriptInvalidError."""
    try:
        given = json.loads(text)
    except ValueError as problem:
        raise ScriptInvalidError(f"the script is not JSON: {problem}") from None
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise ScriptInvalidError("a script is a list of at least one object")
    return tuple(make_step(one) for one in given)


def marked_steps(text: str) -> tuple[ScriptStep, ...]:
    """Return the steps marked in a text, such as `[[status=500]][[text=Good.]]`."""
    return tuple(
        make_step(dict(word.partition("=")[::2] for word in found[1].split(" "))) for found in MARK.finditer(text)
    )
