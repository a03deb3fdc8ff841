"""What the image's file would contain runs on a read-only root, keeps all state in its volumes, and is replaced."""

import http.client
import os
import shutil
import time
from contextlib import contextmanager

import pytest

from scripts import compose
from tests.operating.installations import KINDS, installation, skip_without_server
from tests.ops.conftest import free_port
from tests.ops.image_root import USER, Container, build, is_possible

pytestmark = pytest.mark.timeout(900)
LATER = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]
    operations = [migrations.CreateModel("Later", fields=[("id", models.BigAutoField(primary_key=True))])]
"""
PROBES = ("/../../../etc/passwd", "/static/../../../../etc/passwd", "/static/..%2f..%2f..%2f..%2fetc/passwd",
          "/static/%2e%2e/config/settings.py")  # fmt: skip
LONGEST = 180
NOT_HERE = {"POSTGRES_PASSWORD_FILE", "REDIS_PASSWORD_FILE"}
"""Passwords that these containers do not need. No Redis answers them."""


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """The image of this version, and that of a later one with one more migration."""
    if not is_possible():
        pytest.skip("only root can make a container's root here")
    folder = tmp_path_factory.mktemp("images")
    build(folder / "this")
    shutil.copytree(folder / "this", folder / "later")
    (folder / "later/parts/webhooks/migrations/0002_later.py").write_text(LATER)
    return folder / "this", folder / "later"


@pytest.fixture(params=KINDS)
def site(request, images, tmp_path):
    """A function that gives a container of an image; all of them have the same volumes and database."""
    skip_without_server(request.param)
    with installation(request.param, tmp_path / "made") as made:
        volumes = {"/var/lib/interrater": tmp_path / "var", "/backups": tmp_path / "backups"}
        for name in (*volumes.values(), tmp_path / "secrets", tmp_path / "root"):
            name.mkdir()
            os.chown(name, USER, USER)
        for name in ("secret_key", "metrics_token"):
            secret = tmp_path / "secrets" / name
            secret.write_text("a key of containers in tests, " + "long enough " * 3)
            secret.chmod(0o400)
            os.chown(secret, USER, USER)
        database = made.url
        if request.param == "sqlite":
            database = "sqlite:////var/lib/interrater/data.sqlite3"
        (web,) = (one for one in compose.services({"ALLOWED_HOSTS": "127.0.0.1"}) if one.name == "web")
        told = {name: value for name, value in web.environment.items() if value and name not in NOT_HERE}
        told |= {"DATABASE_URL": database, "SSL_REDIRECT": "false", "BROKER_URL": "redis://:none@127.0.0.1:9/0"}
        yield lambda image: Container(image, tmp_path / "root", volumes, tmp_path / "secrets", told)


def words_of(service):
    (found,) = (one for one in compose.services({"ALLOWED_HOSTS": "127.0.0.1"}) if one.name == service)
    return [*found.command]


@contextmanager
def serving(container):
    """The web server of the compose file, in the container; gives a function that asks it for a path."""
    port = free_port()
    process = container.start(*(word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in words_of("web")))

    def ask(path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    latest = time.monotonic() + LONGEST
    try:
        while True:
            try:
                ask("/healthz")
                break
            except OSError:
                assert process.poll() is None, process.stderr.read()
                assert time.monotonic() < latest, "the web server does not answer"
                time.sleep(0.1)
        yield ask
    finally:
        process.terminate()
        process.communicate(timeout=LONGEST)


@pytest.mark.thorough
def test_another_image_has_the_same_data_and_writes_only_to_volumes(site, images):
    this, later = map(site, images)
    assert this.must("id", "-u").strip() == str(USER)
    for place in ("/app/new", "/usr/new", "/etc/new", "/new", "/run/secrets/new"):
        assert this.run("touch", place).returncode != 0, place
    this.must(*words_of("migrate"))
    this.must("python", "manage.py", "import_study", "/app/demo/rating")
    this.must("python", "manage.py", "backup", "/backups/before.zip")
    digest = this.must("python", "manage.py", "canonical_export").split()[0]
    with serving(this) as ask:
        assert ask("/sign-in/")[0] == 200
        for probe in PROBES:
            status, body = ask(probe)
            assert (status in (400, 404), b"root:" in body, b"SECRET_KEY" in body) == (True, False, False), probe
    later.must(*words_of("migrate"))
    assert later.must("python", "manage.py", "canonical_export").split()[0] == digest
    assert "[X] 0002_later" in later.must("python", "manage.py", "showmigrations", "webhooks")
    assert "before-migration" in later.must("ls", "/var/lib/interrater/backups")
    with serving(later) as ask:
        assert ask("/sign-in/")[0] == 200
    refused = this.run("python", "manage.py", "canonical_export")
    assert refused.returncode != 0
    assert "belongs to a later version" in refused.stderr
