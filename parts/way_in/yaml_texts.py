"""Lists of a step as YAML in a text field: JSON strings, which are YAML too, one key per line."""

import json
import re
from typing import Any

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
TAKEN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})

FIRST = ("key", "question", "text", "help", "choices")
"""The keys that come first, as people write them; stored mappings have theirs in the order of the alphabet."""


def yaml_lines(value: list[dict[str, Any]]) -> str:
    """Return a list of mappings as YAML in block style; what is inside them is in flow style."""
    lines = []
    for one in value:
        ordered = sorted(one.items(), key=lambda pair: FIRST.index(pair[0]) if pair[0] in FIRST else len(FIRST))
        for number, (key, inner) in enumerate(ordered):
            lines.append(f"{'  ' if number else '- '}{key}: {_flow(inner)}")
    return "\n".join(lines)


def _flow(value: Any) -> str:
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in TAKEN:
        return value
    if isinstance(value, list):
        return f"[{', '.join(_flow(one) for one in value)}]"
    return json.dumps(value, ensure_ascii=False)
