"""The WSGI application that web servers load."""

import os
import sys

from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.urls import get_resolver

BOOT_FAILED = 3
"""The exit code with which a worker of gunicorn ends the whole server, instead of being started again and again."""

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from config.absent_parts import warn_of_absent_parts  # noqa: E402 - needs the settings
from config.schema_state import WrongSchemaError, check_schema  # noqa: E402 - needs the settings

try:
    check_schema(complete=True)
    warn_of_absent_parts()
except WrongSchemaError as problem:
    sys.stderr.write(f"{problem}\n")
    sys.exit(BOOT_FAILED)
finally:
    connection.close()
# Django would import all views for the first request of each process, and somebody would wait for it.
get_resolver().url_patterns  # noqa: B018
