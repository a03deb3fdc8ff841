"""Secrets in files: read strictly, and refused rather than guessed."""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import Env

from config.environment import VARIABLES, read_broker, read_database, read_earlier_keys, read_secret_key
from config.secret_files import SECRETS, read_secret, with_password

pytestmark = pytest.mark.quick
KEY = "kZ3" * 20


@pytest.fixture
def secret_file(tmp_path):
    """A function that writes a file with a mode and returns its path."""

    def write(content: str | bytes, mode: int = 0o600) -> str:
        path = tmp_path / "secret"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
        return str(path)

    return write


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o440, 0o640])
def test_a_secret_is_read_from_its_file_without_the_end_of_its_line(secret_file, monkeypatch, mode, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", secret_file(KEY + "\n", mode))
    assert read_secret_key(Env(), "production", tmp_path) == KEY


@pytest.mark.parametrize(
    ("content", "mode", "advice"),
    [
        ("", 0o600, "is empty"),
        (" \n", 0o600, "is empty"),
        (f"{KEY}\nmore\n", 0o600, "nothing else"),
        ("a" * 20_000, 0o600, "nothing else"),
        (b"\xff\xfe", 0o600, "UTF-8"),
        (KEY, 0o604, "chmod o="),
        (KEY, 0o602, "chmod o="),
    ],
)
def test_a_file_that_is_no_secret_is_refused(secret_file, monkeypatch, content, mode, advice):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", secret_file(content, mode))
    with pytest.raises(ImproperlyConfigured, match=advice) as refused:
        read_secret(Env(), "SECRET_KEY", "production")
    assert "SECRET_KEY_FILE" in str(refused.value)
    assert KEY not in str(refused.value)


def test_others_may_read_the_file_only_outside_production(secret_file, monkeypatch):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", secret_file(KEY, 0o644))
    assert read_secret(Env(), "SECRET_KEY", "embedded") == KEY


def test_a_missing_file_and_a_folder_are_refused(monkeypatch, tmp_path):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "missing"))
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        read_secret(Env(), "SECRET_KEY", "production")
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="must name a file"):
        read_secret(Env(), "SECRET_KEY", "production")


@pytest.mark.parametrize("name", SECRETS)
def test_a_setting_and_its_file_together_are_refused(secret_file, monkeypatch, name):
    monkeypatch.setenv(name, "one")
    monkeypatch.setenv(f"{name}_FILE", secret_file("two"))
    with pytest.raises(ImproperlyConfigured, match=f"{name} and {name}_FILE are both set"):
        read_secret(Env(), name, "production")
    monkeypatch.setenv(name, "")
    assert read_secret(Env(), name, "production") == "two"


def test_nothing_that_may_hold_a_secret_is_sent_to_an_endpoint():
    assert {*SECRETS, *(f"{name}_FILE" for name in SECRETS)} <= VARIABLES


def test_addresses_get_their_passwords_from_files(secret_file, monkeypatch, tmp_path):
    for name in ("POSTGRES_PASSWORD", "REDIS_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", secret_file("a/b@c:d%"))
    monkeypatch.setenv("DATABASE_URL", "postgres://interrater@db.example.org:6000/interrater?sslmode=require")
    monkeypatch.setenv("BROKER_URL", "rediss://redis.example.org:6379/0")
    found = read_database(Env(), tmp_path / "unused", "production")
    assert (found["USER"], found["PASSWORD"]) == ("interrater", "a/b@c:d%")
    assert (found["HOST"], found["PORT"], found["OPTIONS"]) == ("db.example.org", 6000, {"sslmode": "require"})
    assert read_broker(Env(), "production") == "rediss://:a%2Fb%40c%3Ad%25@redis.example.org:6379/0"
    monkeypatch.setenv("BROKER_URL", "redis://[::1]:6379/0")
    assert read_broker(Env(), "production") == "redis://:a%2Fb%40c%3Ad%25@[::1]:6379/0"


def test_a_whole_address_can_be_in_a_file(secret_file, monkeypatch, tmp_path):
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("POSTGRES_PASSWORD", raising=False)
    monkeypatch.setenv("DATABASE_URL_FILE", secret_file("postgres://me:hidden@db.example.org/interrater\n"))
    assert read_database(Env(), tmp_path / "unused", "production")["PASSWORD"] == "hidden"


def test_two_different_passwords_are_refused_without_repeating_them():
    assert with_password("redis://:same@host/0", "same", "REDIS_PASSWORD") == "redis://:same@host/0"
    with pytest.raises(ImproperlyConfigured, match="REDIS_PASSWORD") as refused:
        with_password("redis://:one-word@host/0", "other-word", "REDIS_PASSWORD")
    assert "-word" not in str(refused.value)


def test_earlier_keys_are_read_from_a_file(secret_file, monkeypatch):
    monkeypatch.delenv("SECRET_KEY_FALLBACKS", raising=False)
    assert read_earlier_keys(Env(), "production") == []
    monkeypatch.setenv("SECRET_KEY_FALLBACKS_FILE", secret_file("one, two,"))
    assert read_earlier_keys(Env(), "production") == ["one", "two"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_of_somebody_else_is_refused(secret_file, monkeypatch):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", secret_file(KEY, 0o000))
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        read_secret(Env(), "SECRET_KEY", "production")
