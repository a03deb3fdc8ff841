"""The command `judge`: its arguments, and runs that are worked off in its own process."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import JudgeRun
from judges.models import RunWork
from judges.run_states import start_run
from tests.judges.scripted_judges import configured

pytestmark = pytest.mark.django_db(transaction=True)
GIVEN = ("--protocol", "llm_eval", "--model", "campus/small", "--question", "how_well")


def judged(capsys, study, *arguments):
    call_command("judge", study.slug, *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_a_run_is_estimated_shown_and_worked_off_to_its_end(study, model, capsys):
    found = judged(capsys, study, *GIVEN, "--estimate")
    assert (found["judgments"], found["calls"], found["about"], model.asked) == (6, 6, False, [])
    call_command("judge", study.slug, *GIVEN, "--show", "2")
    assert capsys.readouterr().out.count("The ferry sails at nine.") == 2
    found = judged(capsys, study, *GIVEN)
    assert found == {
        "run": "llm_eval/campus/small/1", "status": "finished", "counts": {"valid": 6}, "price": 180,
    }  # fmt: skip
    assert RunWork.objects.get().settled


def test_a_budget_that_is_used_up_is_raised_when_the_run_is_resumed(study, model, capsys):
    assert judged(capsys, study, *GIVEN, "--budget", "0.0001")["status"] == "out_of_budget"
    assert judged(capsys, study, "--resume", "llm_eval/campus/small/1")["status"] == "out_of_budget"
    found = judged(capsys, study, "--resume", "llm_eval/campus/small/1", "--budget", "1")
    assert (found["status"], found["counts"], len(model.asked)) == ("finished", {"valid": 6}, 6)


def test_a_run_whose_command_was_killed_goes_on(study, owner, model, capsys):
    start_run(study, configured(study), owner)
    assert judged(capsys, study, "--resume", "llm_eval/campus/small/1")["counts"] == {"valid": 6}


def test_what_a_killed_worker_held_when_the_run_was_stopped_is_judged_after_it_is_resumed(study, owner, model, capsys):
    from datetime import timedelta

    from django.utils import timezone

    from config.background.claiming import claim, process_row
    from config.background.kinds import works
    from judges.models import Judgment
    from judges.run_states import stop_run

    run = start_run(study, configured(study), owner)
    process_row("run", RunWork.objects.get(run=run).pk)
    claim(works()["judgment"], Judgment.objects.filter(run=run).first().pk)
    stop_run(run, owner)
    Judgment.objects.filter(status="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    assert judged(capsys, study, "--resume", "llm_eval/campus/small/1")["counts"] == {"valid": 6}


def test_runs_are_stopped_replaced_and_read_again(study, model, capsys):
    for _ in range(2):
        judged(capsys, study, *GIVEN, "--part", "2")
    call_command("judge", study.slug, "--replace", "llm_eval/campus/small/1", "llm_eval/campus/small/2")
    assert JudgeRun.objects.get(name="1").replaced_by.name == "2"
    found = judged(capsys, study, "--reread", "llm_eval/campus/small/2")
    assert (found["run"], found["counts"], len(model.asked)) == ("llm_eval/campus/small/3", {"valid": 2}, 4)
    with pytest.raises(CommandError, match="not running"):
        call_command("judge", study.slug, "--stop", "llm_eval/campus/small/2")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--model", "campus/small"), "--protocol is missing"),
        ((*GIVEN[:4],), "Choose at least one question"),
        ((*GIVEN, "how_well"), "named twice"),
        ((*GIVEN, "--option", "high"), "NAME=VALUE"),
        ((*GIVEN, "--option", "high=0"), "must be below"),
        ((*GIVEN, "--pilot", "-1"), "--pilot"),
        ((*GIVEN, "--budget", "nan"), "--budget"),
        (("--resume", "none/1"), "no run 'none/1'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(study, model, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        call_command("judge", study.slug, *arguments)
    assert not JudgeRun.objects.exists()
