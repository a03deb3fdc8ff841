"""Exports in these tests leave out derived tables and reports, which take seconds, but where a test asks for them."""

import pytest

from files.writing import export_study
from reports.background import export_work


@pytest.fixture(autouse=True)
def _without_derived_tables(request, monkeypatch):
    if "derived_tables" not in request.fixturenames:
        monkeypatch.setattr(export_work, "export_with_figures", export_study)


@pytest.fixture
def derived_tables():
    """For a test whose exports are whole."""
