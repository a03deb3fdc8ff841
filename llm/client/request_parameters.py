"""Turns a request into the parameters that are sent to an endpoint."""

from typing import Any

from llm.endpoints import Model
from llm.requests import Request

SCHEMA_NAME = "reply"


def parameters(request: Request, model: Model, stream: bool) -> dict[str, Any]:
    """Return the parameters of the call. A seed that the model does not take is left out.

    What the operator's file says of the model is sent instead, or left out.
    """
    sent: dict[str, Any] = {"model": model.asked}
    if model.api == "completions":
        sent |= {"prompt": request.text() + request.continuation} | _completions_only(request)
    else:
        sent["messages"] = [{"role": message.role, "content": message.content} for message in request.messages]
        sent |= _chat_only(request)
    if request.max_tokens is not None or request.continuation:
        sent[model.max_tokens_field] = model.reply_limit(request)
    if request.temperature is not None:
        sent["temperature"] = request.temperature
    if request.top_p is not None:
        sent["top_p"] = request.top_p
    if request.stop:
        sent["stop"] = list(request.stop)
    if request.seed is not None and "seed" in model.supports:
        sent["seed"] = request.seed
    if stream:
        sent.update(stream=True, stream_options={"include_usage": True})
    for name, value in model.parameters.items():
        field = model.max_tokens_field if name == "max_tokens" else name
        if value is None:
            sent.pop(field, None)
        else:
            sent[field] = value
    return {**sent, **model.body}


def _completions_only(request: Request) -> dict[str, Any]:
    if request.continuation:
        return {"echo": True, "logprobs": 1}  # some servers read 0 as none
    return {} if request.top_logprobs is None else {"logprobs": request.top_logprobs}


def _chat_only(request: Request) -> dict[str, Any]:
    sent: dict[str, Any] = {}
    if request.top_logprobs is not None:
        sent.update(logprobs=True, top_logprobs=request.top_logprobs)
    if request.schema is not None:
        form = {"name": SCHEMA_NAME, "schema": dict(request.schema), "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": form}
    return sent
