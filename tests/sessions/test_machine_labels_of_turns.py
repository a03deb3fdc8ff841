"""Machines' labels of turns in `scores.jsonl`: runs apart, other shapes refused, none in people's figures."""

import json

import pytest

from annotation.models import Rating
from files.reading import ImportRefusedError, add_to_study
from files.writing import export_study
from reports.figures.session_report import session_report
from tests.reports.worked_sessions import worked  # noqa: F401
from tests.sessions.conftest import folder, models, session, study  # noqa: F401

pytestmark = pytest.mark.django_db


def test_a_machine_labels_turns_run_by_run(worked, owner, tmp_path):  # noqa: F811
    key = worked.sessions.order_by("pk").first().key
    line = {
        "session": key, "turn": 1, "rater": "m", "rater_kind": "model", "question": "rating", "value": "good",
        "run": "r1", "missing": 0.25,
    }  # fmt: skip
    path = tmp_path / "scores.jsonl"

    def add(*lines):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return add_to_study(worked, {"scores": path}, owner).added["scores"]

    before = session_report(worked, labeller=None)
    assert add(line, {**line, "run": "r2", "value": "bad"}, {**line, "turn": 2}) == 3
    assert add(line) == 0
    assert set(Rating.objects.filter(rater__name="m").values_list("level", "variant", "run")) == {
        ("nominal", f"turn:{key}:1", "r1"), ("nominal", f"turn:{key}:1", "r2"), ("nominal", f"turn:{key}:2", "r1"),
    }  # fmt: skip
    assert session_report(worked, labeller=None) == before
    for change in ({"value": 0.5}, {"value": {"a": 1}}, {"output": "a"}, {"outputs": ["a", "b"]}):
        with pytest.raises(ImportRefusedError):
            add({**line, **change})
    export_study(worked, tmp_path / "out")
    lines = [json.loads(text) for text in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert [(one["turn"], one["run"], one["value"], one["missing"]) for one in lines] == [
        (1, "r1", "good", 0.25), (1, "r2", "bad", 0.25), (2, "r1", "good", 0.25),
    ]  # fmt: skip
