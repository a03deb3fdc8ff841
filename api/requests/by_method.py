"""One address with several methods, each a function of its own with its own documentation."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from rest_framework.parsers import BaseParser
from rest_framework.views import APIView

from api.requests.negotiation import LINES

Handler = Callable[..., Any]


def by_method(*, takes: Sequence[type[BaseParser]] = LINES, **handlers: Handler) -> Any:
    """The view of an address, with a function for each method by its lower-case name.

    GET also answers HEAD. `takes` are the media types of bodies.
    """
    methods = {name: _method(handler) for name, handler in handlers.items()}
    if "get" in methods:
        methods["head"] = methods["get"]
    name = next(iter(handlers.values())).__name__
    made: Any = type(name, (APIView,), {**methods, "parser_classes": list(takes), "__module__": __name__})
    return made.as_view()


def _method(handler: Handler) -> Handler:
    @wraps(handler)
    def method(view: APIView, request: Any, *args: Any, **kwargs: Any) -> Any:
        return handler(request, *args, **kwargs)

    return method
