"""What the scripted server does: a list of steps, the first for the first call, the last for all that follow.

A step is named by words with values, in JSON or, in a model's name or a message, as `[[status=429 retry_after=1]]`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

MARK = re.compile(r"\[\[([a-z_]+(?:=[^\s\]]*)?(?: [a-z_]+(?:=[^\s\]]*)?)*)\]\]")
TRUE = ("", "true", "yes", "1")


class StepInvalidError(ValueError):
    """A step that the server does not know; the message says why."""


@dataclass(frozen=True)
class Step:
    """One answer. Times are seconds; what is not named is as a good server has it.

    `delay` before the answer, `pause` between the pieces of a stream, `drip` between the bytes of a body; `cut` breaks
    the connection after so many pieces of a stream, or bytes of a whole body, `stall` only says nothing more; `body`
    is sent as it stands.
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
    done: bool = True
    stream_error: bool = False
    echo_headers: bool = False


KINDS: dict[str, Any] = {one.name: type(getattr(Step, one.name)) for one in fields(Step)}


def step(given: Mapping[str, Any]) -> Step:
    """The step that names and values describe. Raises StepInvalidError."""
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in KINDS:
            raise StepInvalidError(f"no step has {name!r}; known are {', '.join(KINDS)}")
        kind = KINDS[name]
        try:
            if kind is bool and isinstance(value, str):
                values[name] = value in TRUE
            elif kind is str and isinstance(value, dict | list):
                values[name] = json.dumps(value)
            else:
                values[name] = kind(value)
        except (ValueError, TypeError):
            raise StepInvalidError(f"{name} cannot be {value!r}") from None
    return Step(**values)


def script(text: str) -> tuple[Step, ...]:
    """The steps of a JSON list. Raises StepInvalidError."""
    try:
        given = json.loads(text)
    except ValueError as problem:
        raise StepInvalidError(f"the script is not JSON: {problem}") from None
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise StepInvalidError("a script is a list of at least one object")
    return tuple(step(one) for one in given)


def marked(text: str) -> tuple[Step, ...]:
    """The steps that are marked in a text, like `[[status=500]][[text=Good.]]`; none where there are none."""
    return tuple(step(dict(word.partition("=")[::2] for word in found[1].split(" "))) for found in MARK.finditer(text))
