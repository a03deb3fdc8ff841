"""Reports of errors to a service that the operator names, with nothing that a person wrote or is.

What is sent is built from a list of what may be sent, so that a later version of the library cannot add to it.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.log_lines import on_one_line
from config.request_ids import current_request_id
from config.software_version import SOFTWARE_VERSION

PLAIN = ("event_id", "timestamp", "level", "logger", "platform")
OF_FRAME = ("filename", "function", "module", "lineno", "in_app")
MISSING = (
    "SENTRY_DSN is set, but sentry-sdk is not installed. Install it: .venv/bin/pip install --require-hashes --no-deps "
    "-r requirements/sentry.txt; or with Docker, docker compose up --build -d"
)


def report_errors(dsn: str) -> None:
    """Send what is logged as an error to `dsn`. Raises ImproperlyConfigured without the package."""
    try:
        sentry = import_module("sentry_sdk")
    except ImportError:
        raise ImproperlyConfigured(MISSING) from None
    logs = import_module("sentry_sdk.integrations.logging").LoggingIntegration(level=None)
    sentry.init(
        dsn=dsn, default_integrations=False, auto_enabling_integrations=False, integrations=[logs],
        before_send=reported, before_breadcrumb=lambda *_: None, max_breadcrumbs=0, send_default_pii=False,
        include_local_variables=False, include_source_context=False, max_request_body_size="never", server_name="",
        send_client_reports=False, auto_session_tracking=False,
    )  # fmt: skip


def reported(event: Mapping[str, Any], _hint: Any = None) -> dict[str, Any]:
    """What is sent of an event: kinds of errors and places in the code, and the id that leads to the log."""
    found: dict[str, Any] = {name: event[name] for name in PLAIN if name in event}
    found["release"] = SOFTWARE_VERSION
    found["tags"] = {"request_id": current_request_id() or "-"}
    line = event.get("logentry") or {}
    if "message" in line:
        found["logentry"] = {"message": on_one_line(str(line["message"]))}
    errors = (event.get("exception") or {}).get("values") or []
    if errors:
        found["exception"] = {"values": [_error(one) for one in errors]}
    return found


def _error(error: Mapping[str, Any]) -> dict[str, Any]:
    """An exception without its text, which may quote what people wrote."""
    frames = (error.get("stacktrace") or {}).get("frames") or []
    kept = [{name: frame[name] for name in OF_FRAME if name in frame} for frame in frames]
    return {"type": error.get("type"), "module": error.get("module"), "stacktrace": {"frames": kept}}
