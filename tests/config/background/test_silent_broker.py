"""A broker that accepts connections and never answers delays nobody: rows stay queued, and the sender goes on."""

import os
import socket
import subprocess
import sys

from tests.house import ROOT

SEND = """
import django
django.setup()
from kombu.exceptions import OperationalError
from config.background.waking import do_row
try:
    do_row.apply_async(("trial", 1), queue="calls")
except OperationalError:
    print("given up")
"""


def test_a_broker_that_never_answers_is_given_up(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.listen(16)
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        done = subprocess.run(
            [sys.executable, "-c", SEND], cwd=ROOT, env={**os.environ, "VAR": str(tmp_path), "BROKER_URL": address},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.stdout == "given up\n", done.stderr
