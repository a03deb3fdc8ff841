"""Runs from their start to their ratings."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import JudgeRun, Rater, Rating
from config.background.claiming import Claim, claim, process_row, run_waiting
from config.background.kinds import works
from judges import judgment_planning
from judges import run_context as run_context_module
from judges.background.judging import judge
from judges.background.run_upkeep import settle_runs
from judges.configuration import ConfigurationRefusedError
from judges.estimates import rendered_prompts
from judges.judge_protocols import llm_eval
from judges.models import Judgment, RunWork
from judges.rereading import reread_run
from judges.run_context import charge_name
from judges.run_states import replace_run, resume_run, start_run, stop_run
from llm.budgets import highest_call_price, reserve, set_cap, settle
from llm.call_errors import FilteredError, RefusedError, RejectedError, TruncatedError
from llm.models import Budget, Call
from llm.prompt_files import parse_prompt
from llm.requests import Charge
from tests.conftest import add_item
from tests.judges.scripted_judges import configured, run_to_end, work_off
from tests.llm.calls import answered, write_endpoints

pytestmark = pytest.mark.django_db


def test_a_run_judges_every_output_once_and_its_readings_become_ratings(study, owner, model):
    run = run_to_end(study, owner)
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    judgments = Judgment.objects.filter(run=run)
    rows = Rating.objects.filter(rater=run.rater)
    assert {(row.item_id, row.output_id, row.value) for row in rows} == {
        (one.item_id, one.output_id, one.reading["value"]) for one in judgments
    }
    assert rows.count() == 6
    assert {(row.run, row.replicate, row.level) for row in rows} == {("1", 1, "interval")}
    assert Call.objects.filter(study=study, status="answered").count() == 6
    assert run.tokens_in == 6 * 20


def test_a_rerun_and_a_second_question_are_judgments_of_their_own(study, owner, model):
    run = run_to_end(study, owner, questions=("how_well", "follows"), replicates=2)
    assert run.counts == {"valid": 24}
    rows = Rating.objects.filter(rater=run.rater).values_list("question__key", "replicate")
    assert {(key, number): list(rows).count((key, number)) for key, number in rows} == {
        (key, number): 6 for key in ("how_well", "follows") for number in (1, 2)
    }
    assert len({request.text() for request in model.asked}) == 6  # both items have the same texts
    assert len(Call.objects.values_list("request_digest", flat=True).distinct()) == 12


def test_a_second_run_of_the_same_judge_has_the_same_rater_and_another_configuration_another(study, owner, model):
    first, second = run_to_end(study, owner), run_to_end(study, owner, subset=1)
    other = run_to_end(study, owner, options={"high": 10})
    assert (first.rater, first.name, second.name) == (second.rater, "1", "2")
    assert other.rater.name.startswith("llm_eval/campus/small-")
    assert (second.counts, other.counts) == ({"valid": 1}, {"valid": 6})


def test_a_stopped_run_keeps_its_answers_and_a_resumed_one_pays_nothing_twice(study, owner, model):
    run = start_run(study, configured(study), owner)
    run_waiting(limit=4)
    assert stop_run(run, owner)
    assert run.status == "stopped"
    judged = set(Judgment.objects.filter(run=run, status="done").values_list("pk", flat=True))
    assert 0 < len(judged) < 6
    assert resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    assert len(model.asked) == 6
    assert not resume_run(run, owner)


def test_a_pilot_stops_after_its_units_and_goes_on_when_resumed(study, owner, model):
    run = start_run(study, configured(study), owner, pilot=2)
    work_off(run)
    assert (run.status, run.counts, len(model.asked)) == ("stopped", {"valid": 2}, 2)
    assert "pilot of 2 units" in RunWork.objects.get(run=run).message
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts, len(model.asked)) == ("finished", {"valid": 6}, 6)


def test_what_the_run_may_cost_is_reserved_and_the_rest_goes_back(study, owner, model):
    set_cap(study, 10_000, owner)
    run = start_run(study, configured(study), owner)
    process_row("run", RunWork.objects.get(run=run).pk)
    work = RunWork.objects.get(run=run)
    assert work.reservation.amount == work.estimate["price"] > 0
    assert Budget.objects.get(study=study, run="").reserved == work.reservation.amount
    work_off(run)
    budget = Budget.objects.get(study=study, run="")
    assert (budget.reserved, budget.spent, run.price) == (0, 6 * 30, 6 * 30)


def test_a_run_beyond_the_budget_is_refused_before_its_first_call(study, owner, model):
    run = start_run(study, configured(study), owner, budget=100)
    work_off(run)
    assert (run.status, model.asked) == ("out_of_budget", [])
    assert "does not allow" in RunWork.objects.get(run=run).message
    set_cap(study, 100_000, owner, run=charge_name(run))
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})


def test_a_run_that_may_be_done_partly_stops_where_its_budget_ends_and_resumes_when_it_is_raised(study, owner, model):
    highest = highest_call_price(one_request(study))
    run = start_run(study, configured(study), owner, budget=highest + 2 * 30, partly=True)
    work_off(run)
    assert (run.status, len(model.asked), run.counts) == ("out_of_budget", 3, {"stopped": 3, "valid": 3})
    assert Rating.objects.filter(rater=run.rater).count() == 3
    set_cap(study, None, owner, run=charge_name(run))
    resume_run(run, owner)
    work_off(run)
    assert (run.status, len(model.asked)) == ("finished", 6)
    assert Rating.objects.filter(rater=run.rater).count() == 6


def test_an_invalid_reply_is_counted_and_makes_no_rating(study, owner, model):
    model.replies = ["Score: 9", RefusedError(), TruncatedError(), FilteredError(), "good", "Score: 3"]
    run = run_to_end(study, owner)
    assert run.counts == {"filtered": 1, "invalid": 2, "refused": 1, "truncated": 1, "valid": 1}
    reasons = set(Judgment.objects.filter(outcome="invalid").values_list("reason", flat=True))
    assert reasons == {"number off the scale", "no answer in the form requested"}
    assert Rating.objects.filter(rater=run.rater).count() == 1


def test_a_failed_call_leaves_a_run_that_can_be_resumed(study, owner, model):
    model.replies = [RejectedError()]
    run = run_to_end(study, owner)
    assert (run.status, run.counts) == ("stopped", {"failed": 1, "valid": 5})
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})


def test_a_killed_worker_s_answer_is_adopted_whatever_the_answer_was(study, owner, model, monkeypatch):
    """The ledger has the answers, and the worker is killed before it writes the judgment."""
    model.replies = ["Score: 2", RefusedError()]
    run = start_run(study, configured(study, subset=2), owner)
    process_row("run", RunWork.objects.get(run=run).pk)
    with monkeypatch.context() as patched:
        patched.setattr(Claim, "finish", killed)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                run_waiting()
    Judgment.objects.filter(status="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    work_off(run)
    assert (run.counts, len(model.asked)) == ({"refused": 1, "valid": 1}, 2)


def test_replies_are_read_again_without_calls_as_a_new_run(study, owner, model, monkeypatch):
    model.replies = ["Punkte: 4"] * 6
    run = run_to_end(study, owner)
    assert run.counts == {"invalid": 6}
    monkeypatch.setattr(llm_eval, "LABEL", "Punkte")
    monkeypatch.setattr(llm_eval.LlmEval, "parser", 2)
    again = reread_run(run, owner)
    work_off(again)
    assert (again.counts, len(model.asked)) == ({"valid": 6}, 6)
    assert again.configuration["reread_of"] == f"{run.rater.name}/1"
    assert again.rater != run.rater  # another parser makes another judge
    assert Rating.objects.filter(rater=again.rater, value=4).count() == 6
    replace_run(run, again, owner)
    assert run.replaced_by == again
    with pytest.raises(ConfigurationRefusedError):
        reread_run(again, owner)


def test_a_model_that_was_renamed_is_noticed(study, owner, model, settings, tmp_path):
    run = start_run(study, configured(study), owner)
    run_waiting(limit=3)
    stop_run(run, owner)
    path = write_endpoints(settings, tmp_path)
    path.write_text(path.read_text().replace("asked: small-1", "asked: small-2"))
    with pytest.raises(ConfigurationRefusedError, match=r"small-2; this run began with small-1"):
        resume_run(run, owner)
    write_endpoints(settings, tmp_path)
    model.replies = [replace(answered("Score: 2"), model_returned="small-1-new")]
    resume_run(run, owner)
    work_off(run)
    assert (run.status, "small-1, small-1-new" in RunWork.objects.get(run=run).message) == ("finished", True)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"protocol": "none"}, "protocol"),
        ({"model": "extractive/extractive"}, "model"),
        ({"model": "campus/none"}, "model"),
        ({"questions": ()}, "questions"),
        ({"questions": ("none",)}, "questions"),
        ({"options": {"high": 1}}, "questions"),
        ({"options": {"high": "many"}}, "option-high"),
        ({"options": {"none": 1}}, "option-none"),
        ({"replicates": 0}, "replicates"),
        ({"subset": 0}, "subset"),
        ({"pairs": "some"}, "pairs"),
        ({"pairs": "baseline"}, "baseline"),
        ({"texts": {"follows": "Does it?"}}, "texts"),
    ],
)
def test_a_configuration_that_cannot_run_is_refused_at_its_field(study, model, given, field):
    with pytest.raises(ConfigurationRefusedError) as raised:
        configured(study, **given)
    assert raised.value.field == field
    assert raised.value.reason.endswith(".")


def test_a_run_with_nothing_to_judge_is_refused(make_study, owner, model):
    empty = make_study("empty", items=0)
    with pytest.raises(ConfigurationRefusedError, match="nothing that such a run could judge"):
        start_run(empty, configured(empty), owner)
    assert not RunWork.objects.exists()


def test_a_run_of_a_protocol_that_is_gone_keeps_no_other_run_waiting(study, owner, model):
    rater = Rater.objects.create(study=study, name="gone/campus/small", kind="model")
    gone = {"protocol": "gone", "model": "campus/small", "questions": []}
    old = JudgeRun.objects.create(rater=rater, name="1", configuration=gone, status="running")
    work = RunWork.objects.create(run=old, study=study, status="done", ended_at=timezone.now())
    Judgment.objects.create(
        run=old, place=0, item=study.items.first(), status="done", outcome="invalid", ended_at=timezone.now()
    )
    run = start_run(study, configured(study, options={"high": 10}), owner)
    while run_waiting():
        settle_runs()
    settle_runs()
    run.refresh_from_db()
    assert (run.status, RunWork.objects.get(run=run).settled) == ("finished", True)
    assert not RunWork.objects.get(pk=work.pk).settled


def killed(claim, **fields):
    raise KeyboardInterrupt


def one_request(study):
    return rendered_prompts(study, configured(study))[0].request


def units_judged(run):
    rows = Judgment.objects.filter(run=run).exclude(outcome="")
    return sorted(rows.values_list("item__key", "output__key", "question__key", "replicate"))


def test_items_added_after_the_pilot_change_nothing_of_the_run(study, owner, model):
    run = start_run(study, configured(study, subset=4, replicates=2), owner, pilot=2)
    work_off(run)
    planned = sorted(
        Judgment.objects.filter(run=run).values_list("item__key", "output__key", "question__key", "replicate")
    )
    for number in range(6):
        add_item(study, f"added-{number}")
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 8})
    assert units_judged(run) == planned
    assert len(set(planned)) == 8


def test_a_killed_planner_s_successor_begins_again(study, owner, model, monkeypatch):
    monkeypatch.setattr(judgment_planning, "AT_ONCE", 2)
    run, update = start_run(study, configured(study), owner), Claim.update

    def killed_at_four(claim, **fields):
        update(claim, **fields)
        if fields.get("planned") == 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Claim, "update", killed_at_four)
        with pytest.raises(KeyboardInterrupt):
            run_waiting()
    assert set(Judgment.objects.filter(run=run).values_list("status", flat=True)) == {"stopped"}
    assert model.asked == []
    add_item(study, "added")
    RunWork.objects.update(status="queued", token=None, lease_until=None)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 9})
    assert len(set(units_judged(run))) == 9


def test_a_run_stopped_while_it_is_planned_is_planned_again_when_it_is_resumed(study, owner, model):
    run = start_run(study, configured(study), owner)
    stop_run(run, owner)
    resume_run(run, owner)
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})


def test_a_run_that_is_resumed_at_once_keeps_the_calls_that_are_being_made(study, owner, model):
    run = start_run(study, configured(study), owner)
    process_row("run", RunWork.objects.get(run=run).pk)
    live = claim(works()["judgment"], Judgment.objects.filter(run=run).first().pk)
    stop_run(run, owner)
    resume_run(run, owner)
    live.renew()  # raises nothing: nobody wants it to stop any more
    judge(live)
    work_off(run)
    assert (run.status, run.counts, len(model.asked)) == ("finished", {"valid": 6}, 6)


def test_a_passing_shortage_of_the_budget_waits_and_does_not_end_the_run(study, owner, model):
    highest = highest_call_price(one_request(study))
    run = start_run(study, configured(study), owner, budget=highest + 6 * 30, partly=True)
    reserve(Charge(study, charge_name(run)), highest)  # as a call that is being made
    process_row("run", RunWork.objects.get(run=run).pk)
    process_row("judgment", Judgment.objects.filter(run=run).first().pk)
    row = Judgment.objects.filter(run=run).first()
    run.refresh_from_db()
    assert (run.status, row.status, row.attempt) == ("running", "queued", 0)
    settle(Charge(study, charge_name(run)), highest, 0)
    Judgment.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    work_off(run)
    assert (run.status, run.counts) == ("finished", {"valid": 6})


def test_replies_are_read_again_without_the_model_or_its_prompt(study, owner, model, settings, tmp_path, monkeypatch):
    run = run_to_end(study, owner)
    settings.ENDPOINTS_FILE = tmp_path / "no-endpoints.yaml"
    settings.ENDPOINTS_FILE.write_text("endpoints: {}\n")
    monkeypatch.setattr(
        run_context_module, "load_prompt", lambda app, name: parse_prompt("judges/llm_eval", NEW_PROMPT)
    )
    again = reread_run(run, owner)
    work_off(again)
    assert (again.status, again.counts, len(model.asked)) == ("finished", {"valid": 6}, 6)


NEW_PROMPT = "---\nversion: 2\n---\n\n# user\n\n{{output}} {{question}}\n"
