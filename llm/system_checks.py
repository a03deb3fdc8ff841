"""System checks of the file of endpoints, for `manage.py check`."""

import os
from typing import Any

from django.core.checks import CheckMessage, Error, Warning

from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import endpoints


def check_endpoints(**options: Any) -> list[CheckMessage]:
    """Return an error if the file is invalid, and a warning for each key that is not set here."""
    try:
        found = endpoints()
    except EndpointsInvalidError as problem:
        return [Error(str(problem), id="llm.E001")]
    return [
        Warning(
            f"The endpoint {endpoint.name} has no key.",
            hint=f"Set {endpoint.key_name} for the web and worker processes.",
            id="llm.W001",
        )
        for endpoint in found.values()
        if endpoint.key_name and not os.environ.get(endpoint.key_name, "").strip()
    ]
