"""Ask an endpoint, again where that may help, and never beyond the deadline."""

from collections.abc import Callable

from llm.asking import Outcome, Request
from llm.endpoints import Endpoint, Model


def ask(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    *,
    on_text: Callable[[str], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    again_after_cut: bool = False,
) -> Outcome:
    """What the model replied to `request`; raises CallError with `outcome` as far as it got."""
    raise NotImplementedError
