"""What is sent to an endpoint for a request."""

from typing import Any

from llm.asking import Request
from llm.endpoints import Model
from llm.errors import UnsupportedError

SCHEMA_NAME = "reply"


def parameters(request: Request, model: Model, stream: bool) -> dict[str, Any]:
    """The parameters of the call; raises UnsupportedError where log-probabilities are asked that the model lacks.

    A seed that it does not take is left out, and so is a schema: the prompt then has to ask for the form.
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
