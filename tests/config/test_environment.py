"""Check 76: a start that would be unsafe is refused with the mend in the message."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import Env

from config.environment import (
    read_boolean,
    read_broker,
    read_database,
    read_level,
    read_profile,
    read_secret_key,
    refuse_unsafe_production,
)

ROOT = Path(__file__).resolve().parents[2]
GOOD_KEY = "kZ3" * 20
REDIS = "redis://:hidden@127.0.0.1:6379/0"


def start(tmp_path, **environment) -> subprocess.CompletedProcess:
    """Load the settings in a process of its own, with nothing set but `environment`."""
    return subprocess.run(
        [sys.executable, "-c", "import config.settings as s; print(s.SECRET_KEY, s.DEBUG, s.SESSION_COOKIE_SECURE)"],
        cwd=ROOT, env={"PATH": os.environ["PATH"], "VAR": str(tmp_path / "var"), **environment},
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "named", "mend"),
    [
        ({"SECRET_KEY": None}, "SECRET_KEY", "secrets.token_urlsafe"),
        ({"SECRET_KEY": ""}, "SECRET_KEY", "secrets.token_urlsafe"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY", "secrets.token_urlsafe"),
        ({"SECRET_KEY": "django-insecure-" + GOOD_KEY}, "SECRET_KEY", "secrets.token_urlsafe"),
        ({"SECRET_KEY": "ChangeMe" * 10}, "SECRET_KEY", "secrets.token_urlsafe"),
        ({"DEBUG": "true"}, "DEBUG", "DEBUG=false"),
        ({"DEBUG": "1"}, "DEBUG", "DEBUG=false"),
        ({"DEBUG": "Flase"}, "DEBUG", "true or false"),
        ({"ALLOWED_HOSTS": None}, "ALLOWED_HOSTS", "ALLOWED_HOSTS="),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS", "ALLOWED_HOSTS="),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS", "without wildcards"),
        ({"ALLOWED_HOSTS": "rate.example.org,*.example.org"}, "ALLOWED_HOSTS", "without wildcards"),
        ({"ALLOWED_HOSTS": ".example.org"}, "ALLOWED_HOSTS", "without wildcards"),
        ({"BROKER_URL": None}, "BROKER_URL", "redis://:password@host:6379/0"),
        ({"BROKER_URL": " "}, "BROKER_URL", "redis://:password@host:6379/0"),
        ({"BROKER_URL": "files://x"}, "BROKER_URL", "redis://:password@host:6379/0"),
        ({"PROFILE": "Production"}, "PROFILE", "embedded, production"),
    ],
)
def test_check_76_production_does_not_start_unsafe(tmp_path, changed, named, mend):
    good = {"PROFILE": "production", "SECRET_KEY": GOOD_KEY, "ALLOWED_HOSTS": "rate.example.org", "BROKER_URL": REDIS}
    environment = {name: value for name, value in {**good, **changed}.items() if value is not None}
    done = start(tmp_path, **environment)
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert named in last
    assert mend in done.stderr
    assert GOOD_KEY not in done.stderr


def test_check_76_production_starts_with_what_it_needs(tmp_path):
    done = start(
        tmp_path, PROFILE="production", SECRET_KEY=GOOD_KEY, ALLOWED_HOSTS="rate.example.org", DEBUG="False",
        BROKER_URL=REDIS,
    )  # fmt: skip
    assert done.stdout.split() == [GOOD_KEY, "False", "True"], done.stderr
    assert not (tmp_path / "var" / "secret_key").exists()


def test_check_76_embedded_draws_its_own_key_once_and_keeps_it_private(tmp_path):
    first, second = start(tmp_path), start(tmp_path)
    other = start(tmp_path / "elsewhere")
    key = first.stdout.split()[0]
    assert len(key) >= 60
    assert second.stdout.split()[0] == key
    assert other.stdout.split()[0] != key
    file = tmp_path / "var" / "secret_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_check_76_a_damaged_key_is_not_used(tmp_path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").write_text("")
    done = start(tmp_path)
    assert done.returncode != 0
    assert "secret_key is damaged" in done.stderr


@pytest.mark.django_db
def test_check_76_sessions_go_on_while_the_key_is_changed(client, rater, settings):
    client.force_login(rater)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert client.get("/password/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/password/").status_code == 200


@pytest.mark.django_db
def test_check_76_sessions_of_a_key_that_is_given_up_end(client, rater, settings):
    client.force_login(rater)
    settings.SECRET_KEY = "another " * 8
    assert client.get("/password/").status_code == 302


@pytest.mark.parametrize(
    ("text", "value"), [("False", False), ("false", False), ("0", False), ("no", False), ("True", True), ("1", True)]
)
def test_check_76_booleans_are_read_as_what_they_say(monkeypatch, text, value):
    monkeypatch.setenv("SWITCH", text)
    assert read_boolean(Env(), "SWITCH", not value) is value


def test_check_76_what_is_no_boolean_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("SWITCH", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="SWITCH must be true or false"):
        read_boolean(Env(), "SWITCH", False)


def test_an_unknown_profile_is_refused(monkeypatch):
    monkeypatch.setenv("PROFILE", "prod")
    with pytest.raises(ImproperlyConfigured, match="'prod'"):
        read_profile(Env())


def test_a_given_key_is_not_written_down(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", GOOD_KEY)
    assert read_secret_key(Env(), "embedded", tmp_path) == GOOD_KEY
    assert list(tmp_path.iterdir()) == []


def test_hosts_by_name_pass():
    refuse_unsafe_production(False, ["rate.example.org", "10.0.0.4"])


@pytest.mark.parametrize(
    "address",
    ["foo://u:hidden@bar", "garbage", "mysql://u:hidden@h/name", "postgres://", "postgres://u:hidden@h:x/name"],
)
def test_an_address_of_no_database_that_we_use_is_refused_with_the_mend(monkeypatch, tmp_path, address):
    monkeypatch.setenv("DATABASE_URL", address)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be postgres://") as refused:
        read_database(Env(), tmp_path / "kept")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_of_the_database_is_none(monkeypatch, tmp_path, address):
    monkeypatch.setenv("DATABASE_URL", address)
    assert read_database(Env(), tmp_path / "kept")["NAME"] == str(tmp_path / "kept")


def test_addresses_of_both_databases_are_read(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgres://u:p@h:5433/name")
    found = read_database(Env(), tmp_path)
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("h", 5433, "name")
    monkeypatch.setenv("DATABASE_URL", "sqlite:////srv/x.sqlite3")
    assert read_database(Env(), tmp_path)["NAME"] == "/srv/x.sqlite3"


def test_levels_of_the_log_are_read_and_others_refused(monkeypatch):
    for given, level in (("", "INFO"), ("debug", "DEBUG"), ("ERROR", "ERROR")):
        monkeypatch.setenv("LOG_LEVEL", given)
        assert read_level(Env()) == level
    monkeypatch.setenv("LOG_LEVEL", "foo")
    with pytest.raises(ImproperlyConfigured, match=r"LOG_LEVEL must be one of DEBUG, .* not 'foo'"):
        read_level(Env())


@pytest.mark.parametrize(
    "address", ["amqp://u:hidden@h", "redis://", "redis://:hidden@:6379", "redis://:hidden@h:x", "hidden", "memory://"]
)
def test_an_address_of_no_broker_that_we_use_is_refused_with_the_mend(monkeypatch, address):
    monkeypatch.setenv("BROKER_URL", address)
    with pytest.raises(ImproperlyConfigured, match="BROKER_URL must be redis://") as refused:
        read_broker(Env(), "embedded")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("address", ["redis://:p@h:6380/3", "rediss://u:p@h/0", "redis://h"])
def test_addresses_of_brokers_are_read(monkeypatch, address):
    monkeypatch.setenv("BROKER_URL", f" {address} ")
    assert read_broker(Env(), "production") == address
    monkeypatch.setenv("BROKER_URL", "")
    assert read_broker(Env(), "embedded") == ""
