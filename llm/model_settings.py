"""What the endpoints file may say of a model's requests and replies beside its abilities, read strictly."""

import math
import re
from collections.abc import Mapping
from typing import Any

from config.strict_models import invalid
from config.text_validation import TextRefusedError, check_json
from llm.thinking import ThinkingForm, ThinkingRules

KEY = "{key}"
"""Stands for the endpoint's key in the value of a header."""
NUMBERS: tuple[str, ...] = ("temperature", "top_p")
LEFT_OUT = ("max_tokens", "seed", "stop", "stream_options")
OWN_FIELDS = frozenset(
    (
        "model",
        "messages",
        "prompt",
        "stream",
        "stream_options",
        "temperature",
        "top_p",
        "max_tokens",
        "max_completion_tokens",
        "seed",
        "stop",
        "logprobs",
        "top_logprobs",
        "response_format",
        "echo",
        "n",
    )
)
"""What Interrater writes into a request itself; `n` would bring replies that nobody reads."""
OWN_HEADERS = frozenset(
    (
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "transfer-encoding",
        "user-agent",
        "x-request-id",
    )
)
HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
QUERY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
LONGEST_MARK = 200


def read_parameters(given: Any) -> Mapping[str, float | None]:
    """Read what is sent instead of the parameters of requests; None for not at all."""
    found = _mapping(given)
    for name, value in found.items():
        if name in NUMBERS:
            if value is not None and not _is_number(value):
                raise invalid(f"has a {name} that is neither a number nor null, which leaves it out")
        elif name in LEFT_OUT:
            if value is not None:
                raise invalid(f"has a {name} that is not null: it can only be left out")
        else:
            known = ", ".join((*NUMBERS, *LEFT_OUT))
            raise invalid(f"has the unknown key {name[:60]!r}: known are {known}; others go under body")
    return found


def read_body(given: Any) -> Mapping[str, Any]:
    """Read further fields of requests."""
    found = _mapping(given)
    for name in found:
        if name in OWN_FIELDS:
            raise invalid(f"must not have the field {name}, which Interrater sets: see parameters")
    try:
        check_json(found)
    except TextRefusedError as problem:
        raise invalid(f"has a value that {problem.reason}") from None
    return found


def read_headers(given: Any) -> Mapping[str, str]:
    """Read further headers of requests; `{key}` in a value stands for the endpoint's key."""
    found = _mapping(given)
    for name, value in found.items():
        if not HEADER.fullmatch(name) or name.lower() in OWN_HEADERS:
            raise invalid(f"must not have the header {name[:60]!r}")
        if not isinstance(value, str) or not value.strip() or not (value.isascii() and value.isprintable()):
            raise invalid(f"has the header {name} with a value that is not text of one line")
        if name.lower() == "authorization" and KEY not in value:
            raise invalid("has a header Authorization without {key}, which stands for the endpoint's key")
    return found


def read_query(given: Any) -> Mapping[str, str]:
    """Read what is appended to the address of requests, such as the version of an API."""
    found = _mapping(given)
    for name, value in found.items():
        if not QUERY_NAME.fullmatch(name):
            raise invalid(f"has the name {name[:60]!r}: use letters, digits, dots, dashes and underscores")
        if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).isprintable():
            raise invalid(f"has a value of {name} that is neither text nor a number")
    return {name: str(value) for name, value in found.items()}


def read_thinking(given: Any) -> ThinkingRules:
    """Read a model's own forms of thinking: each has `begins` and `ends`, or `ends` alone, or `field`."""
    if not isinstance(given, list):
        raise invalid("must be a list")
    forms, fields = [], []
    for one in given:
        keys = frozenset(one) if isinstance(one, dict) else frozenset()
        if keys not in ({"begins", "ends"}, {"ends"}, {"field"}) or not all(_is_mark(text) for text in one.values()):
            raise invalid("must be a list of {begins: …, ends: …}, {ends: …} or {field: …}, each with text")
        if "field" in keys:
            fields.append(one["field"])
        else:
            forms.append(ThinkingForm(one["ends"], one.get("begins", "")))
    return ThinkingRules(tuple(forms), tuple(fields))


def _mapping(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
        raise invalid("must be a mapping of names to values")
    return given


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_mark(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip()) and len(text) <= LONGEST_MARK
