"""Exports in these tests leave out derived tables and reports, which take seconds, but where a test asks for them."""

from functools import partial

import pytest

from reports.background import export_work
from reports.exporting import export_study


@pytest.fixture(autouse=True)
def _without_derived_tables(request, monkeypatch):
    if "derived_tables" not in request.fixturenames:
        only_data = partial(_only_data, export_study)
        monkeypatch.setattr(export_work, "export_study", only_data)


def _only_data(write, *args, derived, **more):
    return write(*args, derived=not derived, **more)


@pytest.fixture
def derived_tables():
    """For a test whose exports are whole."""
