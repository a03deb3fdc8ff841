"""Reads why an endpoint rejected a request: its own sentence, and which parameter it names."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from files.line_reading import JSONInvalidError, parse_json
from llm.endpoints import Endpoint, Model
from llm.model_settings import NUMBERS

LONGEST = 300
SENTENCE_KEYS = ("message", "detail", "msg", "error", "title")
ALSO_WORDS = frozenset(("stop", "stream", "seed", "echo"))
"""Parameters that a sentence may contain as words: they count only in quotes or as a place."""
NOT_NAMED = frozenset(("model", "messages", "prompt"))
WITH_PARAMETER = frozenset((400, 404, 405, 415, 422, 501))
ADDRESS = re.compile(r"\b(?:https?|wss?)://[^\s\"'<>)]+")
SAID = "The language model's server rejected the request (status {}){}{}.{}"
ABOUT = " because of {}"
LEAVE_OUT = "write {} under the model {}"
TAKE_OUT = "take {} out of {} of the model {}"
SUPPORTED = {"seed": "seed", "stream": "stream", "echo": "echo", "response_format": "json_schema"}


def rejection(status: int, text: str, sent: Mapping[str, Any], endpoint: Endpoint, model: Model) -> str:
    """Return a sentence for researchers and operators: what the endpoint says, and what to write into the file."""
    body = _parsed(text)
    said = next(_sentences(body), "") if body is not None else text if not text.lstrip().startswith("<") else ""
    names = _named(body, text, sent) if status in WITH_PARAMETER else []
    quoted = _cleaned(said)
    advice = _advice(names, text, f"{endpoint.name}/{model.name}", model) if names else ""
    return SAID.format(
        status,
        ABOUT.format(" and ".join(names)) if names else "",
        f": \u201c{quoted}\u201d" if quoted else "",
        f" In the endpoints file, {advice}." if advice else "",
    )


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except JSONInvalidError:
        return None


def _sentences(body: Any) -> Iterator[str]:
    """Yield the sentences of an error, wherever it has them."""
    if isinstance(body, str) and body.strip():
        yield body
    elif isinstance(body, list):
        for one in body:
            yield from _sentences(one)
    elif isinstance(body, dict):
        for key in SENTENCE_KEYS:
            yield from _sentences(body.get(key))


def _places(body: Any) -> Iterator[str]:
    """Yield the names that an error gives as the place of the mistake."""
    if isinstance(body, list):
        for one in body:
            yield from _places(one)
    elif isinstance(body, dict):
        for key, value in body.items():
            if key in ("param", "loc"):
                yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
            else:
                yield from _places(value)


def _named(body: Any, text: str, sent: Mapping[str, Any]) -> list[str]:
    """Return the parameters of a request that its rejection names, in their order there."""
    names = [name for name in sent if name not in NOT_NAMED]
    places = [place for place in _places(body) if place in names]
    if places:
        both = [name for name in NUMBERS if name in names and _find(name, text) is not None]
        return both if len(both) == 2 else list(dict.fromkeys(places))
    found = {name: place for name in names if (place := _find(name, text)) is not None}
    return sorted(found, key=found.__getitem__)


def _find(name: str, text: str) -> int | None:
    quote = r"['\"`\u2018\u201c]" if name in ALSO_WORDS else ""
    found = re.search(rf"{quote}(?<![\w.]){re.escape(name)}(?!\w)", text)
    return None if found is None else found.start()


def _advice(names: list[str], text: str, alias: str, model: Model) -> str:
    """Return what to write into the endpoints file, so that the request is accepted."""
    name = "top_p" if {"temperature", "top_p"} <= set(names) else names[0]
    if name in model.body:
        return TAKE_OUT.format(name, "`body`", alias)
    if name in SUPPORTED:
        return TAKE_OUT.format(SUPPORTED[name], "`supports`", alias)
    if name in ("logprobs", "top_logprobs"):
        return LEAVE_OUT.format("a lower `logprobs`, or 0 for none,", alias)
    if name == model.max_tokens_field:
        other = "max_tokens" if name == "max_completion_tokens" else "max_completion_tokens"
        if other in text:
            return LEAVE_OUT.format(f"`max_tokens_field: {other}`", alias)
        name = "max_tokens"
    return LEAVE_OUT.format(f"`parameters: {{{name}: null}}`", alias) + ", so that it is not sent"


def _cleaned(said: str) -> str:
    """Return an endpoint's sentence on one line, without addresses and of limited length."""
    plain = "".join(sign if sign.isprintable() else " " for sign in ADDRESS.sub("[address]", said))
    plain = " ".join(plain.split())
    return (plain if len(plain) <= LONGEST else plain[:LONGEST].rstrip() + " \u2026").removesuffix(".")
