"""The file of endpoints is read strictly, and each mistake is reported with its place and what to do."""

import os
from decimal import Decimal
from pathlib import Path

import pytest
from django.core import checks

from llm.call_errors import NoKeyError, UnknownModelError
from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import endpoints, find_model, model_names
from llm.system_checks import check_endpoints

ROOT = Path(__file__).resolve().parent.parent.parent
HEAD = "endpoints:\n  campus:\n    base_url: https://models.example.org/v1\n    models:\n      small:"


@pytest.fixture
def write(settings, tmp_path):
    """A function that writes the file of endpoints."""
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"

    def write(text: str | bytes) -> None:
        settings.ENDPOINTS_FILE.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


def test_the_built_in_model_needs_no_file(settings, tmp_path):
    settings.VAR = tmp_path
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    assert model_names() == ("extractive/extractive",)
    endpoint, model = find_model("extractive/extractive")
    assert (endpoint.built_in, endpoint.base_url, model.price_in, model.price_out) == (True, "", 0, 0)


def test_a_file_named_in_the_settings_must_exist(settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "other.yaml"
    with pytest.raises(EndpointsInvalidError, match=r"other\.yaml: does not exist: create it"):
        endpoints()


def test_the_example_file_is_valid(settings):
    settings.ENDPOINTS_FILE = ROOT / "endpoints.example.yaml"
    assert model_names() == ("extractive/extractive", "campus/small", "local/tiny", "local/base")
    endpoint, model = find_model("campus/small")
    assert (endpoint.key_name, endpoint.in_flight, endpoint.deadline, endpoint.attempts) == ("CAMPUS_KEY", 8, 120, 4)
    assert (model.asked, model.context) == ("example/small-instruct-v2", 32768)
    assert (model.price_in, model.price_out) == (Decimal("0.15"), Decimal("0.6"))
    assert (model.api, model.logprobs, model.supports) == ("chat", 20, {"stream", "seed", "json_schema"})
    endpoint, model = find_model("local/tiny")
    assert (model.asked, model.context, model.price_in, model.supports) == ("tiny", None, None, {"stream"})
    assert (endpoint.key(), endpoint.attempts, endpoint.requests_per_minute) == ("", 4, None)
    _, model = find_model("local/base")
    assert (model.api, model.logprobs, model.supports) == ("completions", 5, {"stream", "echo"})


def test_a_change_of_the_file_applies_at_once(write, settings):
    write(HEAD + " {}\n")
    assert "campus/small" in model_names()
    write(HEAD.replace("small", "large") + " {}\n")
    os.utime(settings.ENDPOINTS_FILE, (1, 1))
    assert "campus/large" in model_names()


MISTAKES = {
    "[]": ": must be a mapping with the key endpoints",
    "endpoints: []": "endpoints: must be a mapping",
    "endpoints: {}\nmore: 1": "has the unknown key 'more'; known are endpoints",
    "other: {}": ": needs the key endpoints",
    HEAD + " {}\n    colour: blue": r"endpoints\.campus: has the unknown key 'colour'; known are base_url",
    HEAD + " {colour: blue}": r"endpoints\.campus\.models\.small: has the unknown key 'colour'; known are asked",
    HEAD + " fine": r"endpoints\.campus\.models\.small: must be a mapping",
    "endpoints: {campus: {base_url: 'https://a.example/v1'}}": "needs the key models",
    "endpoints: {campus: {models: {a: {}}}}": "needs the key base_url",
    "endpoints: {campus: {base_url: 'https://a.example/v1', models: {}}}": "models: must name at least one model",
    "endpoints: {campus: fine}": "endpoints.campus: must be a mapping",
    HEAD.replace("campus", "extractive") + " {}": r"endpoints\.extractive: has the name of the built-in endpoint",
    "endpoints: {a/b: {}}": r"endpoints\.a/b: is not a name: use letters",
    "endpoints: {7: {}}": "endpoints: has the key 7, which is not text",
    HEAD + " {}\n    key: secret-value-itself": "key: must be the name of the environment variable .* not the key",
    HEAD + " {}\n    in_flight: 0": "in_flight: must be a whole number from 1",
    HEAD + " {}\n    in_flight: true": "in_flight: must be a whole number from 1",
    HEAD + " {}\n    attempts: 2.5": "attempts: must be a whole number from 1 to 10",
    HEAD + " {}\n    attempts: 11": "attempts: must be a whole number from 1 to 10",
    HEAD + " {}\n    deadline: .nan": "deadline: must be a number of seconds",
    HEAD + " {}\n    deadline: 3600": "deadline: must be a number of seconds from 0.5 to 600",
    HEAD + " {}\n    read_timeout: 200": "has a read_timeout that is longer than its deadline, 120 seconds",
    HEAD + " {price_in: -1}": r"models\.small\.price_in: must be the price",
    HEAD + " {price_in: cheap}": r"models\.small\.price_in: must be the price",
    HEAD + " {price_out: .inf}": r"models\.small\.price_out: must be the price",
    HEAD + " {context: many}": "context: must be a whole number",
    HEAD + " {supports: stream}": "supports: must be a list of some of stream, seed, json_schema, echo",
    HEAD + " {supports: [tools]}": "supports: must be a list",
    HEAD + " {logprobs: true}": "logprobs: must be a whole number from 0 to 100",
    HEAD + " {api: responses}": "api: must be chat or completions",
    HEAD + " {supports: [echo], logprobs: 5}": r"models\.small: has echo without `api: completions` and `logprobs`",
    HEAD + " {supports: [echo], api: completions}": r"models\.small: has echo without",
    HEAD + " {supports: [json_schema], api: completions}": r"models\.small: has json_schema with `api: completions`",
    HEAD + " {}\n    scripted: 1": r"campus\.scripted: must be true or false",
    HEAD + " {max_tokens_field: n}": "max_tokens_field: must be max_tokens or max_completion_tokens",
    HEAD + ' {asked: "two\\nlines"}': "asked: must be text of one line",
    HEAD + " {}\n      small: {}": r"line \d+: is not valid YAML \(found duplicate key",
    HEAD + " {}\n    connect_timeout: 11": "connect_timeout: must be a number of seconds from 0.1 to 10",
    HEAD + " [": r"line \d+: is not valid YAML",
    HEAD + " {}\n    in_fligt: 3": r"endpoints\.campus: has the unknown key 'in_fligt'; did you mean in_flight\?$",
    HEAD + " {context: }": "context: must be a whole number",
    b"\xff\xfe": r"is not UTF-8 \(byte 1\): save it as UTF-8",
    "#" * 1_000_001: "is longer than 1000000 bytes",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: repr(text[-40:]))
def test_a_mistake_is_reported_with_its_place(write, text):
    write(text)
    with pytest.raises(EndpointsInvalidError, match=MISTAKES[text]) as caught:
        endpoints()
    assert "endpoints.yaml" in str(caught.value)
    (error,) = check_endpoints()
    assert (error.level, error.id) == (checks.ERROR, "llm.E001")


@pytest.mark.parametrize("name", ["SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "BROKER_URL", "PGPASSWORD"])
def test_a_key_cannot_be_a_setting_of_interrater(write, name):
    write(HEAD + f" {{}}\n    key: {name}")
    with pytest.raises(EndpointsInvalidError, match=rf"campus\.key: names {name}, a setting of Interrater"):
        endpoints()


ADDRESSES = [
    "models.example.org", "ftp://models.example.org", "file:///etc/passwd", "https://", "https://a b.example",
    "https://models.example.org:99999/v1", "https://models.example.org/v1?key=x", "https://models.example.org/#x",
    "https://user:password@models.example.org/v1", "https://user@models.example.org", "https://[::1/v1", "//a.example",
]  # fmt: skip


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_wrong_address_is_refused(write, address):
    write(HEAD.replace("https://models.example.org/v1", f'"{address}"') + " {}")
    with pytest.raises(EndpointsInvalidError, match=r"endpoints\.campus\.base_url: must") as caught:
        endpoints()
    assert "password@" not in str(caught.value)


ASKED = [
    "", "campus", "campus/", "/small", "campus/small/x", "small", "http://169.254.169.254/latest", "http://127.0.0.1/v1",
    "https://models.example.org/v1", "//models.example.org/small", "campus@evil.example/small", "2130706433/small",
    "[::ffff:127.0.0.1]/small", "Campus/small",
]  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_model_can_only_be_found_by_its_name(write, name):
    write(HEAD + " {}")
    assert find_model("campus/small")[0].name == "campus"
    with pytest.raises(UnknownModelError):
        find_model(name)


def test_a_key_is_read_when_a_call_needs_it(write, monkeypatch):
    write(HEAD + " {}\n    key: CAMPUS_KEY")
    monkeypatch.delenv("CAMPUS_KEY", raising=False)
    endpoint, _ = find_model("campus/small")
    with pytest.raises(NoKeyError):
        endpoint.key()
    (warning,) = check_endpoints()
    assert (warning.id, "CAMPUS_KEY" in warning.hint) == ("llm.W001", True)
    monkeypatch.setenv("CAMPUS_KEY", " the-key ")
    assert endpoint.key() == "the-key"
    assert check_endpoints() == []
    assert "the-key" not in repr(endpoint)


def test_manage_check_includes_the_file_of_endpoints(monkeypatch):
    (registered,) = [one for one in checks.registry.registry.get_checks() if one.__module__ == "llm.apps"]
    monkeypatch.setattr("llm.system_checks.check_endpoints", lambda **options: ["found"])
    assert registered() == ["found"]


def test_calls_fail_with_a_sentence_if_the_file_becomes_invalid_and_the_built_in_model_still_works(settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    settings.ENDPOINTS_FILE.write_text("endpoints: [")
    assert find_model("extractive/extractive")[0].built_in
    with pytest.raises(UnknownModelError, match="cannot read its list of language models"):
        find_model("campus/small")
