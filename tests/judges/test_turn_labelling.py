"""Runs that label turns: their units, their rows, files, and what reports and pages make of them."""

import json
from collections import Counter

import pytest

from annotation.members.membership import rater_for
from annotation.models import Rating
from files.reading import ImportRefusedError, add_to_study, import_study
from files.writing import export_study
from judges.configuration import ConfigurationRefusedError
from judges.models import Judgment, RunWork
from judges.recording import record_readings
from judges.units import planned_units
from llm.models import Call
from llm.prompt_files import load_prompt
from reports.figures.session_report import session_report
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.turn_labels import VALUES, MachineLabel, label, write_machine_labels
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of
from tests.judges.rated_sessions import rated_sessions
from tests.judges.scripted_judges import configured, run_to_end

pytestmark = pytest.mark.django_db
KINDS = {"protocol": "classify_instruction", "questions": (), "model": "campus/free"}
ERRORS = {**KINDS, "protocol": "classify_error"}


@pytest.fixture
def rated(tmp_path, owner):
    return rated_sessions(tmp_path / "rated", owner, items=2)


def test_kinds_of_instructions_become_labels_with_run_prompt_and_reply(rated, owner, model):
    model.replies = ["Category: condense", "No category."]
    run = run_to_end(rated, owner, replicates=2, **KINDS)
    assert (run.status, run.counts) == ("finished", {"invalid": 1, "valid": 23})
    rows = TurnLabel.objects.filter(rater=run.rater)
    assert {(row.kind, row.run, row.revision, row.is_current) for row in rows} == {("instruction_type", "1", 1, True)}
    assert sorted(row.replicate for row in rows) == [1] * 11 + [2] * 12
    assert {row.prompt_digest for row in rows} == {load_prompt("judges", "classify_instruction").digest}
    for row in rows:
        assert row.reply == f"Category: {row.value}"
    assert rows.order_by("pk").first().value == "condense"
    assert not Rating.objects.filter(rater=run.rater).exists()
    Judgment.objects.filter(run=run).update(recorded=False)
    record_readings(run)
    assert rows.count() == 23


def test_errors_are_looked_for_only_in_turns_rated_neutral_or_bad(rated, owner, model):
    run = run_to_end(rated, owner, **ERRORS)
    assert run.counts == {"valid": 8}
    rows = TurnLabel.objects.filter(rater=run.rater)
    assert {(row.kind, row.turn.number) for row in rows} == {("error_category", 2), ("error_category", 3)}
    assert {row.value for row in rows} <= set(VALUES["error_category"])
    assert any("It was not removed. (ann-q0)" in request.text() for request in model.asked)


def test_a_rating_that_became_good_takes_no_error_category(rated, owner, model):
    run = run_to_end(rated, owner, **ERRORS)
    good = Turn.objects.filter(session__study=rated, number=1).first()
    refused = write_machine_labels(
        rated, run.rater, [MachineLabel(good.pk, "error_category", "others", "9"),
                           MachineLabel(good.pk, "instruction_type", "others", "9"),
                           MachineLabel(good.pk, "instruction_type", "remove", "9")]
    )  # fmt: skip
    assert {place: reason.split()[0] for place, reason in refused.items()} == {0: "Only", 2: "This"}
    assert TurnLabel.objects.filter(run="9").count() == 1
    with pytest.raises(ValueError, match="names no run"):
        write_machine_labels(rated, run.rater, [MachineLabel(good.pk, "instruction_type", "others", "")])


@pytest.mark.parametrize(("protocol", "reason"), [(KINDS, "none is answered"), (ERRORS, "rated neutral or bad")])
def test_a_study_without_such_turns_is_refused(study, model, protocol, reason):
    with pytest.raises(ConfigurationRefusedError, match=reason):
        list(planned_units(study, configured(study, **protocol)))
    with pytest.raises(ConfigurationRefusedError, match="takes no question"):
        configured(study, **{**protocol, "questions": ("how_well",)})


def test_labels_of_runs_are_exported_and_imported_with_the_same_bytes(rated, owner, model, tmp_path):
    run_to_end(rated, owner, replicates=2, **KINDS)
    run_to_end(rated, owner, **KINDS)
    label(Turn.objects.get(session__key="ann-q0", number=1), "instruction_type", "condense", rater_for(rated, owner))
    export_study(rated, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "labels.jsonl")
    assert len(lines) == 12 * 3 + 1
    assert {(line.get("run"), line.get("replicate")) for line in lines} == {("1", 1), ("1", 2), ("2", 1), (None, None)}
    of_sessions = [turn for line in objects_of(tmp_path / "one" / "sessions.jsonl") for turn in line["turns"]]
    assert [turn["instruction_type"]["value"] for turn in of_sessions if "instruction_type" in turn] == ["condense"]
    first = bytes_of(tmp_path / "one")
    empty_the_database(TurnLabel, Turn, RevisionSession, Judgment, RunWork, Call)
    again = import_study(tmp_path / "one", owner=owner).study
    export_study(again, tmp_path / "two")
    assert bytes_of(tmp_path / "two") == first
    assert add_to_study(again, {"labels": tmp_path / "one" / "labels.jsonl"}, owner).added["labels"] == 0


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rater_kind": None}, "prompt_digest"), ({"run": None}, "replicate"), ({"replicate": 0}, "replicate"),
        ({"run": 1}, "run"), ({"prompt_digest": "x" * 65}, "prompt_digest"), ({"reply": 1}, "reply"),
        ({"revision": 2}, "revision"),
    ],
)  # fmt: skip
def test_lines_of_machines_labels_are_checked(rated, owner, tmp_path, change, field):
    line = {
        "session": "ann-q0", "turn": 1, "kind": "instruction_type", "value": "condense", "rater": "m",
        "rater_kind": "model", "run": "r", "replicate": 2, "prompt_digest": "d", "reply": "condense",
    }  # fmt: skip
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({key: value for key, value in (line | change).items() if value is not None}))
    with pytest.raises(ImportRefusedError) as refused:
        add_to_study(rated, {"labels": path}, owner)
    assert {problem.field for problem in refused.value.problems} == {field}
    path.write_text(json.dumps(line))
    assert add_to_study(rated, {"labels": path}, owner).added["labels"] == 1
    path.write_text(json.dumps(line | {"reply": "Condense."}))
    with pytest.raises(ImportRefusedError):
        add_to_study(rated, {"labels": path}, owner)


def test_reports_count_a_runs_labels_only_if_it_is_chosen(rated, owner, model):
    by = rater_for(rated, owner)
    label(Turn.objects.get(session__key="ann-q0", number=1), "instruction_type", "condense", by)
    before = session_report(rated)
    run = run_to_end(rated, owner, replicates=2, **KINDS)
    after = session_report(rated)
    names = [f"{run.rater.name}, run 1", f"{run.rater.name}, run 1, rerun 2"]
    assert after["labellers"] == {"chosen": None, "all": sorted([by.name, *names])}
    assert {**after, "labellers": None} == {**before, "labellers": None}
    chosen = session_report(rated, labeller=names[1])
    values = TurnLabel.objects.filter(rater=run.rater, replicate=2).values_list("value", flat=True)
    types = chosen["instruction_types"]["types"]
    assert {name: types[name]["n"] for name in set(values)} == dict(Counter(values))
    assert chosen["label_agreement"]["instruction_type"]["raters"] == sorted([by.name, names[1]])


def test_the_page_of_a_session_says_which_labels_are_a_machines(rated, owner, model, client):
    run = run_to_end(rated, owner, **KINDS)
    client.force_login(owner)
    session = RevisionSession.objects.get(key="ann-q0")
    page = client.get(f"/studies/{rated.slug}/sessions/{session.pk}/").content.decode()
    assert page.count(f"<bdi>{run.rater.name}, run 1</bdi> (model)") == 3
    assert '<option value="" selected>not labelled</option>' in page
