"""Every table can be written as lines and read again."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.utils import timezone

from config.models import Worker
from operating.stored_tables import StoredTable


@pytest.mark.parametrize("model", apps.get_models(include_auto_created=True), ids=lambda model: model._meta.label)
def test_the_values_of_every_column_can_be_written(model):
    table = StoredTable(model)
    assert len(table.columns) == len(model._meta.concrete_fields)


@pytest.mark.django_db
@pytest.mark.parametrize("skew", [None, timedelta(0), timedelta(days=-2, microseconds=7), timedelta(hours=30)])
def test_durations_are_the_same_after_a_restore(skew):
    Worker.objects.create(name="a", queues="calls", started_at=timezone.now(), seen_at=timezone.now(), clock_skew=skew)
    table = StoredTable(Worker)
    before = list(table.lines())
    Worker.objects.all().delete()
    table.insert(before)
    assert Worker.objects.get().clock_skew == skew
    assert list(table.lines()) == before
