"""The operator's file of endpoints: YAML, read strictly. Every mistake is reported with its place and what to do."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    WrapValidator,
    model_validator,
)

from config.environment import own_variables
from config.strict_models import INVALID, StrictModel, invalid, must_be, place_of, resembling, whole
from config.yaml_reading import YamlInvalidError, parse_yaml
from llm.model_settings import KEY, read_body, read_headers, read_parameters, read_query, read_thinking
from llm.thinking import ThinkingRules

LARGEST_FILE = 1_000_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
HIGHEST_PRICE = 1_000_000
LONGEST_CONNECT = 10
"""Seconds. While a connection is made, the call cannot be stopped and its lease cannot be renewed."""
Feature = Literal["stream", "seed", "json_schema", "echo"]
Api = Literal["chat", "completions"]


class EndpointsInvalidError(ImproperlyConfigured):
    """The file of endpoints cannot be used; the message names the file, the place and what to do."""

    def __init__(self, path: Path, place: str, reason: str) -> None:
        said = f"{path}: {place}: {reason}" if place else f"{path}: {reason}"
        super().__init__(said if said.endswith("?") else f"{said}.")


def seconds(least: float, most: float) -> WrapValidator:
    """Allow times from `least` to `most` seconds."""
    return must_be(f"a number of seconds from {least:g} to {most:g}", lambda value: least <= value <= most)


def read_price(given: Any) -> Decimal:
    """Read the price of a million tokens, which is also the price of one token in millionths."""
    reason = f"must be the price of a million tokens, a number from 0 to {HIGHEST_PRICE}"
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        raise invalid(reason)
    try:
        amount = Decimal(str(given))
    except InvalidOperation:
        raise invalid(reason) from None
    if not amount.is_finite() or not 0 <= amount <= HIGHEST_PRICE:
        raise invalid(reason)
    return amount


def read_address(given: str) -> str:
    """Read the address of an API; a key or password in it is refused."""
    expected = "must be an address like https://models.example.org/v1"
    try:
        parts = urlsplit(given)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise invalid(expected) from None
    if not is_address or " " in given:
        raise invalid(expected)
    if "@" in parts.netloc:
        raise invalid("must not contain a user name or password: name the variable of the key under `key`")
    if "?" in given or "#" in given:
        raise invalid(f"must not contain ? or #: it {expected}")
    return given


def read_variable(given: str) -> str:
    """Read the name of an environment variable; the variables of Interrater itself are refused."""
    if not VARIABLE.fullmatch(given):
        raise invalid("must be the name of the environment variable that holds the key, like CAMPUS_KEY, not the key")
    if given in own_variables():
        raise invalid(f"names {given}, a setting of Interrater that no endpoint may receive: use another variable")
    return given


def is_line(text: str) -> bool:
    """Return whether a text is a single line that is not empty."""
    return bool(text.strip()) and text.isprintable() and len(text) <= 200


def check_name(given: Any) -> str:
    """Check the name of an endpoint or a model."""
    if not isinstance(given, str) or not NAME.fullmatch(given):
        raise invalid("is not a name: use letters, digits, dots, dashes and underscores")
    return given


def or_empty(given: Any) -> Any:
    """Read a key without a value as an empty mapping."""
    return {} if given is None else given


Line = Annotated[str, must_be("text of one line, 1 to 200 characters", is_line)]
Price = Annotated[Decimal | None, BeforeValidator(read_price)]
Name = Annotated[str, BeforeValidator(check_name)]


class ModelSection(StrictModel):
    """A model as the file describes it."""

    asked: Line = ""
    context: Annotated[int | None, whole(1, 100_000_000)] = None
    price_in: Price = None
    price_out: Price = None
    max_tokens_field: Annotated[
        Literal["max_tokens", "max_completion_tokens"], must_be("max_tokens or max_completion_tokens")
    ] = "max_tokens"
    api: Annotated[Api, must_be("chat or completions")] = "chat"
    logprobs: Annotated[int, whole(0, 100)] = 0
    parameters: Annotated[Mapping[str, float | None], PlainValidator(read_parameters)] = {}
    body: Annotated[Mapping[str, Any], PlainValidator(read_body)] = {}
    headers: Annotated[Mapping[str, str], PlainValidator(read_headers)] = {}
    query: Annotated[Mapping[str, str], PlainValidator(read_query)] = {}
    thinking_tokens: Annotated[int, whole(0, 1_000_000)] = 0
    thinking: Annotated[ThinkingRules, PlainValidator(read_thinking)] = ThinkingRules()
    supports: Annotated[list[Feature], must_be(f"a list of some of {', '.join(get_args(Feature))}")] = ["stream"]

    @model_validator(mode="after")
    def check_features(self) -> Self:
        if "echo" in self.supports and (self.api == "chat" or not self.logprobs):
            raise invalid("has echo without `api: completions` and `logprobs`: only they return a text's likelihood")
        if "json_schema" in self.supports and self.api == "completions":
            raise invalid("has json_schema with `api: completions`, which takes none")
        return self


class EndpointSection(StrictModel):
    """An endpoint as the file describes it."""

    base_url: Annotated[Line, AfterValidator(read_address)]
    models: Annotated[dict[Name, Annotated[ModelSection, BeforeValidator(or_empty)]], Field(min_length=1)]
    key: Annotated[str, AfterValidator(read_variable)] = ""
    in_flight: Annotated[int, whole(1, 1000)] = 4
    requests_per_minute: Annotated[int | None, whole(1, 1_000_000)] = None
    connect_timeout: Annotated[float, seconds(0.1, LONGEST_CONNECT)] = 5
    read_timeout: Annotated[float, seconds(0.1, 600)] = 60
    deadline: Annotated[float, seconds(0.5, 600)] = 120
    attempts: Annotated[int, whole(1, 10)] = 4
    longest_wait: Annotated[float, seconds(0, 120)] = 20
    scripted: Annotated[bool, must_be("true or false")] = False

    @model_validator(mode="after")
    def check_times(self) -> Self:
        for name in ("connect_timeout", "read_timeout", "longest_wait"):
            if getattr(self, name) > self.deadline:
                raise invalid(f"has a {name} that is longer than its deadline, {self.deadline:g} seconds")
        return self

    @model_validator(mode="after")
    def check_key(self) -> Self:
        for name, model in self.models.items():
            if not self.key and any(KEY in value for value in model.headers.values()):
                raise invalid(f"has no key, which a header of the model {name} needs")
        return self


class EndpointsFile(StrictModel):
    """The whole file."""

    endpoints: Annotated[dict[Name, EndpointSection], BeforeValidator(or_empty)]


SECTIONS = (EndpointsFile, EndpointSection, ModelSection)
"""By nesting: each lies two levels below the one before it."""


def read_endpoints(path: Path, reserved: str) -> dict[str, EndpointSection]:
    """Return the endpoints of the file by name, none of them called `reserved`. Raises EndpointsInvalidError."""
    try:
        found = EndpointsFile.model_validate(_load(path)).endpoints
    except ValidationError as problem:
        raise EndpointsInvalidError(path, *_first_mistake(problem)) from None
    if reserved in found:
        raise EndpointsInvalidError(path, f"endpoints.{reserved}", "has the name of the built-in endpoint: rename it")
    return found


def _first_mistake(problem: ValidationError) -> tuple[str, str]:
    """Return the place of the first mistake, and what is wrong there."""
    error = problem.errors(include_input=False)[0]
    keys = place_of(error)
    section = SECTIONS[len(keys) // 2] if len(keys) < 6 else ModelSection
    if error["type"] == INVALID:
        return ".".join(keys), error["msg"]
    if error["type"] in ("missing", "extra_forbidden"):
        return ".".join(keys[:-1]), _wrong_key(error["type"], keys[-1], section)
    if error["type"] == "too_short":
        return ".".join(keys), "must name at least one model"
    if error["type"] == "string_type":
        return ".".join(keys), "must be text"
    return ".".join(keys), "must be a mapping of keys to values" if keys else "must be a mapping with the key endpoints"


def _wrong_key(kind: str, key: str, section: type[StrictModel]) -> str:
    if kind == "missing":
        return f"needs the key {key}"
    known = list(section.model_fields)
    similar = resembling(key, known)
    advice = f"did you mean {similar}?" if similar else f"known are {', '.join(known)}"
    return f"has the unknown key {key[:60]!r}; {advice}"


def _load(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
        if len(raw) > LARGEST_FILE:
            raise EndpointsInvalidError(path, "", f"is longer than {LARGEST_FILE} bytes")
        return parse_yaml(raw.decode())
    except OSError as problem:
        raise EndpointsInvalidError(path, "", f"cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise EndpointsInvalidError(path, "", f"is not UTF-8 (byte {problem.start + 1}): save it as UTF-8") from None
    except YamlInvalidError as problem:
        place = problem.field or (f"line {problem.line}" if problem.line else "")
        raise EndpointsInvalidError(path, place, problem.reason) from None
