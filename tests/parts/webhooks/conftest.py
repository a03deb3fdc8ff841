import pytest

from tests.parts.webhooks.receivers import receiver


@pytest.fixture
def received(settings):
    """A receiver on this machine, which the operator allows."""
    with receiver() as found:
        settings.WEBHOOK_HOSTS = [found.origin, "hooks.example.org", "*.example.net"]
        yield found
