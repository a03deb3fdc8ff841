"""A real site with its workers on a database of its own, and the tokens of two of its people."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.house import ROOT
from tests.load.server import Server, environment, own_database, run

PEOPLE = """
from accounts.models import Person
from annotation.members.tokens import issue_account_token
owner = Person.objects.create_user("owner", is_staff=True)
Person.objects.create_user("ann")
print("TOKEN", issue_account_token(owner, name="client", scope="write", makes_studies=True))
"""
ANNOTATOR = """
import sys
from accounts.models import Person
from annotation.members.membership import add_member
from annotation.members.tokens import issue_token
from annotation.models import Study
study, ann = Study.objects.get(slug="{slug}"), Person.objects.get(username="ann")
add_member(study, ann, "annotator", None)
print("TOKEN", issue_token(study, ann, name="client", scope="annotate"))
"""


@dataclass
class LiveSite:
    """The site's address, the environment of its commands, and the owner's token."""

    address: str
    env: dict[str, str]
    token: str

    def annotator_token(self, slug: str) -> str:
        """Make the person ann an annotator of the study and return a token of theirs."""
        return _token(run(["manage.py", "shell", "--no-imports", "-c", ANNOTATOR.format(slug=slug)], self.env))

    def start(self, program: str, folder: Path, **more: str) -> subprocess.Popen:
        """Start a Python program that uses the client, as its readme has it."""
        env = {**os.environ, "SITE": self.address, "TOKEN": self.token, "PYTHONUNBUFFERED": "1", "no_proxy": "*",
               "PYTHONPATH": str(ROOT / "client_library" / "src"), **more}  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-c", program], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip


def _token(printed: str) -> str:
    [line] = [line for line in printed.splitlines() if line.startswith("TOKEN ")]
    return line.removeprefix("TOKEN ")


def printed_by(process: subprocess.Popen) -> str:
    """What a program printed, once it has ended without an error."""
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out


@contextmanager
def live_site(folder: Path) -> Iterator[LiveSite]:
    """Run a site until the block ends."""
    with own_database(None, folder) as database:
        env = environment(database, folder)
        run(["manage.py", "migrate", "--verbosity=0"], env)
        token = _token(run(["manage.py", "shell", "--no-imports", "-c", PEOPLE], env))
        server = Server(env)
        server.start()
        worker = subprocess.Popen([sys.executable, "-m", "config.worker", "jobs"], cwd=ROOT, env=env)
        try:
            yield LiveSite(server.address, env, token)
        finally:
            worker.terminate()
            worker.wait(30)
            server.end()
