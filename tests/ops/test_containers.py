"""The compose file and the image's file, read without Docker."""

import re
import subprocess
import sys
from fnmatch import fnmatch
from urllib.parse import urlsplit

import pytest

from config.health_check import ANSWER_TIME, READY_TIME
from scripts import compose, secrets_file
from scripts.stop_errors import StopError
from tests.ops.conftest import ROOT, clean_environment

SECRETS = {"secret_key", "postgres_password", "redis_password", "metrics_token"}
VALUES = {"ALLOWED_HOSTS": "rate.example.org"}
SERVICES = compose.read()["services"]
APP = ("migrate", "web", "workers", "backup")
TEXT = compose.FILE.read_text(encoding="utf-8")
KEYS = {
    "image", "build", "command", "environment", "env_file", "ports", "volumes", "tmpfs", "networks", "depends_on",
    "healthcheck", "user", "read_only", "cap_drop", "security_opt", "restart", "init", "stop_grace_period", "shm_size",
    "logging", "configs", "secrets",
}  # fmt: skip


def image_lines() -> list[tuple[str, str]]:
    """The instructions of the image's file, continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_compose_file_uses_only_keys_that_the_tests_know():
    parts = {"name", "services", "configs", "secrets", "volumes", "networks"}
    assert set(compose.read()) - {"x-hardened", "x-app"} == parts
    assert set(SERVICES) == {"postgres", "redis", "proxy", *APP}
    assert {name: set(service) - KEYS for name, service in SERVICES.items() if set(service) - KEYS} == {}
    assert [service.name for service in compose.services(VALUES)][:3] == ["postgres", "redis", "migrate"]


def test_the_names_of_the_hosts_have_no_default():
    with pytest.raises(StopError, match="ALLOWED_HOSTS is not set"):
        compose.services({})


def test_every_secret_is_a_file_that_make_env_writes():
    assert compose.read()["secrets"] == {name: {"file": f"./secrets/{name}"} for name in SECRETS}
    assert {name.lower() for name in secrets_file.NEW} == SECRETS
    for service in compose.services(VALUES):
        asked = {value for name, value in service.environment.items() if name.endswith("_FILE")}
        asked |= set(re.findall(r"/run/secrets/\w+", " ".join((*service.command, *service.health))))
        assert asked == set(service.secrets), service.name
        assert not {name for name in service.environment if re.fullmatch(r".*(PASSWORD|KEY|TOKEN)", name)}
        addresses = [value for name, value in service.environment.items() if name.endswith("_URL")]
        assert not any(urlsplit(address).password for address in addresses)


def test_only_the_proxy_publishes_a_port_and_only_to_this_machine():
    assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {
        "proxy": ["127.0.0.1:${PORT:-8000}:8080"]
    }
    assert compose.read()["networks"]["inside"] == {"internal": True}
    assert SERVICES["postgres"]["networks"] == SERVICES["redis"]["networks"] == ["inside"]


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_runs_as_root_or_writes_to_its_image(name):
    service = SERVICES[name]
    user, group = service["user"].split(":")
    assert int(user) > 0
    assert int(group) > 0
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"} & set(service)


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_health_check_and_restarts(name):
    if name == "migrate":
        assert SERVICES[name]["restart"] == "no"
        assert SERVICES["web"]["depends_on"][name] == {"condition": "service_completed_successfully"}
        return
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert compose.health_command(SERVICES[name])
    assert {"interval", "timeout", "retries"} <= set(SERVICES[name]["healthcheck"])


def test_updates_wait_a_minute_at_most_for_the_first_health_checks():
    """Engines before Docker 25 make the first check after one interval, and the proxy waits for that of the web."""
    longest = {name: one["healthcheck"]["interval"] for name, one in SERVICES.items() if name != "migrate"}
    assert all(re.fullmatch(r"\d+s", interval) for interval in longest.values())
    seconds = {name: int(interval.removesuffix("s")) for name, interval in longest.items()}
    assert max(seconds.values()) <= 60
    assert seconds["web"] <= 10


@pytest.mark.parametrize(("name", "check"), [("web", READY_TIME + ANSWER_TIME), ("workers", 1)])
def test_a_process_that_hangs_is_ended_after_about_five_minutes(name, check):
    """The next check begins an interval after the one before has ended."""
    interval = int(SERVICES[name]["healthcheck"]["interval"].removesuffix("s"))
    assert 280 <= int(compose.health_command(SERVICES[name])[-1]) * (interval + check) <= 320


def test_all_state_is_in_named_volumes():
    declared = set(compose.read()["volumes"])
    volumes = [compose.fill(volume, {}) for service in SERVICES.values() for volume in service.get("volumes", [])]
    assert {volume.split(":")[0] for volume in volumes} == declared == {"postgres", "redis", "var", "backups"}
    for service in compose.services(VALUES):
        if service.name in APP:
            assert service.environment["VAR"] in service.mounts
    assert SERVICES["postgres"]["environment"]["PGDATA"] in SERVICES["postgres"]["volumes"][0]
    assert "--appendonly yes --dir /data" in SERVICES["redis"]["command"][-1]


def test_the_folder_of_backups_belongs_to_the_user_who_writes_them():
    (made,) = (rest for word, rest in image_lines() if word == "RUN" and "install -d" in rest)
    assert "/backups" in made
    assert "/backups" in next(one for one in compose.services(VALUES) if one.name == "backup").mounts


def test_images_have_full_versions_and_digests():
    names = [service["image"] for service in SERVICES.values()]
    names += [rest for word, rest in image_lines() if word == "FROM"]
    ours = {service["image"] for service in SERVICES.values() if "build" in service}
    assert [re.fullmatch(r"interrater:\d+\.\d+\.\d+", name) is not None for name in ours] == [True]
    others = [name for name in names if name not in ours]
    assert len(others) == 4
    assert all(re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?-[a-z-]+@sha256:[0-9a-f]{64}", name) for name in others)


def test_all_recipes_name_the_same_images():
    databases = ROOT / "deploy" / "kubernetes" / "databases"
    named = {found for file in databases.glob("*.yaml") for found in re.findall(r"image: (\S+)", file.read_text())}
    assert named == {SERVICES[name]["image"] for name in ("postgres", "redis")}


def test_every_variable_of_the_compose_file_is_documented():
    asked = {found["name"] for found in compose.VALUE.finditer(TEXT) if found["name"]}
    given = {name for service in SERVICES.values() for name in service.get("environment", {})}
    known = (ROOT / ".env.example").read_text(encoding="utf-8")
    of_images = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_INITDB_ARGS", "PGDATA", "HF_HUB_OFFLINE"}
    missing = {name for name in (asked | given) - of_images if not re.search(rf"^#{name}=", known, re.MULTILINE)}
    assert missing == set()


def test_every_setting_of_the_documents_reaches_the_containers():
    """A setting that operators write into `.env` must not be ignored, unless containers have no use for it."""
    text = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    table = text.partition("\n## Settings\n")[2].partition("\n### ")[0]
    settings = {name for line in table.splitlines() for name in re.findall(r"`([A-Z_]+)`", line.partition(" | ")[0])}
    assert len(settings) > 40
    given = {name.removesuffix("_FILE") for name in SERVICES["web"]["environment"]} | {"PORT"}
    in_keys = {"EMAIL_URL", "OIDC_CLIENT_SECRET", "SECRET_KEY_FALLBACKS"}
    not_there = {"STATIC_ROOT", "ENDPOINTS_FILE", "SQLITE_SYNCHRONOUS", "DEBUG", "DEMO", "SECRET_KEY_FILE"}
    assert settings - given - in_keys == not_there


def test_empty_settings_are_those_that_are_not_set(tmp_path):
    names = re.findall(r'^    ([A-Z_]+): "\$\{\1:-\}"$', TEXT, re.MULTILINE)
    assert "UPLOAD_ROWS" in names
    shown = "from config import settings as s; print({k: v for k, v in vars(s).items() if k.isupper()})"
    told = [
        subprocess.run(
            [sys.executable, "-c", shown], cwd=ROOT, text=True, capture_output=True, check=True,
            env=clean_environment(SECRET_KEY="k" * 50, VAR=str(tmp_path), PYTHONHASHSEED="0", **given),
        ).stdout for given in ({}, dict.fromkeys(names, ""))
    ]  # fmt: skip
    assert told[0] == told[1]
    assert "UPLOAD_ROWS" in told[0]


def test_values_are_filled_in_as_compose_does():
    values = {"A": "one", "B": ""}
    assert compose.fill("${A} ${B:-two} ${C:-} $${A} ${A:?no}", values) == "one two  ${A} one"
    assert compose.fill("x${A:+three}${B:+four}", values) == "xthree"
    with pytest.raises(StopError, match=r"^B must be set\.$"):
        compose.fill("x${B:?must be set}", values)


def test_the_image_does_not_run_as_root_and_contains_no_secret():
    lines = image_lines()
    assert [rest for word, rest in lines if word == "USER"] == [SERVICES["web"]["user"]]
    last_root = max(number for number, (word, _) in enumerate(lines) if word in ("RUN", "COPY"))
    assert last_root < [word for word, _ in lines].index("USER")
    kept = " ".join(rest for word, rest in lines if word in ("ENV", "ARG"))
    assert not re.search("PASSWORD|SECRET|KEY|TOKEN", kept)
    assert all("--require-hashes" in part for part in re.findall(r"pip install [^&;]*-r \S+", str(lines)))
    assert all("--require-hashes" in part for part in re.findall(r"pip install [^&;]*", str(lines)))
    assert not any(word == "ADD" for word, _ in lines)


def test_with_the_setting_the_image_has_the_package_that_reports_errors():
    args = SERVICES["web"]["build"]["args"]
    assert compose.fill(args["SENTRY"], {"SENTRY_DSN": "https://key@errors.example.org/1"}) == "1"
    assert compose.fill(args["SENTRY"], {}) == ""
    lines = image_lines()
    (installs,) = (rest for word, rest in lines if word == "RUN" and "requirements/sentry.txt" in rest)
    assert installs.startswith('if [ "$SENTRY" = 1 ]; then')
    assert lines.index(("ARG", "SENTRY=")) < lines.index(("RUN", installs)) < lines.index(("USER", "10001:10001"))
    locked = (ROOT / "requirements" / "sentry.txt").read_text(encoding="utf-8")
    assert re.search(r"^sentry-sdk==2\.\d+\.\d+ \\\n    --hash=sha256:", locked, re.MULTILINE)


def test_image_and_compose_file_start_the_web_server_alike():
    (given,) = (rest for word, rest in image_lines() if word == "CMD")
    words = [word.strip(' "') for word in given.strip("[]").split(",")]
    started = SERVICES["web"]["command"]
    assert [word for word in words if word not in started] == []
    assert words[:6] == started[:6]


def test_the_image_contains_only_what_it_runs():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    kept = {rule[1:] for rule in rules if rule.startswith("!")}
    assert not any(
        fnmatch(name, rule) for name in (".env", "keys.env", "var", ".git", ".venv", "tests") for rule in kept
    )
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "k" * 50}
    named = subprocess.run(
        [sys.executable, "-c", "from django.conf import settings as s; print(*s.INSTALLED_APPS)"],
        cwd=ROOT, text=True, capture_output=True, check=True, env=clean_environment(**settings),
    )  # fmt: skip
    ours = {top for name in named.stdout.split() if (ROOT / (top := name.partition(".")[0])).is_dir()}
    assert ours | {"templates", "static", "locale", "requirements", "manage.py"} <= kept
