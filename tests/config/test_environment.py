"""An unsafe start is refused, with the fix in the message."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from environs import Env

from config.environment import (
    VARIABLES,
    own_variables,
    part_environments,
    read_boolean,
    read_broker,
    read_database,
    read_level,
    read_profile,
    read_second_factor,
    read_secret_key,
    read_synchronous,
    refuse_unsafe_production,
)
from config.parts import OPTIONAL
from tests.fewer import first_cases

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
    ("changed", "named", "advice"),
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
        ({"PROXY_COUNT": "0", "BEHIND_PROXY": "true"}, "PROXY_COUNT", "1 or more"),
    ],
)
def test_production_does_not_start_unsafe(tmp_path, changed, named, advice):
    good = {"PROFILE": "production", "SECRET_KEY": GOOD_KEY, "ALLOWED_HOSTS": "rate.example.org", "BROKER_URL": REDIS}
    environment = {name: value for name, value in {**good, **changed}.items() if value is not None}
    done = start(tmp_path, **environment)
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert named in last
    assert advice in done.stderr
    assert GOOD_KEY not in done.stderr


def test_production_starts_with_what_it_needs(tmp_path):
    done = start(
        tmp_path, PROFILE="production", SECRET_KEY=GOOD_KEY, ALLOWED_HOSTS="rate.example.org", DEBUG="False",
        BROKER_URL=REDIS,
    )  # fmt: skip
    assert done.stdout.split() == [GOOD_KEY, "False", "True"], done.stderr
    assert not (tmp_path / "var" / "secret_key").exists()


def test_embedded_creates_its_own_key_once_and_keeps_it_private(tmp_path):
    first, second = start(tmp_path), start(tmp_path)
    other = start(tmp_path / "elsewhere")
    key = first.stdout.split()[0]
    assert len(key) >= 60
    assert second.stdout.split()[0] == key
    assert other.stdout.split()[0] != key
    file = tmp_path / "var" / "secret_key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_damaged_key_is_not_used(tmp_path):
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "secret_key").write_text("")
    done = start(tmp_path)
    assert done.returncode != 0
    assert "secret_key is damaged" in done.stderr


@pytest.mark.django_db
def test_sessions_survive_a_change_of_the_key(client, rater, settings):
    client.force_login(rater)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, [settings.SECRET_KEY]
    assert client.get("/password/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/password/").status_code == 200


@pytest.mark.django_db
def test_sessions_of_a_dropped_key_end(client, rater, settings):
    client.force_login(rater)
    settings.SECRET_KEY = "another " * 8
    assert client.get("/password/").status_code == 302


@pytest.mark.parametrize(
    ("text", "value"), [("False", False), ("false", False), ("0", False), ("no", False), ("True", True), ("1", True)]
)
def test_booleans_are_read_from_their_words(monkeypatch, text, value):
    monkeypatch.setenv("SWITCH", text)
    assert read_boolean(Env(), "SWITCH", not value) is value


def test_a_value_that_is_not_a_boolean_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("SWITCH", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="SWITCH must be true or false"):
        read_boolean(Env(), "SWITCH", False)


def test_an_unknown_profile_is_refused(monkeypatch):
    monkeypatch.setenv("PROFILE", "prod")
    with pytest.raises(ImproperlyConfigured, match="'prod'"):
        read_profile(Env())


def test_a_given_key_is_not_stored(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", GOOD_KEY)
    assert read_secret_key(Env(), "embedded", tmp_path) == GOOD_KEY
    assert list(tmp_path.iterdir()) == []


def test_named_hosts_are_accepted():
    refuse_unsafe_production(False, ["rate.example.org", "10.0.0.4"])


@pytest.mark.parametrize(
    "address",
    ["foo://u:hidden@bar", "garbage", "mysql://u:hidden@h/name", "postgres://", "postgres://u:hidden@h:x/name"],
)
def test_the_address_of_an_unknown_database_is_refused_with_the_right_form(monkeypatch, tmp_path, address):
    monkeypatch.setenv("DATABASE_URL", address)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be postgres://") as refused:
        read_database(Env(), tmp_path / "kept")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_database_address_means_the_default(monkeypatch, tmp_path, address):
    monkeypatch.setenv("DATABASE_URL", address)
    assert read_database(Env(), tmp_path / "kept")["NAME"] == str(tmp_path / "kept")


def test_addresses_of_both_databases_are_accepted(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgres://u:p@h:5433/name")
    found = read_database(Env(), tmp_path)
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("h", 5433, "name")
    monkeypatch.setenv("DATABASE_URL", "sqlite:////srv/x.sqlite3")
    assert read_database(Env(), tmp_path)["NAME"] == "/srv/x.sqlite3"


def test_log_levels_are_accepted_and_other_words_refused(monkeypatch):
    for given, level in (("", "INFO"), ("debug", "DEBUG"), ("ERROR", "ERROR")):
        monkeypatch.setenv("LOG_LEVEL", given)
        assert read_level(Env()) == level
    monkeypatch.setenv("LOG_LEVEL", "foo")
    with pytest.raises(ImproperlyConfigured, match=r"LOG_LEVEL must be one of DEBUG, .* not 'foo'"):
        read_level(Env())


@pytest.mark.parametrize(
    "address", ["amqp://u:hidden@h", "redis://", "redis://:hidden@:6379", "redis://:hidden@h:x", "hidden", "memory://"]
)
def test_the_address_of_an_unknown_broker_is_refused_with_the_right_form(monkeypatch, address):
    monkeypatch.setenv("BROKER_URL", address)
    with pytest.raises(ImproperlyConfigured, match="BROKER_URL must be redis://") as refused:
        read_broker(Env(), "embedded")
    assert "hidden" not in str(refused.value)


@pytest.mark.parametrize("address", ["redis://:p@h:6380/3", "rediss://u:p@h/0", "redis://h"])
def test_broker_addresses_are_accepted(monkeypatch, address):
    monkeypatch.setenv("BROKER_URL", f" {address} ")
    assert read_broker(Env(), "production") == address
    monkeypatch.setenv("BROKER_URL", "")
    assert read_broker(Env(), "embedded") == ""


def read_by(module: Path) -> set[str]:
    """The variables that a module reads; of secrets also those that name their files."""
    found = re.findall(r"\b(read_secret\()?env(?:\.\w+\(|, )\"([A-Z][A-Z0-9_]+)\"", module.read_text())
    return {name for _, name in found} | {f"{name}_FILE" for secret, name in found if secret}


def test_every_variable_that_interrater_reads_is_known_as_its_own():
    example = re.findall(r"^#?([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    read = [name for file in ("settings.py", "environment.py") for name in read_by(ROOT / "config" / file)]
    assert len(example) > 20
    assert len(read) > 10
    assert {*example, *read} <= own_variables()


def test_a_part_names_the_variables_that_it_reads():
    found = list(part_environments(OPTIONAL))
    assert len(found) > 3
    for environment in found:
        assert read_by(Path(environment.__file__)) == set(environment.VARIABLES)
    assert VARIABLES.isdisjoint(name for environment in found for name in environment.VARIABLES)


def test_what_a_part_cannot_read_stops_the_start_if_it_is_installed(tmp_path):
    refused = command(tmp_path, WEBHOOK_HOSTS="ftp://a")
    assert refused.returncode == 1
    assert refused.stderr.startswith("WEBHOOK_HOSTS must list hosts such as hooks.example.org")
    assert command(tmp_path, WEBHOOK_HOSTS="ftp://a", PARTS="none").returncode == 0


def command(tmp_path, **environment) -> subprocess.CompletedProcess:
    """Run a command in a process of its own, with nothing set but `environment`."""
    return subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT,
        env={"PATH": os.environ["PATH"], "VAR": str(tmp_path / "var"), **environment},
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


@pytest.mark.parametrize("inside", first_cases(["var", "", "var/deeper"]))
@pytest.mark.parametrize("name", ["VAR", "STATIC_ROOT"])
def test_a_file_in_place_of_a_folder_is_explained_in_one_sentence(tmp_path, name, inside):
    (tmp_path / "file").write_text("in the way")
    done = command(tmp_path, **{name: str(tmp_path / "file" / inside)})
    assert done.returncode == 1
    assert done.stderr == f"{name} must be a folder, but {tmp_path / 'file'} is a file. Set {name} to another folder.\n"


def test_who_is_asked_for_codes_is_one_of_three_words(monkeypatch):
    for given, word in (("", "OPTIONAL"), ("staff", "STAFF"), (" Off ", "OFF")):
        monkeypatch.setenv("SECOND_FACTOR", given)
        assert read_second_factor(Env()) == word
    monkeypatch.setenv("SECOND_FACTOR", "everybody")
    with pytest.raises(ImproperlyConfigured, match=r"SECOND_FACTOR must be one of OFF, .* not 'everybody'"):
        read_second_factor(Env())


def test_a_folder_that_cannot_be_written_is_explained_in_one_sentence(tmp_path):
    done = command(tmp_path, VAR="/proc/interrater")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "/proc/interrater cannot be written" in done.stderr


@pytest.mark.parametrize("word", ["OFF", "0", "perhaps", "FULL; PRAGMA journal_mode=DELETE"])
def test_an_unsafe_or_unknown_synchronous_mode_is_explained_in_one_sentence(tmp_path, word):
    done = command(tmp_path, SQLITE_SYNCHRONOUS=word)
    assert done.returncode == 1
    assert done.stderr == f"SQLITE_SYNCHRONOUS must be one of FULL, NORMAL, EXTRA, not {word!r}.\n"


@pytest.mark.parametrize(("given", "read"), [("", "FULL"), ("normal", "NORMAL"), (" FULL ", "FULL")])
def test_synchronous_modes_are_accepted(monkeypatch, given, read):
    monkeypatch.setenv("SQLITE_SYNCHRONOUS", given)
    assert read_synchronous(Env()) == read


@pytest.mark.parametrize(
    ("environment", "secure"),
    [
        ({}, False),
        ({"CSRF_TRUSTED_ORIGINS": "http://rate.example.org"}, False),
        ({"CSRF_TRUSTED_ORIGINS": "http://10.0.0.4,https://rate.example.org"}, True),
        ({"BEHIND_PROXY": "true"}, True),
    ],
)
def test_cookies_of_the_embedded_profile_are_secure_behind_a_proxy_that_speaks_https(tmp_path, environment, secure):
    done = start(tmp_path, ALLOWED_HOSTS="rate.example.org", **environment)
    assert done.stdout.split()[2] == str(secure), done.stderr


@pytest.mark.django_db
@pytest.mark.parametrize(
    "told", [{"SECURE_PROXY_SSL_HEADER": ("HTTP_X_FORWARDED_PROTO", "https")},
             {"CSRF_TRUSTED_ORIGINS": ["https://rate.example.org"]}, {}]
)  # fmt: skip
def test_nobody_can_sign_in_over_https_if_the_site_does_not_know_of_it(rater, settings, told):
    """So that cookies without protection cannot be used there by mistake."""
    settings.ALLOWED_HOSTS = ["rate.example.org"]
    for name, value in told.items():
        setattr(settings, name, value)
    browser = Client(enforce_csrf_checks=True)
    sent = {
        "HTTP_HOST": "rate.example.org", "HTTP_ORIGIN": "https://rate.example.org", "HTTP_X_FORWARDED_PROTO": "https",
    }  # fmt: skip
    page = browser.get("/sign-in/", **sent).content.decode()
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    form = {"username": "rater", "password": "rater has a long password", "csrfmiddlewaretoken": token}
    assert browser.post("/sign-in/", form, **sent).status_code == (302 if told else 403)
