"""The file of endpoints: YAML 1.2, read strictly. What is wrong is told by file, place and mend."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent

LARGEST_FILE = 1_000_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
OWN_SECRETS = ("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL")
SUPPORTS = ("stream", "seed", "logprobs", "json_schema")
LONGEST_CONNECT = 10
"""Seconds. Nobody can be asked to stop meanwhile, nor a lease be renewed."""
MAX_TOKENS_FIELDS = ("max_tokens", "max_completion_tokens")


class EndpointsInvalidError(ImproperlyConfigured):
    """The file of endpoints is not right; the message names file, place and mend."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        super().__init__(f"{path}: {place}: {reason}." if place else f"{path}: {reason}.")


class FieldWrongError(ValueError):
    """A value that cannot be taken; the message says what is expected."""


def text(given: Any) -> str:
    """Text of one line, not empty."""
    if not isinstance(given, str) or not given.strip() or not given.isprintable() or len(given) > 200:
        raise FieldWrongError("must be text of one line, 1 to 200 characters")
    return given


def address(given: Any) -> str:
    """The address under which an API stands, without a key in it."""
    shown = "must be an address like https://models.example.org/v1"
    try:
        parts = urlsplit(text(given))
        port_is_right = parts.port is None or parts.port > 0
    except (ValueError, FieldWrongError):
        raise FieldWrongError(shown) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right or " " in given:
        raise FieldWrongError(shown)
    if "@" in parts.netloc:
        raise FieldWrongError("must hold no user name or password: name the variable of the key under `key`")
    if parts.query or parts.fragment or "?" in given or "#" in given:
        raise FieldWrongError(f"must have nothing after ? or #: it {shown}")
    return given


def variable(given: Any) -> str:
    """The name of an environment variable, but none of those that hold secrets of our own."""
    if not isinstance(given, str) or not VARIABLE.fullmatch(given):
        raise FieldWrongError("must name the environment variable that holds the key, like CAMPUS_KEY, not be the key")
    if given in OWN_SECRETS:
        raise FieldWrongError("names a secret of this site, which no endpoint may get: use a variable of its own")
    return given


def whole(least: int, most: int) -> Callable[[Any], int]:
    """A reader of whole numbers from `least` to `most`."""

    def read(given: Any) -> int:
        if not isinstance(given, int) or isinstance(given, bool) or not least <= given <= most:
            raise FieldWrongError(f"must be a whole number from {least} to {most}")
        return given

    return read


def seconds(least: float, most: float) -> Callable[[Any], float]:
    """A reader of times from `least` to `most` seconds."""

    def read(given: Any) -> float:
        if not isinstance(given, int | float) or isinstance(given, bool) or not least <= given <= most:
            raise FieldWrongError(f"must be a number of seconds from {least:g} to {most:g}")
        return float(given)

    return read


def price(given: Any) -> Decimal:
    """A price for a million tokens, which is the price of one in millionths."""
    wrong = FieldWrongError("must be the price of a million tokens, a number from 0 to 1000000")
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise wrong
    try:
        amount = Decimal(str(given))
    except InvalidOperation:
        raise wrong from None
    if not amount.is_finite() or not 0 <= amount <= 1_000_000:
        raise wrong
    return amount


def one_of(known: tuple[str, ...]) -> Callable[[Any], str]:
    """A reader of one of some words."""

    def read(given: Any) -> str:
        if not isinstance(given, str) or given not in known:
            raise FieldWrongError(f"must be one of {', '.join(known)}")
        return given

    return read


def features(given: Any) -> tuple[str, ...]:
    """A list of what a model can do."""
    if not isinstance(given, list) or not all(isinstance(one, str) and one in SUPPORTS for one in given):
        raise FieldWrongError(f"must be a list of some of {', '.join(SUPPORTS)}")
    return tuple(given)


def mapping(given: Any) -> Mapping[str, Any]:
    """Names and what stands under each."""
    if not isinstance(given, dict) or not given:
        raise FieldWrongError("must be a mapping with at least one name")
    return given


@dataclass(frozen=True)
class ModelFields:
    """A model as the file has it."""

    asked: str = field(default="", metadata={"read": text})
    context: int | None = field(default=None, metadata={"read": whole(1, 100_000_000)})
    price_in: Decimal | None = field(default=None, metadata={"read": price})
    price_out: Decimal | None = field(default=None, metadata={"read": price})
    max_tokens_field: str = field(default="max_tokens", metadata={"read": one_of(MAX_TOKENS_FIELDS)})
    supports: tuple[str, ...] = field(default=("stream",), metadata={"read": features})


@dataclass(frozen=True)
class EndpointFields:
    """An endpoint as the file has it."""

    base_url: str = field(metadata={"read": address})
    models: Mapping[str, Any] = field(metadata={"read": mapping})
    key: str = field(default="", metadata={"read": variable})
    in_flight: int = field(default=4, metadata={"read": whole(1, 1000)})
    requests_per_minute: int | None = field(default=None, metadata={"read": whole(1, 1_000_000)})
    connect_timeout: float = field(default=5, metadata={"read": seconds(0.1, LONGEST_CONNECT)})
    read_timeout: float = field(default=60, metadata={"read": seconds(0.1, 600)})
    deadline: float = field(default=120, metadata={"read": seconds(0.5, 600)})
    attempts: int = field(default=4, metadata={"read": whole(1, 10)})
    longest_wait: float = field(default=20, metadata={"read": seconds(0, 120)})


def read_endpoints(path: Path, reserved: str) -> dict[str, EndpointFields]:
    """The endpoints of the file by name; raises EndpointsInvalidError. `reserved` is no name for one."""
    body = _load(path)
    if not isinstance(body, dict) or set(body) != {"endpoints"}:
        raise EndpointsInvalidError(path, "", "must hold the one key `endpoints`, and under it each endpoint by name")
    listed = {} if body["endpoints"] is None else body["endpoints"]
    if not isinstance(listed, dict):
        raise EndpointsInvalidError(path, "endpoints", "must be a mapping of names to endpoints")
    found = {}
    for name, given in listed.items():
        place = f"endpoints.{name}"
        _check_name(path, place, name)
        if name == reserved:
            raise EndpointsInvalidError(path, place, "is the name of the endpoint that is built in: take another")
        taken = _read_fields(path, place, EndpointFields, given)
        models = {}
        for alias, inner in taken["models"].items():
            inner_place = f"{place}.models.{alias}"
            _check_name(path, inner_place, alias)
            models[alias] = ModelFields(**_read_fields(path, inner_place, ModelFields, {} if inner is None else inner))
        found[name] = EndpointFields(**{**taken, "models": models})
        _check_times(path, place, found[name])
    return found


def _read_fields(path: Path, place: str, kind: type[Any], given: Any) -> dict[str, Any]:
    known = {one.name: one for one in fields(kind)}
    if not isinstance(given, dict):
        raise EndpointsInvalidError(path, place, f"must be a mapping with some of the keys {', '.join(known)}")
    for key in given:
        if key not in known:
            raise EndpointsInvalidError(path, place, f"has no key {str(key)[:60]!r}; known are {', '.join(known)}")
    taken = {}
    for key, one in known.items():
        if key in given:
            try:
                taken[key] = one.metadata["read"](given[key])
            except FieldWrongError as problem:
                raise EndpointsInvalidError(path, f"{place}.{key}", str(problem)) from None
    for key in ("base_url", "models"):
        if key in known and key not in taken:
            raise EndpointsInvalidError(path, place, f"needs the key {key}")
    return taken


def _check_name(path: Path, place: str, name: Any) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise EndpointsInvalidError(path, place, "must have a name of letters, digits, dots, dashes and underscores")


def _check_times(path: Path, place: str, endpoint: EndpointFields) -> None:
    for name in ("connect_timeout", "read_timeout", "longest_wait"):
        if getattr(endpoint, name) > endpoint.deadline:
            reason = f"must not be longer than the deadline, {endpoint.deadline:g} seconds"
            raise EndpointsInvalidError(path, f"{place}.{name}", reason)


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise EndpointsInvalidError(path, "", f"is longer than {LARGEST_FILE} bytes")
        content = raw.decode()
        for event in YAML(typ="safe", pure=True).parse(content):
            if isinstance(event, AliasEvent):
                raise EndpointsInvalidError(path, f"line {event.start_mark.line + 1}", "uses an alias: write it out")
        return YAML(typ="safe", pure=True).load(content)
    except OSError as problem:
        raise EndpointsInvalidError(path, "", f"cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise EndpointsInvalidError(path, "", f"is not UTF-8 (byte {problem.start + 1}): save it as UTF-8") from None
    except MarkedYAMLError as problem:
        line = f"line {problem.problem_mark.line + 1}" if problem.problem_mark else ""
        reason = " ".join(str(problem.problem or problem.context).split("\n")[0].split())
        raise EndpointsInvalidError(path, line, f"is not right as YAML ({reason})") from None
    except (YAMLError, RecursionError, ValueError, OverflowError, TypeError, KeyError, AttributeError) as problem:
        # The last ones are what the parser's constructors let through for odd numbers, dates and tags.
        raise EndpointsInvalidError(path, "", f"is not right as YAML ({type(problem).__name__})") from None
