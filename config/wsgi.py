"""The WSGI application that web servers load."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Django would import all views for the first request of each process, and somebody would wait for it.
get_resolver().url_patterns  # noqa: B018
