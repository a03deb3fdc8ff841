"""Query parameters: those that an address knows, and no others."""

from collections.abc import Collection

from rest_framework.exceptions import ParseError
from rest_framework.request import Request


def check_parameters(request: Request, known: Collection[str] = (), repeated: Collection[str] = ()) -> None:
    """Raise ParseError for an unknown or repeated parameter, which would otherwise be ignored silently.

    Only the parameters `repeated` may be given more than once.
    """
    for name, values in request.query_params.lists():
        if name not in known:
            raise ParseError(f"Unknown parameter {name[:40]!a}. Known here: {', '.join(sorted(known)) or 'none'}.")
        if len(values) > 1 and name not in repeated:
            raise ParseError(f"The parameter {name} is given twice.")
        if any("\x00" in value for value in values):
            raise ParseError(f"The parameter {name} contains the character NUL.")
