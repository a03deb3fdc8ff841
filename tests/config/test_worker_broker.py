"""A worker uses the broker of the settings, which may have its password from a file."""

import pytest
from celery.bin.celery import celery as command_line

from config.worker import arguments_for, use_the_settings


@pytest.fixture
def broker_option():
    """Celery's option for the broker, as it was before the test."""
    (option,) = (option for option in command_line.params if option.name == "broker")
    before = option.envvar
    option.envvar = "BROKER_URL"
    yield option
    option.envvar = before


def test_celery_does_not_read_the_address_of_the_broker_itself(broker_option, monkeypatch):
    monkeypatch.setenv("BROKER_URL", "redis://without-a-password:6379/0")

    def asked():
        with command_line.make_context("celery", arguments_for("calls")) as context:
            return context.params["broker"]

    assert asked() == "redis://without-a-password:6379/0"
    use_the_settings()
    assert asked() is None
