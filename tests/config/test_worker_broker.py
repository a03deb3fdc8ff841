"""A worker uses the broker of the settings, which may have its password from a file."""

import os
import subprocess
import sys

import pytest

from config import worker
from tests.house import ROOT

SERVE = """
import os
from celery import bootsteps
import django
django.setup()
os.environ["BROKER_URL"] = "redis://without-a-password:6379/0"  # after the settings, as if they read it from a file
from config import worker

def show(self, started):
    with started.app.connection_for_read() as connection:
        queues = [*started.app.amqp.queues.consume_from]
        print(connection.as_uri().partition(":")[0], connection.hostname, started.pool_cls.__module__, queues)

bootsteps.Blueprint.start = show
worker.end_after_signal = lambda seconds: None
raise SystemExit(worker.serve("calls"))
"""


def test_celery_does_not_read_the_address_of_the_broker_itself(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SERVE], cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True,
        timeout=60, env={**os.environ, "VAR": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout == "files localhost celery.concurrency.thread ['calls']\n"


@pytest.mark.parametrize("queues", [[], ["call"], ["calls", "calls"]])
def test_only_known_queues_are_served(queues, capsys):
    assert worker.main(queues) == 2
    assert capsys.readouterr().err == "Name the workers: python -m config.worker calls jobs\n"
