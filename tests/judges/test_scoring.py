"""Runs of metrics from their start to their ratings."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import JudgeRun, Rater, Rating
from config.background.claiming import Claim, run_waiting
from judges import scoring
from judges.background.run_upkeep import settle_runs
from judges.configuration import ConfigurationRefusedError
from judges.metric_configuration import checked_metric
from judges.metrics import MetricInput, metrics
from judges.models import RunWork
from judges.run_states import resume_run, start_run, stop_run
from tests.conftest import add_item

pytestmark = pytest.mark.django_db


def checked(study, metric="words", questions=("how_well",), **given):
    return checked_metric(study, {"metric": metric, "questions": questions, **given})


def score(study, actor=None, **given):
    run = start_run(study, checked(study, **given), actor)
    while run_waiting():
        settle_runs()
    settle_runs()
    run.refresh_from_db()
    return run


def test_every_output_gets_the_metric_s_own_value(study, owner):
    run = score(study, owner, metric="rouge", references=["human"], questions=("how_well", "follows"))
    assert (run.status, run.counts, run.rater.kind) == ("finished", {"valid": 6}, "metric")
    rows = Rating.objects.filter(rater=run.rater).select_related("output__item")
    assert rows.count() == 12
    for row in rows:
        given = MetricInput(row.output.text, row.output.item.document, ("CANARY-REFERENCE",))
        assert row.value == metrics()["rouge"].scores([given], {})[0].value
    assert (run.configuration["made_by"]["packages"], run.price) == ({"rouge-score": "0.0.4"}, None)


def test_outputs_without_the_named_reference_are_counted_and_get_no_score(study, owner):
    item = add_item(study, "by-a-model", references=[{"id": "m", "writer": "model", "text": "At nine."}])
    run = score(study, owner, metric="rouge", references=["human"])
    assert run.counts == {"valid": 6, "without_reference": 3}
    assert not Rating.objects.filter(rater=run.rater, item=item).exists()


def test_two_settings_of_a_metric_are_two_raters_and_the_same_ones_again_one(study, owner):
    first, again = score(study, owner), score(study, owner, subset=2)
    other = score(study, owner, metric="rouge", references=["human"])
    recall = score(study, owner, metric="rouge", references=["human"], options={"measure": "recall"})
    assert (first.rater, first.name, again.name, again.counts) == (again.rater, "1", "2", {"valid": 2})
    assert (first.rater.name, other.rater.name) == ("words", "rouge")
    assert recall.rater.name.startswith("rouge-")


def test_a_killed_job_goes_on_where_it_was_and_scores_nothing_twice(study, owner, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 2)
    run, update = start_run(study, checked(study), owner), Claim.update

    def killed(claim, **fields):
        update(claim, **fields)
        if fields.get("planned") == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Claim, "update", killed)
        with pytest.raises(KeyboardInterrupt):
            run_waiting()
    assert Rating.objects.filter(rater=run.rater).count() == 4
    RunWork.objects.update(status="queued", token=None, lease_until=None)
    run_waiting()
    settle_runs()
    run.refresh_from_db()
    assert (run.status, run.counts, Rating.objects.filter(rater=run.rater).count()) == ("finished", {"valid": 6}, 6)


def test_a_run_of_a_metric_can_be_stopped_and_resumed(study, owner):
    run = start_run(study, checked(study), owner)
    assert stop_run(run, owner)
    run_waiting()
    assert (run.status, Rating.objects.filter(rater=run.rater).count()) == ("stopped", 0)
    assert resume_run(run, owner)
    while run_waiting():
        settle_runs()
    settle_runs()
    run.refresh_from_db()
    assert (run.status, run.counts) == ("finished", {"valid": 6})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"metric": "none"}, "metric"),
        ({"metric": "rouge"}, "references"),
        ({"options": {"none": 1}}, "options"),
        ({"questions": ()}, "questions"),
        ({"questions": ("none",)}, "questions"),
        ({"subset": 0}, "subset"),
        ({"metric": "bleurt", "references": ["human"], "options": {"model": "/etc"}}, "options"),
    ],
)
def test_a_metric_that_cannot_run_is_refused_at_its_field(study, given, field):
    with pytest.raises(ConfigurationRefusedError) as raised:
        checked(study, **given)
    assert raised.value.field == field


@pytest.mark.django_db(transaction=True)
def test_the_command_scores_to_the_end_and_prints_what_came_of_it(study, capsys):
    call_command("score", study.slug, "--metric", "words", "--question", "how_well", "--json")
    found = json.loads(capsys.readouterr().out)
    assert found == {"run": "words/1", "status": "finished", "counts": {"valid": 6}, "price": None}
    assert Rater.objects.get(name="words").kind == "metric"
    with pytest.raises(CommandError, match="is finished and cannot be resumed"):
        call_command("score", study.slug, "--resume", "words/1")
    with pytest.raises(CommandError, match="It has: words/1"):
        call_command("score", study.slug, "--resume", "words/2")
    with pytest.raises(CommandError, match="it was imported, or has none"):
        call_command("judge", study.slug, "--reread", "words/1")
    assert JudgeRun.objects.count() == 1


def test_the_demo_s_studies_get_runs_once(settings, tmp_path):
    settings.VAR = tmp_path
    call_command("demo", links=str(tmp_path / "links.txt"))
    for _ in range(2):
        call_command("demo_scores")
    while run_waiting():
        settle_runs()
    settle_runs()
    runs = {(run.rater.study.slug, run.rater.name): run for run in JudgeRun.objects.select_related("rater__study")}
    assert sorted(runs) == [
        ("demo-listwise", "words"), ("demo-pairwise", "rouge"), ("demo-rating", "sentences"), ("demo-rating", "words"),
    ]  # fmt: skip
    assert {run.status for run in runs.values()} == {"finished"}
    assert all(run.counts["valid"] > 0 for run in runs.values())


def test_a_part_stays_the_same_when_items_are_added_before_the_run_is_resumed(study, owner, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 1)
    run, update = start_run(study, checked(study, subset=3), owner), Claim.update

    def killed(claim, **fields):
        update(claim, **fields)
        if fields.get("planned") == 1:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Claim, "update", killed)
        with pytest.raises(KeyboardInterrupt):
            run_waiting()
    drawn = RunWork.objects.get(run=run).estimate["outputs"]
    for number in range(5):
        add_item(study, f"added-{number}")
    RunWork.objects.update(status="queued", token=None, lease_until=None)
    run_waiting()
    settle_runs()
    run.refresh_from_db()
    scored = Rating.objects.filter(rater=run.rater).values_list("output", flat=True)
    assert (run.counts, sorted(scored)) == ({"valid": 3}, sorted(drawn))
