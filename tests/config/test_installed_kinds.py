"""Question types and protocols that other packages bring by entry points."""

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from annotation.protocols import protocols
from annotation.questions import question_types
from annotation.questions.likert import QUESTION_TYPE as LIKERT
from config import installed_kinds
from config.installed_kinds import PROTOCOLS, QUESTION_TYPES, package_folders
from config.registry import discover

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "data" / "installed_kinds"


@pytest.fixture
def installed(monkeypatch):
    """A function that installs entry points of question types, (name, value) each."""

    def install(*points):
        made = [EntryPoint(name, value, QUESTION_TYPES) for name, value in points]
        monkeypatch.setattr(
            installed_kinds.importlib.metadata, "entry_points",
            lambda group: [point for point in made if point.group == group],
        )  # fmt: skip

    discover.cache_clear()
    yield install
    discover.cache_clear()


@pytest.fixture
def stars(installed, monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    return installed


def test_without_packages_there_are_the_kinds_of_the_apps(installed):
    installed()
    assert "likert" in question_types()
    assert package_folders("templates") == []


def test_an_entry_point_may_name_an_object_or_its_module(stars):
    for value in ("interrater_stars.star_question", "interrater_stars.star_question:QUESTION_TYPE"):
        discover.cache_clear()
        stars(("stars", value))
        assert question_types()["stars"].scale({}) == (1.0, 5.0)
    assert package_folders("templates") == [PACKAGE / "interrater_stars" / "templates"]
    assert package_folders("static") == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("interrater_nowhere.part", r"cannot be loaded: No module named 'interrater_nowhere'\. Install or remove"),
        ("interrater_stars.star_question:MISSING", "cannot be loaded: .*has no attribute 'MISSING'"),
        ("interrater_stars.first_output", "names a module that must bind QUESTION_TYPE to an instance"),
        ("interrater_stars.star_question:Mapping", "must be an instance with a key, not"),
        (
            "annotation.questions.likert:QUESTION_TYPE",
            r"Two kinds of questions have the key 'likert': annotation\.questions\.likert and The entry point",
        ),
    ],
)
def test_what_is_wrong_with_an_entry_point_is_said_with_its_name(stars, value, reason):
    stars(("wrong", value))
    with pytest.raises(RuntimeError, match=reason) as problem:
        question_types()
    assert "'wrong'" in str(problem.value)


def test_two_packages_with_one_key_are_both_named(stars):
    stars(("one", "interrater_stars.star_question"), ("other", "interrater_stars.star_question:QUESTION_TYPE"))
    with pytest.raises(RuntimeError, match=r"the key 'stars': The entry point 'one'.* and The entry point 'other'"):
        question_types()


def test_protocols_have_a_group_of_their_own(stars):
    stars(("likert_again", "interrater_stars.star_question"))
    assert PROTOCOLS != QUESTION_TYPES
    assert "stars" not in protocols()
    assert LIKERT.key in question_types()


def test_a_study_with_an_installed_protocol_and_question_type_is_rated_and_exported(tmp_path):
    (tmp_path / "in").mkdir()
    body = {
        "slug": "starry", "protocol": "first_output", "redundancy": 1,
        "questions": [{"key": "liked", "type": "stars", "text": "How did you like it?"}],
    }  # fmt: skip
    outputs = [{"id": name, "text": f"text of {name}"} for name in ("north", "south")]
    (tmp_path / "in" / "study.json").write_text(json.dumps(body))
    (tmp_path / "in" / "items.jsonl").write_text(json.dumps({"id": "i", "outputs": outputs}))
    found = subprocess.run(
        [sys.executable, str(PACKAGE / "rate_with_stars.py"), str(tmp_path)],
        env={
            **os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{PACKAGE}", "VAR": str(tmp_path / "var"),
            "DATABASE_URL": f"sqlite:///{tmp_path}/rated.sqlite3", "DJANGO_SETTINGS_MODULE": "config.settings",
        },
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    said = json.loads(found.stdout)
    assert (said["stars"], said["refused"]) == (15, 422)
    assert said["line"]["answers"] == {"liked": 4}
    assert said["line"]["outputs"] == ["north"]
