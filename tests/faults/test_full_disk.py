"""Drafts, exports and backups while a real, small disk is full: clear answers, no half files, success with space."""

import http.client
import json
import zipfile
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.faults.small_disks import can_mount, filled, small_disk
from tests.load.raters import TOKEN
from tests.load.server import Server, environment, run
from tests.operating.installations import Installation

pytestmark = pytest.mark.timeout(300)
MEGABYTES = 60
MOST_DRAFTS = 2000
"""Fewer fill what the database's log can take without growing."""
ISSUE = """
from accounts.models import Person
from annotation.members.membership import add_member
from annotation.members.tokens import issue_token
from annotation.models import Study
owner = Person.objects.create(username="owner", password="!")
add_member(Study.objects.get(), owner, "owner", None)
print(issue_token(Study.objects.get(), owner, name="reads", scope="read"))
"""
KEPT_EXPORT = """
from annotation.models import Study
from config.background.claiming import process_row
from reports.kept.kept_exports import request_export
row = request_export(Study.objects.get(), "jsonl", None, "test")
process_row("export", row.pk)
row.refresh_from_db()
print(row.status, row.reason)
"""


class FilledSite:
    """An installation with a study: its database is on one small disk, its other files are on another one."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        places = [folder / name for name in ("database", "files")]
        for place in places:
            place.mkdir()
        self.database, self.disk = (stack.enter_context(small_disk(place, MEGABYTES)) for place in places)
        self.temporary = self.disk / "temporary"
        self.temporary.mkdir()
        self.installation = Installation(f"sqlite:///{self.database / 'data.sqlite3'}", self.disk / "var")
        self.installation.var.mkdir()
        self.installation.extra = {"TMPDIR": str(self.temporary), "STATIC_ROOT": str(folder / "static")}
        env = environment(self.installation.url, self.installation.var) | self.installation.environment
        plan = json.loads(run(["-m", "tests.load.prepare", "1", "4", "1"], env))
        self.cookie = f"sessionid={plan['sessions'][0]}; csrftoken={TOKEN}"
        self.token = self.installation.run(ISSUE).strip()
        self.server = Server(env, threads=2, log=folder / "web.log")
        self.server.start()
        stack.callback(self.server.end)

    def ask(self, method, path, headers, body=None):
        """The status, header fields and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, answer.headers, text

    def post(self, path, **fields):
        """Post fields as the script of the first rater's page does."""
        headers = {"Cookie": self.cookie, "X-CSRFToken": TOKEN, "Accept": "application/json"}
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self.ask("POST", path, headers, urlencode(fields))

    def archive(self):
        """Ask the API for an export."""
        return self.ask("GET", "/api/studies/load/export/", {"Authorization": f"Bearer {self.token}"})

    def files(self):
        """All files on the disk of files."""
        return {path.relative_to(self.disk).as_posix() for path in self.disk.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    if not can_mount(folder):
        pytest.skip("only root can mount a small disk")
    with ExitStack() as stack:
        yield FilledSite(folder, stack)


def test_a_draft_is_refused_while_the_disk_is_full_and_saved_afterwards(site):
    _, headers, _ = site.post("/studies/load/next/")
    task = headers["Location"]
    version = 0
    with filled(site.database):
        while version < MOST_DRAFTS:
            text = f"{version} " + "x" * 4000
            status, headers, body = site.post(f"{task}draft/", **{"draft_version": version, "q-comment": text})
            if status != 200:
                break
            version = json.loads(body)["version"]
        assert (status, headers["Retry-After"]) == (507, "60")
        assert "disk is full" in json.loads(body)["error"]
        shown = site.ask("GET", task, {"Cookie": site.cookie, "Accept": "text/html"})
        assert shown[0] in (200, 507)
    status, _, body = site.post(f"{task}draft/", **{"draft_version": version, "q-comment": text})
    assert (status, json.loads(body)["version"]) == (200, version + 1)
    shown = site.ask("GET", task, {"Cookie": site.cookie, "Accept": "text/html"})
    assert shown[0] == 200
    assert text.encode() in shown[2]


def test_an_export_or_a_backup_fails_clearly_while_the_disk_is_full_and_works_afterwards(site):
    out, backup = site.disk / "out", site.disk / "backup.zip"
    before = site.files()
    with filled(site.disk):
        assert "No space left on device" in site.installation.refused("export_study", "load", "--out", out)
        assert "is full, so no backup was made" in site.installation.refused("backup", backup)
        kept = site.installation.run(KEPT_EXPORT)
        assert kept.startswith("failed ")
        assert "No space left on device" in kept
        status, _, body = site.archive()
        assert (status, "disk may be full" in json.loads(body)["detail"]) == (503, True)
        assert site.files() - before == {"filler"}
    site.installation.must("export_study", "load", "--out", out)
    site.installation.must("backup", backup)
    assert site.installation.run(KEPT_EXPORT).split() == ["done"]
    status, _, body = site.archive()
    assert status == 200
    (site.disk / "archive.zip").write_bytes(body)
    made = site.files() - before
    assert {"out/manifest.json", "backup.zip", "archive.zip", "var/last_backup.json"} <= made
    for name in made:
        if name.endswith(".zip"):
            with zipfile.ZipFile(site.disk / name) as archive:
                assert archive.testzip() is None
