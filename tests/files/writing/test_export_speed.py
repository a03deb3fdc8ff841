"""What makes exports fast: one set of queries for any number of rows, and a command that loads only what it needs."""

import os
import subprocess
import sys

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from files.reading import import_study
from files.writing import export_study
from files.writing.table_statements import NEXT_ITEMS, OUTPUTS, by_whole_items, streamed
from tests.files.writing.conftest import item, objects_of, write_study
from tests.house import ROOT

pytestmark = pytest.mark.both
HEAVY = ("matplotlib", "numpy", "openai", "pandas", "pyarrow", "scipy", "sklearn", "torch")
"""Not among them: pydantic, celery and the readers of files, which the parts load that every export asks."""
LOADED = """
import sys, django
django.setup()
from django.core.management import load_command_class
from annotation.models import Study
from annotation.protocols import protocol_of
from annotation.questions import question_types
load_command_class("reports", "export_study")
protocol_of(Study(protocol="rating")), question_types()
print("loaded", *sorted(set(sys.modules) & set({heavy!r})))
"""


def rated(folder, count):
    keys = [f"item-{number}" for number in range(count)]
    answers = [
        {"item": key, "output": "north", "rater": rater, "question": "how_well", "value": 3}
        for key in keys for rater in ("r1", "r2")
    ]  # fmt: skip
    annotations = [
        {"item": key, "outputs": ["north"], "rater": "r3", "revision": 1, "status": "submitted",
         "answers": {"follows": True, "how_well": 2}, "submitted_at": "2026-03-01T12:00:00Z"}
        for key in keys
    ]  # fmt: skip
    return import_study(write_study(folder, [item(key) for key in keys], answers, annotations=annotations)).study


@pytest.mark.django_db
def test_the_number_of_queries_does_not_grow_with_the_study(tmp_path):
    counts = []
    for count, name in ((2, "few"), (40, "many")):
        study = rated(tmp_path / name, count)
        with CaptureQueriesContext(connection) as captured:
            export_study(study, tmp_path / f"out-{name}")
        assert len(objects_of(tmp_path / f"out-{name}" / "ratings.jsonl")) == count * 4
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 110


@pytest.mark.django_db
def test_lists_of_items_are_read_along_an_index_before_a_database_has_statistics(tmp_path):
    study = rated(tmp_path / "in", 30)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # what makes sorting look cheaper, as in a large table without statistics
            cursor.execute("SET LOCAL random_page_cost = 10000")
    plans = []

    def explained(execute, sql, params, many, context):
        if sql == NEXT_ITEMS:
            kind = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
            execute(kind + sql, params, many, context)
            plans.append(str(context["cursor"].fetchall()))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explained):
        for _ in streamed(OUTPUTS, study.pk):
            pass
    assert len(plans) == 2
    assert all("sort" not in plan.lower() and "TEMP B-TREE" not in plan for plan in plans)


def test_lists_are_cut_between_items():
    lists = [[(1, "a"), (1, "b")], [(1, "c"), (2, "d"), (3, "e")], [(3, "f")]]
    assert list(by_whole_items(iter(lists))) == [[(1, "a"), (1, "b"), (1, "c"), (2, "d")], [(3, "e"), (3, "f")]]


@pytest.mark.thorough
def test_the_command_loads_only_what_it_needs():
    environment = {**os.environ, "DATABASE_URL": "sqlite://", "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-c", LOADED.format(heavy=HEAVY)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["loaded"], done.stderr
