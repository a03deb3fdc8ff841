"""`make env`: new secrets once, in files that only their owner and the containers' users can read."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import secrets_file
from tests.ops.conftest import ROOT, clean_environment

NAMES = {name.lower() for name in secrets_file.NEW}


@pytest.fixture
def make_env(tmp_path):
    """A function that runs the command in a checkout of its own."""
    (tmp_path / "scripts").mkdir()
    for name in ("secrets_file.py", "stop_errors.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")

    def run() -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "scripts.secrets_file"], cwd=tmp_path, env=clean_environment(), text=True,
            capture_output=True, check=False,
        )  # fmt: skip

    return run


def secrets_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "secrets").iterdir()}


def test_new_secrets_are_written_once(make_env, tmp_path):
    done = make_env()
    assert done.returncode == 0, done.stderr
    written = secrets_in(tmp_path)
    assert set(written) == NAMES
    assert len(set(written.values())) == len(NAMES)
    assert all(len(text) >= 41 and text.count("\n") == 1 for text in written.values())
    assert not any(text.strip() in done.stdout for text in written.values())
    settings = (tmp_path / ".env").read_text()
    assert settings.splitlines()[-1] == "ALLOWED_HOSTS=localhost"
    assert stat.S_IMODE((tmp_path / ".env").stat().st_mode) == 0o600
    again = make_env()
    assert again.returncode == 1
    assert "exist already" in again.stderr
    assert secrets_in(tmp_path) == written
    assert (tmp_path / ".env").read_text() == settings


def test_nobody_else_can_read_a_secret(make_env, tmp_path):
    make_env()
    assert stat.S_IMODE((tmp_path / "secrets").stat().st_mode) == 0o700
    for path in (tmp_path / "secrets").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o037 == 0


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root to become other users")
@pytest.mark.parametrize(("user", "reads"), [(999, True), (10001, True), (10002, False)])
def test_the_users_of_the_containers_can_read_a_mounted_secret(tmp_path, user, reads):
    path = tmp_path / "secret"
    secrets_file.write_new(path, "hidden")
    if not secrets_file.let_containers_read(path):
        pytest.skip("this disk has no access control lists")
    command = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups", "cat"]
    for folder in (tmp_path, *tmp_path.parents):  # Docker mounts the file itself, whatever its folders allow
        if folder.stat().st_mode & 0o001 == 0:
            folder.chmod(folder.stat().st_mode | 0o001)
    done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=False)
    assert (done.stdout == "hidden\n") is reads


def test_secrets_of_an_earlier_version_are_kept(make_env, tmp_path):
    old = "SECRET_KEY=old-key\nPOSTGRES_PASSWORD='old-word'\n# REDIS_PASSWORD=no\nALLOWED_HOSTS=rate.example.org\n"
    (tmp_path / ".env").write_text(old)
    done = make_env()
    written = secrets_in(tmp_path)
    assert (written["secret_key"], written["postgres_password"]) == ("old-key\n", "old-word\n")
    assert len(written["redis_password"]) > 40
    assert "Delete these lines there: POSTGRES_PASSWORD, SECRET_KEY" in done.stdout
    assert (tmp_path / ".env").read_text() == old
