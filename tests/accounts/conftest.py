"""A clock, and an owner with a second factor."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.accounts.authenticator import first_step, set_up


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests put forward; codes and limits read it."""

    class Clock:
        now = timezone.now()

        def forward(self, **span):
            self.now += timedelta(**span)

    one = Clock()
    monkeypatch.setattr(timezone, "now", lambda: one.now)
    monkeypatch.setattr("config.database_clock.time_on", lambda connection: one.now)
    return one


@pytest.fixture
def having(owner, clock):
    """The key and the recovery codes of the owner, who has turned it on and signed out."""
    client = Client()
    first_step(client)
    key, codes = set_up(client, clock)
    client.post("/sign-out/")
    return key, codes
