"""Turns a request into the parameters that are sent to an endpoint."""

from typing import Any

from llm.call_errors import UnsupportedError
from llm.endpoints import Model
from llm.requests import Request

SCHEMA_NAME = "reply"


def parameters(request: Request, model: Model, stream: bool) -> dict[str, Any]:
    """Return the parameters of the call; raise UnsupportedError if it needs log-probabilities and the model has none.

    A seed or schema that the model does not support is left out; the prompt must then describe the form.
    """
    sent: dict[str, Any] = {
        "model": model.asked,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
    }
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    if request.max_tokens is not None:
        sent[model.max_tokens_field] = request.max_tokens
    if request.seed is not None and "seed" in model.supports:
        sent["seed"] = request.seed
    if request.top_logprobs is not None:
        if "logprobs" not in model.supports:
            raise UnsupportedError
        sent.update(logprobs=True, top_logprobs=request.top_logprobs)
    if request.schema is not None and "json_schema" in model.supports:
        form = {"name": SCHEMA_NAME, "schema": dict(request.schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": form}
    if stream:
        sent.update(stream=True, stream_options={"include_usage": True})
    return sent
