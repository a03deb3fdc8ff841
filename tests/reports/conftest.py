"""What tests of reports have in common with those of the API."""

from tests.api.conftest import nobody_asked_before, reading, writing  # noqa: F401 - fixtures
