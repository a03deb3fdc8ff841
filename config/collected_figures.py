"""Collects figures for monitoring: the sums of what all processes have counted, and what the database knows anyway.

Apps add figures of their own.
"""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Count, Min
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from config.background.kinds import QUEUES, works
from config.background.rows import WAITING
from config.background.workers import ALIVE
from config.database_clock import database_now
from config.models import Worker
from config.monitored_figures import MonitoredFigure
from config.parts import parts
from config.process_counts import counts_folder
from config.readiness import DEGRADED, DOWN, OK, states

KEPT = timedelta(days=7)
"""After so long the counts of a process that has ended are dropped."""

STATES = (OK, DEGRADED, DOWN)
"""The states of a part of the site, as numbers from 0."""


def collected_figures() -> bytes:
    """Return all figures as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(AllProcesses())
    return generate_latest(registry)


def _family(figure: MonitoredFigure) -> GaugeMetricFamily:
    found = GaugeMetricFamily(figure.name, figure.about, labels=[figure.label] if figure.label else [])
    for value, number in figure.values.items():
        found.add_metric([value] if figure.label else [], number)
    return found


class AllProcesses:
    """Collects what the processes of all hosts with this VAR have counted, and what the database knows."""

    def collect(self) -> Iterator[Any]:
        _forget_old_files()
        yield from MultiProcessCollector.merge([str(file) for file in counts_folder().glob("*/*.db")])
        found = {name: float(STATES.index(state)) for name, state in states().items()}
        yield _family(MonitoredFigure("interrater_part_state", "Parts: 0 ok, 1 degraded, 2 down", "part", found))
        if found["database"]:
            return
        yield from _of_database()
        for part in parts():
            yield from map(_family, part.figures())


def _of_database() -> Iterator[Any]:
    rows = GaugeMetricFamily("interrater_queue_rows", "Rows of background work that wait or run", labels=["kind"])
    age = GaugeMetricFamily("interrater_queue_age_seconds", "How long the oldest row has been due", labels=["queue"])
    ages = dict.fromkeys(QUEUES, 0.0)
    now = database_now()
    for key, work in works().items():
        waiting = work.model._default_manager.filter(status__in=WAITING)
        found = waiting.aggregate(number=Count("pk"), due=Min("due_at"))
        rows.add_metric([key], found["number"])
        if found["due"] is not None:
            ages[work.queue] = max(ages[work.queue], (now - found["due"]).total_seconds())
    for queue, seconds in ages.items():
        age.add_metric([queue], seconds)
    yield rows
    yield age
    alive = Worker.objects.filter(seen_at__gte=now - ALIVE).count()
    yield GaugeMetricFamily("interrater_workers", "Workers that sent a heartbeat in the last seconds", value=alive)


def _forget_old_files() -> None:
    oldest = time.time() - KEPT.total_seconds()
    for file in counts_folder().glob("*/*.db"):
        try:
            if file.stat().st_mtime < oldest:
                file.unlink()
        except FileNotFoundError:  # another request was faster
            continue
