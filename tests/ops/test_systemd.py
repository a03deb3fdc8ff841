"""The units of deploy/systemd: the commands of compose, hardened, and accepted by systemd."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import compose
from tests.ops.conftest import ROOT

FOLDER = ROOT / "deploy" / "systemd"
PYTHON = "/opt/interrater/.venv/bin/python"
SERVICES = sorted(FOLDER.glob("*.service"))
RUNNING = ("web", "workers")
HARDENED = {
    "NoNewPrivileges": "true", "ProtectSystem": "strict", "ProtectHome": "true", "PrivateTmp": "true",
    "PrivateDevices": "true", "ProtectKernelTunables": "true", "ProtectKernelModules": "true",
    "RestrictSUIDSGID": "true", "RestrictNamespaces": "true", "LockPersonality": "true",
    "SystemCallFilter": "@system-service", "CapabilityBoundingSet": "", "User": "interrater", "UMask": "0077",
}  # fmt: skip


def keys(path: Path) -> dict[str, list[str]]:
    """The values of each key of a unit."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


def settings_of(path: Path) -> dict[str, str]:
    return dict(pair.split("=", 1) for line in keys(path)["Environment"] for pair in line.split())


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_every_service_is_hardened(path):
    found = keys(path)
    assert {name: found.get(name) for name in HARDENED} == {name: [value] for name, value in HARDENED.items()}


@pytest.mark.parametrize("unit", RUNNING)
def test_services_run_the_commands_of_compose_and_start_again(unit):
    described = {service.name: service for service in compose.services({"ALLOWED_HOSTS": "rate.example.org"})}
    path = FOLDER / f"interrater-{unit}.service"
    (line,) = keys(path)["ExecStart"]
    program, *words = shlex.split(line)
    assert program == PYTHON
    expected = [word.replace("0.0.0.0", "127.0.0.1") for word in described[unit].command]
    assert ["python", *words] == expected
    assert keys(path)["Restart"] == ["always"]
    assert "interrater-migrate.service" in keys(path)["Requires"]
    assert int(keys(path)["TimeoutStopSec"][0]) >= 15


def test_only_the_parent_of_the_workers_is_asked_to_end():
    assert keys(FOLDER / "interrater-workers.service")["KillMode"] == ["mixed"]


def test_migration_and_backup_run_the_commands_of_compose():
    described = {service.name: service for service in compose.services({"ALLOWED_HOSTS": "rate.example.org"})}
    first, *_ = keys(FOLDER / "interrater-migrate.service")["ExecStart"]
    assert first == shlex.join([PYTHON, *described["migrate"].command[1:]])
    (backup,) = keys(FOLDER / "interrater-backup.service")["ExecStart"]
    assert shlex.split(backup)[1:3] == list(described["backup"].command[1:3])
    assert shlex.split(backup)[3] in keys(FOLDER / "interrater-backup.service")["ReadWritePaths"]


@pytest.mark.parametrize("path", SERVICES, ids=lambda path: path.name)
def test_secrets_are_credentials_and_the_settings_are_those_of_compose(path):
    loaded = {value.split(":")[0] for value in keys(path)["LoadCredential"]}
    assert loaded == set(compose.read()["secrets"])
    told = settings_of(path)
    web = next(one for one in compose.services({"ALLOWED_HOSTS": "x"}) if one.name == "web").environment
    assert {name for name in web if name.endswith("_FILE")} == {name for name in told if name.endswith("_FILE")}
    for name, value in told.items():
        if name.endswith("_FILE"):
            assert value == web[name].replace("/run/secrets/", "%d/")
    assert told["PROFILE"] == "production"


def test_the_check_ends_the_process_of_its_own_service():
    (line,) = keys(FOLDER / "interrater-health@.service")["ExecStart"]
    assert re.search(r"config\.health_check %i --alive --after 10 --end .*MainPID --value interrater-%i\.service", line)
    assert settings_of(FOLDER / "interrater-health@.service")["TMPDIR"] == "/run/interrater-health"


def test_the_target_starts_everything():
    wanted = {name for line in keys(FOLDER / "interrater.target")["Wants"] for name in line.split()}
    assert {f"interrater-{unit}.service" for unit in RUNNING} < wanted
    assert {f"interrater-health@{unit}.timer" for unit in RUNNING} < wanted
    assert "interrater-backup.timer" in wanted
    for name in wanted:
        assert (FOLDER / re.sub(r"@\w+", "@", name)).exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing")
def test_systemd_accepts_the_units(tmp_path):
    for path in FOLDER.glob("interrater*"):
        text = path.read_text(encoding="utf-8").replace(PYTHON, sys.executable).replace("/opt/interrater", str(ROOT))
        for name in [path.name] if "@" not in path.name else [path.name.replace("@", f"@{unit}") for unit in RUNNING]:
            (tmp_path / name).write_text(text, encoding="utf-8")
    units = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, timeout=60, check=False
    )
    ours = [line for line in done.stderr.splitlines() if "interrater" in line]
    assert (done.returncode, ours) == (0, [])


@pytest.fixture
def manage(tmp_path):
    """A function that runs manage.sh with programs in place of systemd's; returns what systemd-run was given."""
    (tmp_path / "systemctl").write_text(f'#!/bin/sh\n[ "$1" = cat ] && echo "# $2" && cat "{FOLDER}/$2"\n')
    (tmp_path / "systemd-run").write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {tmp_path}/given\n")
    for name in ("systemctl", "systemd-run"):
        (tmp_path / name).chmod(0o755)

    def start(*words: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [str(FOLDER / "manage.sh"), *words], capture_output=True, text=True, check=False, timeout=60,
            stdin=subprocess.DEVNULL, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        )  # fmt: skip
        given = tmp_path / "given"
        return done.returncode, given.read_text(encoding="utf-8").splitlines() if given.exists() else []

    return start


def test_a_command_runs_with_user_settings_secrets_and_limits_of_the_units(manage):
    code, given = manage("restore", "/var/backups/interrater/a file.zip", "--verbosity", "2")
    assert code == 0
    assert given[-6:] == [PYTHON, "manage.py", "restore", "/var/backups/interrater/a file.zip", "--verbosity", "2"]
    unit = given[given.index("--unit") + 1]
    lines = [
        line.replace("%d", f"/run/credentials/{unit}")
        for line in (FOLDER / "interrater-backup.service").read_text().split("[Service]\n")[1].splitlines()
        if not re.match(r"#|ExecStart=|Type=|TimeoutStartSec=", line)
    ]
    assert [one.removeprefix("--property=") for one in given if one.startswith("--property=")] == lines
    assert f"Environment=SECRET_KEY_FILE=/run/credentials/{unit}/secret_key" in "\n".join(lines)
    assert {"User=interrater", "EnvironmentFile=/etc/interrater/settings.env", "ProtectSystem=strict"} < {*lines}
    assert {"--wait", "--pipe"} < {*given}  # its exit code and output are those of the command


@pytest.mark.parametrize("words", [(), ("erase_study", "$HOME")])
def test_a_command_that_systemd_would_change_is_not_run(manage, words):
    code, given = manage(*words)
    assert code != 0
    assert given == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing")
def test_systemd_accepts_the_properties_of_a_command(manage, tmp_path):
    _, given = manage("checkdata")
    lines = [one.removeprefix("--property=") for one in given if one.startswith("--property=")]
    unit = tmp_path / "interrater-command-1.service"
    unit.write_text("\n".join(["[Service]", *lines, f"ExecStart={sys.executable} -V"]).replace("/opt/interrater", "/"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "interrater" in line]) == (0, [])


def test_secrets_in_the_folder_of_root_are_credentials():
    """A service cannot read /etc/interrater/secrets by itself, so no document may name another file there."""
    loaded = {value.split(":")[0] for value in keys(SERVICES[0])["LoadCredential"]}
    for name in ("docs/operating.md", ".env.example"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"_FILE=/etc/interrater/secrets/(\w+)", text)) <= loaded, name
