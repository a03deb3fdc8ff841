"""The list of what a release consists of: complete, valid, and the same bytes each time."""

import json
import os
import re
import subprocess
import sys

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from scripts.bill_of_materials import version_of
from tests.house import ROOT

WHEN = "2026-11-23T12:00:00+00:00"


def made(seed: str = "0") -> str:
    return subprocess.run(
        [sys.executable, "-m", "scripts.bill_of_materials", "--when", WHEN], cwd=ROOT, check=True, text=True,
        capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed},
    ).stdout  # fmt: skip


@pytest.fixture(scope="module")
def bill():
    return made()


def test_the_same_files_give_the_same_bytes(bill):
    assert made("7") == bill


def test_it_is_valid_by_the_published_schema_which_finds_a_wrong_one(bill):
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(bill) is None
    wrong = json.loads(bill)
    wrong["components"][0]["type"] = "thing"
    assert validator.validate_str(json.dumps(wrong)) is not None


def test_it_names_every_locked_package_with_version_and_licence(bill):
    listed = {one["purl"]: one for one in json.loads(bill)["components"] if "purl" in one}
    for name in ("base", "retrieval", "torch_default", "sentry"):
        text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        locked = re.findall(r"^([a-z0-9-]+)==([^ ;\\\n]+)(?!.*== '(?:win32|emscripten)')", text, re.MULTILINE)
        assert locked
        for package, version in locked:
            found = listed[f"pkg:pypi/{package}@{version}"]
            assert found["licenses"], package
            assert found["scope"] == "required" or name != "base"  # what the base needs, too, is required
    scopes = {purl.partition("@")[0]: one["scope"] for purl, one in listed.items()}
    assert scopes["pkg:pypi/sentry-sdk"] == scopes["pkg:pypi/torch"] == "optional"
    assert not any("schemathesis" in purl for purl in listed)


def test_it_names_every_file_of_others_in_the_repository_with_its_digest(bill):
    files = {one["bom-ref"] for one in json.loads(bill)["components"] if one["type"] == "file"}
    vendored = {path.relative_to(ROOT).as_posix() for path in (ROOT / "static" / "vendor").iterdir()}
    assert files == {path for path in vendored if not path.endswith(".LICENSE")}


def test_it_describes_the_version_of_this_program(bill):
    metadata = json.loads(bill)["metadata"]
    assert (metadata["component"]["name"], metadata["component"]["version"]) == ("interrater", version_of(ROOT))
    assert metadata["timestamp"] == WHEN
