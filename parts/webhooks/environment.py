"""Where the operator allows webhooks to go: read strictly, and nowhere by default."""

import re
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from environs import Env

VARIABLES = ("WEBHOOK_HOSTS",)
HOST = re.compile(r"(?:(?:https?://)(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])|(?:\*\.)?[a-z0-9.-]+|\*)(?::[1-9][0-9]{0,4})?")


def read(env: Env, profile: str) -> dict[str, Any]:
    """Return WEBHOOK_HOSTS: the hosts to which webhooks may be sent; none if that is empty, so no webhooks."""
    hosts = [given.strip().lower() for given in env.str("WEBHOOK_HOSTS", "").split(",") if given.strip()]
    for host in hosts:
        if not HOST.fullmatch(host):
            raise ImproperlyConfigured(
                f"WEBHOOK_HOSTS must list hosts such as hooks.example.org, *.example.org or http://10.0.0.5:9000, "
                f"separated by commas, not {host!r}."
            )
    return {"WEBHOOK_HOSTS": hosts}
