"""A kind of background work for tests, with a table of its own."""

from datetime import timedelta

import pytest
from django.db import connection, models
from django.test.utils import isolate_apps
from django.utils import timezone

from config.background import claiming, sweeping, waking
from config.background.kinds import Work
from config.background.rows import Row

LEASE = timedelta(seconds=30)


class Kept:
    """Database connections that a test keeps using."""

    def close_all(self):
        pass


class Trial:
    """One kind of work whose `run` a test sets."""

    def __init__(self, model):
        self.model, self.ended, self.run = model, [], lambda taken: None
        self.work = Work("trial", model, lambda taken: self.run(taken), "calls", LEASE, 3, self.ended.append)

    def row(self, **more):
        return self.model.objects.create(**more)

    def later(self, row):
        """Let the lease and every wait end now."""
        past = timezone.now() - timedelta(seconds=1)
        self.model.objects.filter(pk=row.pk).update(due_at=past)
        self.model.objects.filter(pk=row.pk, status="running").update(lease_until=past)


@pytest.fixture
def trial(transactional_db, monkeypatch):
    with isolate_apps("config"):

        class Errand(Row):
            result = models.TextField(blank=True)

            class Meta(Row.Meta):
                app_label = "config"

        with connection.schema_editor() as editor:
            editor.create_model(Errand)
        made = Trial(Errand)
        for module in (claiming, sweeping):
            monkeypatch.setattr(module, "works", lambda: {"trial": made.work})
        yield made
        with connection.schema_editor() as editor:
            editor.delete_model(Errand)


@pytest.fixture
def sent(monkeypatch):
    """The messages that would have gone through the broker."""
    messages = []
    monkeypatch.setattr(waking.do_row, "apply_async", lambda given, queue, **_: messages.append((*given, queue)))
    return messages


def finishing(result):
    def run(taken):
        with taken.finish(result=result):
            pass

    return run


def fresh(row):
    row.refresh_from_db()
    return row
