"""What web processes load: no scipy, which computes reports in workers, no client of models and no reader of PDFs."""

import json
import os
import subprocess
import sys

import pytest

from tests.house import ROOT

FILL = """
import json, sys, django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
from tests.world import ROUTES, build_world
_, address = build_world()
print(json.dumps([address(route) for route in ROUTES]))
"""
VISIT = """
import json, sys, django
django.setup()
import config.wsgi
from django.test import Client
from accounts.models import Person
statuses, paths = {}, json.loads(sys.argv[1])
client = Client()
for name, method, visited in (
    ("owner", client.get, paths),
    ("superuser", client.get, [path for path in paths if path.startswith("/admin/")]),
    ("owner", client.post, [path for path in paths if not path.startswith("/admin/")]),
):
    person = Person.objects.get(username=name)
    client.force_login(person)
    for path in visited:
        if not client.cookies["sessionid"].value:  # one of the addresses signs out
            client.force_login(person)
        status = method(path).status_code
        statuses[status] = statuses.get(status, 0) + 1
print(json.dumps({"statuses": statuses, "modules": [*sys.modules]}))
"""
START = """
import json, sys, django
django.setup()
import config.wsgi
from tests.world import ROUTES
print(json.dumps({"routes": len(ROUTES), "modules": [*sys.modules]}))
"""
UNWANTED = {
    "scipy", "openai", "httpx", "httpx2", "torch", "sentence_transformers", "transformers", "bm25s", "matplotlib",
    "pypdf", "pyarrow", "pandas", "sklearn", "crowdkit", "rouge_score", "faiss",
}  # fmt: skip
"""What takes much memory; workers load it when they need it."""


def run(code, folder, *arguments):
    """What a new process prints that runs `code` on a database of its own."""
    env = {
        **os.environ, "DATABASE_URL": f"sqlite:///{folder}/web.sqlite3", "VAR": str(folder), "ALLOWED_HOSTS": "*",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.thorough
def test_the_views_of_all_addresses_are_loaded_without_what_only_workers_need(tmp_path):
    found = run(START, tmp_path)
    assert found["routes"] > 100
    assert UNWANTED & set(found["modules"]) == set()


@pytest.mark.thorough
def test_no_page_loads_what_only_workers_need(tmp_path):
    found = run(VISIT, tmp_path, json.dumps(run(FILL, tmp_path)))
    assert found["statuses"]["200"] > 100
    assert UNWANTED & set(found["modules"]) == set()


WORK = """
import gc, json, sys
from config import worker
import django
gc.disable()  # as its `main` does
django.setup()
worker.load()
assert gc.isenabled()
print(json.dumps([*sys.modules]))
"""


def test_what_workers_share_has_neither_the_pages_nor_what_only_some_work_needs(tmp_path):
    found = set(run(WORK, tmp_path))
    assert "llm.background.completion_work" in found
    assert (UNWANTED | {"config.urls", "rest_framework", "snowballstemmer"}) & found == set()
