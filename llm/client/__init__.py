"""The only client of language models. Only `llm.door` uses it, because calls made here are not in the ledger."""

from collections.abc import Callable

from django.utils.module_loading import import_string

from llm.endpoints import Endpoint, Model
from llm.requests import Outcome, Request

__all__ = ["ask"]


def ask(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    *,
    on_text: Callable[[str], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    on_request: Callable[[int], None] | None = None,
    again_after_cut: bool = False,
    hidden: bool = False,
) -> Outcome:
    """Return the model's reply, as `retries.ask` does, which is loaded with the first call.

    Web processes import this package and never make a call, so they never load the client's library.
    """
    outcome: Outcome = import_string("llm.client.retries.ask")(
        endpoint, model, request, on_text=on_text, stopped=stopped, on_request=on_request,
        again_after_cut=again_after_cut, hidden=hidden,
    )  # fmt: skip
    return outcome
