"""Judges that are trained on the turns of a study, from the training to their ratings. The model is a tiny T5.

What a training gives does not depend on the database; turns are read and ratings written on both by the other tests.
"""

import json
import sys

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.members.rater_erasure import erase_rater
from annotation.models import JudgeRun, Rater, Rating
from annotation.studies.study_erasure import erase_study
from config.background.claiming import Claim, run_waiting
from files.reading import add_to_study, import_study
from files.writing import export_study
from judges.answered_turns import turns_of_part
from judges.background.run_upkeep import settle_runs
from judges.configuration import ConfigurationRefusedError
from judges.models import RunWork
from judges.run_states import resume_run, start_run, stop_run
from judges.turn_split import TEST, TurnSplit
from parts.trained_judge import turn_judge_training
from parts.trained_judge.likeliest_labels import training_of
from parts.trained_judge.run_kinds import trained as turn_judging
from parts.trained_judge.trained_configuration import trained_judges
from parts.trained_judge.turn_judge_training import trained_configuration
from sessions.models import Turn
from sessions.turn_variants import turn_variant
from tests.files.writing.conftest import bytes_of
from tests.judges.rated_sessions import rated_sessions, session_line
from tests.judges.scripted_judges import work_off
from tests.judges.tiny_models import needs_torch

pytestmark = pytest.mark.django_db
FAST = {"epochs": 2, "learning_rate": 0.01, "training": 0.4, "validation": 0.3, "split_seed": 2, "device": "cpu"}
SPLIT = TurnSplit("item", 0.4, 0.3, 2)


@pytest.fixture(autouse=True)
def var(settings, tmp_path):
    settings.VAR = tmp_path / "var"
    return settings.VAR


@pytest.fixture
def rated(tmp_path, owner):
    return rated_sessions(tmp_path / "rated", owner, items=12)


def trained(study, model, **given):
    return trained_configuration(study, str(model), {**FAST, **given})


def judged(study, model, actor=None, **given):
    run = start_run(study, trained(study, model, **given), actor)
    work_off(run)
    return run


def said(run):
    """What a run said of each turn, with its likelihoods."""
    rows = Rating.objects.filter(rater=run.rater, run=run.name)
    return {row.variant: (row.value, row.distribution) for row in rows}


def of_test_part(study):
    return {turn_variant(one.turn.session.key, one.turn.number) for one in turns_of_part(study, SPLIT, TEST)}


@pytest.mark.thorough
@needs_torch
def test_a_trained_judge_labels_all_test_turns_and_no_others(rated, owner, t5):
    run = judged(rated, t5, owner)
    wanted = of_test_part(rated)
    assert 0 < len(wanted) < 72
    assert (run.status, run.counts, run.price) == ("finished", {"valid": len(wanted)}, None)
    assert (run.rater.kind, run.rater.name) == ("model", f"fine_tuned/{t5.name}")
    rows = Rating.objects.filter(rater=run.rater)
    assert {row.variant for row in rows} == wanted
    assert {(row.question.key, row.level, row.output_id, row.run) for row in rows} == {("rating", "nominal", None, "1")}
    for row in rows:
        assert row.distribution.keys() == {"good", "bad"}
        assert all(likelihood < 0 for likelihood in row.distribution.values())
        assert row.value == max(row.distribution, key=row.distribution.get)


@pytest.mark.thorough
@needs_torch
def test_the_rater_names_the_model_the_data_the_weights_the_split_and_the_parameters(rated, owner, t5, var):
    run = judged(rated, t5, owner, split_seed=4, seed=3)
    about, identity = training_of(trained_judges(rated) / run.configuration["trained"]), run.rater.metadata["judge"]
    assert [path.name for path in var.rglob("training.json")] == ["training.json"]
    assert identity["data_sha256"] == about["data_sha256"]
    assert identity["weights_sha256"] == about["weights_sha256"]
    assert identity["split"] == about["split"] == {"by": "item", "training": 0.4, "validation": 0.3, "seed": 4}
    assert identity["parameters"] == about["parameters"]
    assert (identity["parameters"]["seed"], identity["parameters"]["batch_size"]) == (3, 16)
    assert identity["model"] == t5.name
    assert identity["base"] == about["identity"]
    assert str(t5.parent) not in json.dumps(run.configuration)


@pytest.mark.thorough
@needs_torch
def test_neutral_counts_as_bad_or_is_a_label_of_its_own(rated, owner, t5):
    two, three = judged(rated, t5, owner), judged(rated, t5, owner, ratings="three-way")
    assert (two.configuration["labels"], three.configuration["labels"]) == (["bad", "good"], ["bad", "good", "neutral"])
    assert two.rater_id != three.rater_id
    assert {frozenset(distribution) for _, distribution in said(three).values()} == {
        frozenset({"bad", "good", "neutral"})
    }


@pytest.mark.thorough
@needs_torch
def test_the_same_seed_gives_the_same_weights_and_the_same_ratings(rated, owner, t5, var, monkeypatch):
    first = judged(rated, t5, owner)
    var.rename(var.with_name("before"))
    again = judged(rated, t5, owner)
    assert first.configuration == again.configuration
    assert (first.rater_id, again.name) == (again.rater_id, "2")
    assert said(first) == said(again)
    monkeypatch.setattr(turn_judge_training, "train", None)
    assert trained(rated, t5).as_json() == first.configuration, "what was trained is not trained again"


@pytest.mark.thorough
@needs_torch
def test_another_seed_and_other_data_are_other_raters(rated, owner, t5, tmp_path):
    runs = [judged(rated, t5, owner), judged(rated, t5, owner, seed=1)]
    training = next(one for one in (f"q{n}" for n in range(12)) if SPLIT.part(one, "", 1) == "training")
    later = tmp_path / "sessions.jsonl"
    later.write_text(json.dumps(session_line(training, "later", "cem")) + "\n")
    add_to_study(rated, {"sessions": later}, owner)
    runs.append(judged(rated, t5, owner))
    assert len({run.rater_id for run in runs}) == 3
    assert len({run.configuration["weights_sha256"] for run in runs}) == 3
    data = [run.configuration["data_sha256"] for run in runs]
    assert data[0] == data[1] != data[2]
    assert runs[2].configuration["turns"]["training"] == runs[0].configuration["turns"]["training"] + 3


@pytest.mark.thorough
@needs_torch
def test_a_killed_job_goes_on_where_it_was_and_says_what_an_undisturbed_one_says(rated, owner, t5, monkeypatch):
    monkeypatch.setattr(turn_judging, "CHUNK", 4)
    undisturbed = judged(rated, t5, owner)
    run, update = start_run(rated, trained(rated, t5), owner), Claim.update

    def killed(claim, **fields):
        if fields.get("planned") == 8:
            raise KeyboardInterrupt  # after the ratings were written, before the job knows
        update(claim, **fields)

    with monkeypatch.context() as patched:
        patched.setattr(Claim, "update", killed)
        with pytest.raises(KeyboardInterrupt):
            run_waiting()
    assert len(said(run)) == 8
    RunWork.objects.filter(run=run).update(status="queued", token=None, lease_until=None)
    work_off(run)
    assert (run.status, run.counts) == ("finished", undisturbed.counts)
    assert said(run) == said(undisturbed)


@needs_torch
def test_a_stopped_run_is_resumed_and_leaves_out_turns_that_came_later(rated, owner, t5, tmp_path):
    run, wanted = start_run(rated, trained(rated, t5), owner), of_test_part(rated)
    assert stop_run(run, owner)
    run_waiting()
    assert (run.status, said(run)) == ("stopped", {})
    item = next(one for one in (f"q{n}" for n in range(12)) if SPLIT.part(one, "", 1) == TEST)
    later = tmp_path / "sessions.jsonl"
    later.write_text(json.dumps(session_line(item, "later", "cem")) + "\n")
    add_to_study(rated, {"sessions": later}, owner)
    assert resume_run(run, owner)
    work_off(run)
    assert (run.status, said(run).keys()) == ("finished", wanted)
    assert len(of_test_part(rated)) == len(wanted) + 3


@pytest.mark.thorough
@needs_torch
def test_a_judge_that_is_gone_or_changed_is_missed_in_a_sentence(rated, owner, t5, var):
    run = start_run(rated, trained(rated, t5), owner)
    folder = trained_judges(rated) / run.configuration["trained"]
    with (folder / "model.safetensors").open("ab") as weights:
        weights.write(b"more")
    work_off(run)
    work = RunWork.objects.get(run=run)
    assert run.status == "stopped"
    assert "is not in turn_judges/revising any more, or has changed" in work.message
    var.rename(var.with_name("elsewhere"))
    with pytest.raises(ConfigurationRefusedError, match="Train it again with the same command"):
        resume_run(run, owner)
    assert trained(rated, t5).as_json() == run.configuration
    assert resume_run(run, owner)
    work_off(run)
    assert run.status == "finished"


@needs_torch
def test_runs_and_ratings_are_exported_and_imported_with_the_same_bytes(rated, owner, t5, tmp_path):
    judged(rated, t5, owner)
    export_study(rated, tmp_path / "one")
    lines = [json.loads(line) for line in (tmp_path / "one" / "scores.jsonl").read_text().splitlines()]
    assert {line["rater"] for line in lines} == {f"fine_tuned/{t5.name}"}
    rated.status = "closed"
    rated.save()
    erase_study(rated, owner)
    assert not trained_judges(rated).exists()
    again = import_study(tmp_path / "one", owner=owner).study
    export_study(again, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    run = judged(again, t5, owner)
    imported = JudgeRun.objects.exclude(pk=run.pk).get(rater__study=again)
    assert run.configuration == imported.configuration, "equal data make the same judge"
    assert said(run) == said(imported)


@needs_torch
def test_erasing_the_turns_of_a_person_removes_what_was_trained_on_them(
    rated, owner, t5, django_capture_on_commit_callbacks
):
    run = judged(rated, t5, owner)
    with pytest.raises(CommandError, match="Nothing was erased"), django_capture_on_commit_callbacks(execute=True):
        call_command("erase_rater", rated.slug, "ann", "--answers", "erase")
    assert (trained_judges(rated) / run.configuration["trained"]).exists()
    with django_capture_on_commit_callbacks(execute=True):
        erase_rater(Rater.objects.get(study=rated, name="ann"), owner, keep_answers=False)
    assert not trained_judges(rated).exists()
    assert {variant.partition("-")[0] for variant in said(run)} == {"turn:ben"}


@pytest.mark.thorough
@needs_torch
def test_many_turns_take_as_many_queries_as_few(rated, owner, t5, tmp_path):
    counts = []
    for number in range(2):
        with CaptureQueriesContext(connection) as queries:
            trained(rated, t5)
        counts.append(len(queries))
        later = tmp_path / "sessions.jsonl"
        lines = [json.dumps(session_line(f"q{item}", f"later-{number}-{item}", "cem")) for item in range(12)]
        later.write_text("\n".join(lines))
        add_to_study(rated, {"sessions": later}, owner)
    assert Turn.objects.filter(number__gte=1).count() == 72 + 2 * 36
    assert counts[0] == counts[1]


@needs_torch
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"epochs": 0}, "epochs must be a whole number from 1"),
        ({"ratings": "four-way"}, "ratings must be one of two-way, three-way"),
        ({"none": 1}, "none is unknown here"),
        ({"training": 0.0}, "at least two different ratings"),
        ({"validation": 0.0}, "no validation turns"),
        ({"training": 0.5, "validation": 0.5}, "test part is empty"),
        ({"learning_rate": 0}, "must be greater than 0"),
    ],
)
def test_a_training_that_cannot_be_is_refused_and_leaves_no_judge(rated, t5, var, given, reason):
    with pytest.raises(ConfigurationRefusedError, match=reason):
        trained(rated, t5, **given)
    assert not list(var.rglob("training.json"))


@needs_torch
def test_a_model_that_is_not_here_is_refused(rated, tmp_path):
    for model, reason in (("example/none", "not on this machine"), (tmp_path, "so it is no model")):
        with pytest.raises(ConfigurationRefusedError, match=reason):
            trained(rated, model)


@needs_torch
def test_a_study_without_rated_turns_is_refused(study, t5):
    with pytest.raises(ConfigurationRefusedError, match="has no turns to learn from"):
        trained(study, t5)


@pytest.mark.thorough
@needs_torch
def test_the_same_training_runs_once_at_a_time(rated, t5, monkeypatch):
    train = turn_judge_training.train

    def while_training(*args, **kwargs):
        with pytest.raises(ConfigurationRefusedError, match="running already"):
            trained(rated, t5)
        return train(*args, **kwargs)

    monkeypatch.setattr(turn_judge_training, "train", while_training)
    assert trained(rated, t5).weights_sha256


def test_without_torch_the_command_says_what_is_missing(rated, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CommandError, match="needs the package torch, which is not installed"):
        call_command("train_turn_judge", rated.slug, "--model", "example/t5")
    assert not JudgeRun.objects.exists()


def test_the_command_needs_a_model_and_knows_its_runs(rated):
    with pytest.raises(CommandError, match="--model is missing"):
        call_command("train_turn_judge", rated.slug)
    with pytest.raises(CommandError, match="It has: none"):
        call_command("train_turn_judge", rated.slug, "--resume", "fine_tuned/t5/1")


@needs_torch
@pytest.mark.django_db(transaction=True)
def test_the_command_trains_prints_the_curve_and_judges_to_the_end(rated, t5, capsys):
    options = [f"{name}={value}" for name, value in FAST.items()]
    call_command("train_turn_judge", rated.slug, "--model", str(t5), "--option", *options)
    out = capsys.readouterr().out.splitlines()
    about = training_of(next(path for path in trained_judges(rated).iterdir() if path.is_dir()))
    count = len(of_test_part(rated))
    assert out[0].startswith(f"{about['turns']['training']} turns for training, {about['turns']['validation']} for")
    assert [line.split()[0] for line in out[1:4]] == ["epoch", "1", "2"]
    curve = [line for line in out[2:4] if line.endswith("kept")]
    assert [int(line.split()[0]) for line in curve] == [about["best_epoch"]]
    assert f"{about['epochs'][0]['validation_loss']:.4f}" in out[2]
    assert out[4] == f"fine_tuned/{t5.name}/1: finished: {count} valid"
    call_command("train_turn_judge", rated.slug, "--model", str(t5), "--option", *options, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found == {"run": f"fine_tuned/{t5.name}/2", "status": "finished", "counts": {"valid": count}, "price": None}
    settle_runs()
    assert JudgeRun.objects.filter(status="finished").count() == 2
