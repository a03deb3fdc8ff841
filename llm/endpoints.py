"""The operator's endpoints and their models. No other address is ever called.

People choose by name, `endpoint/model`. A change of the file applies at once, without a restart.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.conf import settings

from llm.call_errors import NoKeyError, UnknownModelError
from llm.endpoint_file import Api, EndpointSection, EndpointsInvalidError, ModelSection, read_endpoints
from llm.requests import Request
from llm.thinking import ThinkingRules

BUILT_IN = "extractive"
DRY_RUN_MODEL = re.compile(r"dry-run(-[1-9][0-9]{0,3})?")
"""The built-in endpoint's models that make up answers in dry runs. No list of models has them."""


@dataclass(frozen=True)
class Model:
    """A model of an endpoint. Prices are per token, in millionths of the currency; None if unknown.

    `api` is `chat` or `completions`; `supports` has some of `stream`, `seed`, `json_schema` and `echo`; `logprobs` is
    how many candidates per token the endpoint names at most, 0 for none. `parameters` replace those of requests, or
    leave them out if None; `body`, `headers` and `query` are sent beside them. `thinking_tokens` are added to the limit
    of every reply; `thinking` says how the model marks its thinking, beside the known forms.
    """

    name: str
    asked: str
    context: int | None = None
    price_in: Decimal | None = None
    price_out: Decimal | None = None
    supports: frozenset[str] = frozenset()
    max_tokens_field: str = "max_tokens"
    api: Api = "chat"
    logprobs: int = 0
    parameters: Mapping[str, float | None] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    thinking_tokens: int = 0
    thinking: ThinkingRules = field(default_factory=ThinkingRules)

    def reply_limit(self, request: Request) -> int:
        """Return the most tokens that the model may write: those of the answer, and of what it thinks before."""
        return 0 if request.continuation else (request.max_tokens or 0) + self.thinking_tokens

    def settings(self) -> dict[str, Any]:
        """Return what the file says of its requests beside its name, as JSON; empty if nothing."""
        given = {
            "parameters": self.parameters,
            "body": self.body,
            "headers": self.headers,
            "query": self.query,
            "thinking_tokens": self.thinking_tokens,
            "thinking": self.thinking.as_json(),
        }
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in given.items() if value}


@dataclass(frozen=True)
class Endpoint:
    """An address for calls, with its limits. Nothing is sent to the `built_in` one: it composes answers here.

    Behind a `scripted` one is a test server that follows a script, not a language model.
    """

    name: str
    base_url: str
    key_name: str
    models: Mapping[str, Model]
    in_flight: int
    requests_per_minute: int | None
    connect_timeout: float
    read_timeout: float
    deadline: float
    attempts: int
    longest_wait: float
    built_in: bool = False
    scripted: bool = False

    def key(self) -> str:
        """Return the endpoint's key from the environment, or "" if it needs none. Raises NoKeyError."""
        if not self.key_name:
            return ""
        key = os.environ.get(self.key_name, "").strip()
        if not key or not key.isascii() or not key.isprintable():
            raise NoKeyError
        return key


UNREADABLE = "The server cannot read its list of language models. Tell the people who run this site."


def endpoints() -> Mapping[str, Endpoint]:
    """Return all endpoints by name, the built-in one first. Raises EndpointsInvalidError."""
    path = Path(settings.ENDPOINTS_FILE)
    try:
        stat = path.stat()
    except FileNotFoundError:
        if path != Path(settings.VAR) / "endpoints.yaml":
            raise EndpointsInvalidError(path, "", "does not exist: create it, or unset ENDPOINTS_FILE") from None
        return MappingProxyType({BUILT_IN: _built_in()})
    except OSError as problem:
        raise EndpointsInvalidError(path, "", f"cannot be read: {problem.strerror}") from None
    return _read(path, stat.st_mtime_ns, stat.st_size)


def find_model(name: str) -> tuple[Endpoint, Model]:
    """Return the endpoint and the model named `endpoint/model`. Raises UnknownModelError."""
    endpoint_name, _, model_name = name.partition("/")
    try:
        endpoint = _built_in(model_name) if endpoint_name == BUILT_IN else endpoints().get(endpoint_name)
    except EndpointsInvalidError:
        raise UnknownModelError(UNREADABLE) from None
    model = endpoint.models.get(model_name) if endpoint else None
    if endpoint is None or model is None:
        raise UnknownModelError
    return endpoint, model


def model_names() -> tuple[str, ...]:
    """Return the names of all models, as `endpoint/model`."""
    return tuple(f"{endpoint.name}/{name}" for endpoint in endpoints().values() for name in endpoint.models)


def dry_run_models(count: int) -> list[str]:
    """Return so many names (`endpoint/model`) of models that make up answers in dry runs; nothing is sent to them."""
    first = f"{BUILT_IN}/dry-run"
    return [first, *(f"{first}-{number}" for number in range(2, count + 1))]


def is_dry_run_model(name: str) -> bool:
    """Return whether `endpoint/model` makes up answers."""
    endpoint, _, model = name.partition("/")
    return endpoint == BUILT_IN and DRY_RUN_MODEL.fullmatch(model) is not None


def is_scripted(name: str) -> bool:
    """Return whether `endpoint/model` is on an endpoint that follows a script."""
    try:
        endpoint = endpoints().get(name.partition("/")[0])
    except EndpointsInvalidError:
        return False
    return endpoint is not None and endpoint.scripted


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Mapping[str, Endpoint]:
    found = {name: _endpoint(name, fields) for name, fields in read_endpoints(path, BUILT_IN).items()}
    return MappingProxyType({BUILT_IN: _built_in(), **found})


def _endpoint(name: str, fields: EndpointSection) -> Endpoint:
    models = {alias: _model(alias, given) for alias, given in fields.models.items()}
    return Endpoint(
        name=name, base_url=fields.base_url, key_name=fields.key, models=MappingProxyType(models),
        in_flight=fields.in_flight, requests_per_minute=fields.requests_per_minute,
        connect_timeout=fields.connect_timeout, read_timeout=fields.read_timeout, deadline=fields.deadline,
        attempts=fields.attempts, longest_wait=fields.longest_wait, scripted=fields.scripted,
    )  # fmt: skip


def _model(name: str, fields: ModelSection) -> Model:
    return Model(
        name=name, asked=fields.asked or name, context=fields.context, price_in=fields.price_in,
        price_out=fields.price_out, supports=frozenset(fields.supports), max_tokens_field=fields.max_tokens_field,
        api=fields.api, logprobs=fields.logprobs, parameters=fields.parameters, body=fields.body,
        headers=fields.headers, query=fields.query, thinking_tokens=fields.thinking_tokens, thinking=fields.thinking,
    )  # fmt: skip


def _built_in(asked: str = BUILT_IN) -> Endpoint:
    """The built-in endpoint, with its model, or the model of dry runs that is asked for."""
    name = asked if DRY_RUN_MODEL.fullmatch(asked) else BUILT_IN
    model = Model(name=name, asked=name, price_in=Decimal(0), price_out=Decimal(0))
    return Endpoint(
        name=BUILT_IN, base_url="", key_name="", models=MappingProxyType({name: model}), in_flight=64,
        requests_per_minute=None, connect_timeout=5, read_timeout=60, deadline=60, attempts=1, longest_wait=0,
        built_in=True,
    )  # fmt: skip
