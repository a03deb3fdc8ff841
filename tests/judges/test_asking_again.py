"""What a run has no valid reading of is asked again alone; runs stop early if every call ends in the same way."""

import pytest
from django.core.management import call_command

from annotation.models import JudgeRun, Rating
from judges.asking_again import ask_again
from judges.configuration import ConfigurationRefusedError
from judges.models import Judgment, RunWork
from judges.rereading import reread_run
from judges.run_context import charge_name
from judges.run_states import resume_run
from llm.budgets import set_cap
from llm.call_errors import NoReplyError, RateLimitedError, RejectedError, TruncatedError
from llm.hopeless_calls import FIRST
from llm.models import Budget, Call, Reservation
from tests.judges.scripted_judges import run_to_end, work_off
from tests.llm.calls import answered

pytestmark = pytest.mark.django_db


def cut():
    return TruncatedError(outcome=answered("", thinking="hm", finish_reason="length"))


def message(run):
    return RunWork.objects.get(run=run).message


def test_only_what_was_not_valid_is_asked_again_and_paid_for(study, owner, model):
    model.replies = ["Score: 4", "I cannot say.", cut(), "Score: 3", "Score: 2", "Score: 1"]
    run = run_to_end(study, owner)
    assert (run.status, run.counts) == ("finished", {"invalid": 1, "truncated": 1, "valid": 4})
    price = run.price
    again = ask_again(run, owner)
    assert (again.rater, again.status) == (run.rater, "running")
    work_off(again)
    assert (again.status, again.counts, len(model.asked)) == ("finished", {"valid": 6}, 8)
    calls = Call.objects.filter(run=charge_name(again))
    assert calls.count() == 2
    assert again.price == sum(calls.values_list("price_charged", flat=True)) < price
    run.refresh_from_db()
    assert (run.replaced_by, run.status, run.price) == (again, "finished", price)
    assert Rating.objects.filter(rater=run.rater, run=again.name).count() == 6
    kept = Judgment.objects.filter(run=again, original__isnull=False)
    assert [one.reading for one in kept] == [one.original.reading for one in kept]


def test_only_what_is_left_is_reserved(study, owner, model):
    model.replies = ["No.", *["Score: 4"] * 5]
    run = run_to_end(study, owner)
    again = ask_again(run, owner)
    work_off(again)
    whole, part = Reservation.objects.order_by("pk").values_list("amount", flat=True)
    assert part == pytest.approx(whole / 6, abs=1)
    assert RunWork.objects.get(run=again).estimate["calls"] == 1


def test_what_is_left_of_a_limit_is_the_limit_of_the_new_run(study, owner, model):
    model.replies = ["No.", *["Score: 4"] * 5]
    run = run_to_end(study, owner)
    set_cap(study, run.price + 10, owner, run=charge_name(run))
    again = ask_again(run, owner)
    work_off(again)
    assert Budget.objects.get(run=charge_name(again)).cap == 10
    assert again.status == "out_of_budget"


def test_what_was_asked_again_can_be_asked_again_and_read_again(study, owner, model):
    model.replies = ["No.", *["Score: 4"] * 5, "No."]
    run = run_to_end(study, owner)
    second = ask_again(run, owner)
    work_off(second)
    assert second.counts == {"invalid": 1, "valid": 5}
    third = ask_again(second, owner)
    work_off(third)
    assert (third.counts, len(model.asked)) == ({"valid": 6}, 8)
    reread = reread_run(third, owner)
    work_off(reread)
    assert (reread.counts, len(model.asked)) == ({"valid": 6}, 8)
    with pytest.raises(ConfigurationRefusedError, match="Every judgment of this run has a valid reading"):
        ask_again(third, owner)


def test_a_running_or_imported_run_cannot_be_asked_again(study, owner, model):
    run = run_to_end(study, owner)
    JudgeRun.objects.filter(pk=run.pk).update(replaced_by=None)
    imported = JudgeRun.objects.create(rater=run.rater, name="9", configuration={}, status="finished")
    with pytest.raises(ConfigurationRefusedError, match="imported"):
        ask_again(imported, owner)


def test_the_command_and_the_page_ask_again(transactional_db, study, owner, model, client, capsys):
    model.replies = ["No.", *["Score: 4"] * 5, "No."]
    run = run_to_end(study, owner)
    call_command("judge", "study", again=charge_name(run))
    assert "1 invalid, 5 valid" in capsys.readouterr().out
    second = JudgeRun.objects.latest("pk")
    client.force_login(owner)
    page = client.get(f"/studies/study/judges/runs/{second.pk}/").content.decode()
    assert "Ask again for 1" in page
    made = client.post(f"/studies/study/judges/runs/{second.pk}/again/")
    third = JudgeRun.objects.latest("pk")
    assert made["Location"] == f"/studies/study/judges/runs/{third.pk}/"
    work_off(third)
    assert third.counts == {"valid": 6}
    assert "Ask again for" not in client.get(f"/studies/study/judges/runs/{third.pk}/").content.decode()


@pytest.mark.parametrize("subset", [2, None])
def test_a_run_whose_replies_are_all_cut_off_stops_and_says_why(study, owner, model, subset):
    model.replies = [cut() for _ in range(12)]
    run = run_to_end(study, owner, subset=subset)
    judged = subset or FIRST
    assert (run.status, run.counts["truncated"], len(model.asked)) == ("stopped", judged, judged)
    assert "cut off at the limit of 64 tokens" in message(run)
    assert "thinking_tokens" in message(run)
    assert "campus/small" in message(run)
    model.replies = []
    again = ask_again(run, owner)
    work_off(again)
    assert (again.status, again.counts) == ("finished", {"valid": subset or 6})


def test_one_reply_that_is_complete_lets_a_run_go_on(study, owner, model):
    model.replies = ["Score: 4", *(cut() for _ in range(5))]
    assert run_to_end(study, owner).counts == {"truncated": 5, "valid": 1}


@pytest.mark.parametrize("subset", [2, None])
def test_a_run_whose_calls_are_all_rejected_stops_and_says_what_to_write(study, owner, model, subset):
    said = "The server rejected it because of temperature. Write `parameters: {temperature: null}`."
    model.replies = [RejectedError(detail=said) for _ in range(12)]
    run = run_to_end(study, owner, subset=subset)
    assert (run.status, len(model.asked)) == ("stopped", subset or FIRST)
    assert said in message(run)
    model.replies = []
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": subset or 6})


def test_a_reply_that_was_none_fails_a_judgment_that_can_be_resumed(study, owner, model):
    model.replies = [NoReplyError(), *["Score: 4"] * 5]
    run = run_to_end(study, owner)
    assert (run.status, run.counts) == ("stopped", {"failed": 1, "valid": 5})
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts, len(model.asked)) == ("finished", {"valid": 6}, 7)


def test_a_judgment_waits_as_long_as_the_endpoint_demands(study, owner, model, settings):
    problem = RateLimitedError(retry_after=40.0)
    problem.put_off = 40.0
    model.replies = [problem, *["Score: 4"] * 5]
    run = run_to_end(study, owner)
    [waiting] = Judgment.objects.filter(run=run, status="queued")
    assert (run.status, waiting.attempt, waiting.reason) == ("running", 0, RateLimitedError.sentence)
    assert 30 < (waiting.due_at - waiting.started_at).total_seconds() <= 41
    Judgment.objects.filter(pk=waiting.pk).update(due_at=waiting.started_at)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})
