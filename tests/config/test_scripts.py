"""Scripts as they are served: one for each that a page asks for, small, and under a name that says its content."""

import json
import re
from importlib.util import find_spec

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from config import startup, static_files
from tests.house import templates, tracked

ASKED = re.compile(r"static '(js/[^']+\.js)'")
HASHED = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"},
}


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The folder that `collectstatic` fills, and the addresses it gives by the names of the files."""
    folder = tmp_path_factory.mktemp("collected")
    with override_settings(STATIC_ROOT=folder, STORAGES=HASHED):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder, json.loads((folder / "staticfiles.json").read_text(encoding="utf-8"))["paths"]


def test_pages_ask_only_for_scripts_that_are_served_and_these_import_nothing(collected):
    folder, addresses = collected
    asked = {name for file in templates() for name in ASKED.findall(file.read_text(encoding="utf-8"))}
    served = {name: address for name, address in addresses.items() if name.startswith("js/")}
    assert asked - served.keys() == set()
    assert len(asked) > 10
    for address in served.values():
        assert re.search(r"\bimport\b|\bexport\b", (folder / address).read_text(encoding="utf-8")) is None
        assert re.search(r"\.[0-9a-f]{12}\.js$", address)


@pytest.mark.skipif(find_spec("minify") is None, reason="this machine has no package of the minifier")
def test_scripts_are_served_without_what_only_people_read(collected):
    folder, addresses = collected
    rating = folder / addresses["js/desk.js"]
    text = rating.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 10
    assert "constructor(" in text
    assert rating.with_name(f"{rating.name}.br").stat().st_size < 20_000  # of at most 60 kB that a first page may take


def test_a_script_that_cannot_be_read_is_named(tmp_path, settings):
    scripts = tmp_path / "own" / "js"
    scripts.mkdir(parents=True)
    (scripts / "broken.js").write_text("const one = ;\n")
    settings.STATICFILES_DIRS, settings.STORAGES, settings.STATIC_ROOT = [tmp_path / "own"], HASHED, tmp_path / "all"
    if find_spec("minify") is None:
        pytest.skip("this machine has no package of the minifier")
    with pytest.raises(CommandError, match=r"js/broken\.js"):
        call_command("collectstatic", interactive=False, verbosity=0)


def test_no_script_or_template_is_longer_than_150_lines():
    scripts = [path for path in tracked() if path.suffix == ".js" and "js" in path.parts and "tests" not in path.parts]
    files = [*scripts, *templates()]
    assert {
        file.name: count for file in files if (count := len(file.read_text(encoding="utf-8").splitlines())) > 150
    } == {}


def test_files_are_collected_again_with_another_version_of_what_prepares_them(monkeypatch):
    now = startup.static_digest()
    assert startup.static_digest() == now
    monkeypatch.setattr(static_files, "version", lambda name: "0.0.1")
    assert startup.static_digest() != now
