"""Every table can be written as lines and read again."""

import pytest
from django.apps import apps

from operating.stored_tables import StoredTable


@pytest.mark.parametrize("model", apps.get_models(include_auto_created=True), ids=lambda model: model._meta.label)
def test_the_values_of_every_column_can_be_written(model):
    table = StoredTable(model)
    assert len(table.columns) == sum(not field.generated for field in model._meta.concrete_fields)
