"""Steps from their start to their end: what is asked, kept, reserved and paid."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Item
from config.background.claiming import Claim, run_waiting
from config.background.sweeping import sweep
from llm.budgets import close, set_cap
from llm.call_errors import RefusedError, RejectedError, TruncatedError
from llm.hopeless_calls import FIRST
from llm.models import Budget, Call
from llm.prompt_versions import publish_prompt
from parts.preparing import step_states
from parts.preparing.models import PreparationCall, PreparationStep, PreparedText, Suggestion
from parts.preparing.placing import place_items, readiness
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.step_states import resume_step, start_step, stop_step
from tests.llm.calls import answered
from tests.parts.preparing.prepared_studies import (
    configured_step,
    empty_study,
    step_to_end,
    with_documents,
    work_off,
)


@pytest.fixture
def draft(tmp_path, owner):
    study = empty_study(tmp_path, owner=owner)
    with_documents(study, tmp_path)
    return study


def state(step):
    step.refresh_from_db()
    return step.status


def killed(claim, **fields):
    raise KeyboardInterrupt


def test_documents_become_items_with_outputs_and_references(draft, owner, model):
    step = step_to_end(draft, "instructions", count=2, accept=True)
    assert step.status == PreparationStep.Status.FINISHED
    assert Suggestion.objects.filter(state="accepted").count() == 6
    model.replies = [f"Answer {number}." for number in range(12)]
    step_to_end(draft, "answers", system="north", seed=1)
    step_to_end(draft, "answers", system="gold", role="reference", generic=False)
    assert readiness(draft).ready == 6
    place_items(draft, owner)
    item = Item.objects.order_by("pk").first()
    assert item.key.endswith("-1")
    assert (item.outputs.get().key, item.outputs.get().writer) == ("north", "model")
    assert [one["writer"] for one in item.references] == ["model"]
    assert PreparedText.objects.filter(role="reference").count() == 6
    assert readiness(draft).placed == 6
    draft.refresh_from_db()
    assert draft.systems == {"north": {"model": "campus/small", "generic": True}}


def test_each_call_says_in_the_ledger_which_prompt_and_parameters_it_had(draft, model):
    step_to_end(draft, "requirements", count=2, temperature=0.7, top_p=0.9, seed=4, part=1, model="campus/able")
    call = Call.objects.get()
    assert (call.run, call.prompt_key) == ("prepare/1", "preparing/requirements")
    assert call.prompt_digest == PreparationStep.objects.get().said("prompts")["requirements"]["digest"]
    said = {name: call.parameters[name] for name in ("temperature", "top_p", "seed")}
    assert said == {"temperature": 0.7, "top_p": 0.9, "seed": 4}


def test_a_killed_workers_answer_is_adopted_and_nothing_is_stored_twice(draft, owner, model, monkeypatch):
    """The ledger has the answers, and the worker is killed before it stores what they suggest."""
    model.replies = ["1. Sum it up.\n2. List the names.", RefusedError()]
    step = start_step(draft, configured_step(draft, "instructions", count=2, part=2), owner)
    with monkeypatch.context() as patched:
        patched.setattr(Claim, "finish", killed)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                run_waiting()
    PreparationCall.objects.filter(status="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    work_off()
    assert state(step) == "finished"
    assert len(model.asked) == 2
    assert sorted(PreparationCall.objects.values_list("outcome", flat=True)) == ["refused", "valid"]
    assert sorted(Suggestion.objects.values_list("text", flat=True)) == ["List the names.", "Sum it up."]


def test_a_stopped_step_keeps_its_answers_and_a_resumed_one_pays_nothing_twice(draft, owner, model):
    step = start_step(draft, configured_step(draft, "requirements", count=1), owner)
    run_waiting(limit=1)
    assert stop_step(step, owner)
    assert not stop_step(step, owner)
    assert Suggestion.objects.count() == 1
    assert resume_step(step, owner)
    work_off()
    assert state(step) == "finished"
    assert (len(model.asked), Suggestion.objects.count()) == (3, 3)
    assert not resume_step(step, owner)


def test_what_a_step_may_cost_is_reserved_and_the_rest_goes_back(draft, owner, model):
    step = start_step(draft, configured_step(draft, "requirements", count=1, max_tokens=100), owner)
    budget = Budget.objects.get(study=draft, run="")
    assert budget.reserved == step.reservation.amount == step.estimate["price"] > 0
    work_off()
    budget.refresh_from_db()
    assert (budget.reserved, budget.spent) == (0, 3 * 30)


def test_a_step_beyond_the_budget_does_not_start(draft, owner, model):
    with pytest.raises(PreparationRefusedError, match="does not allow") as refused:
        start_step(draft, configured_step(draft, "requirements", count=1), owner, budget=10)
    assert refused.value.field == "budget"
    assert not PreparationStep.objects.exists()
    assert not Budget.objects.filter(cap__isnull=False).exists()


def test_a_step_pauses_where_a_budget_ends_and_goes_on_when_it_is_raised(draft, owner, model):
    step = start_step(draft, configured_step(draft, "requirements", count=1, max_tokens=100), owner)
    run_waiting(limit=1)
    close(step.reservation)
    set_cap(draft, 31, owner)
    work_off()
    assert state(step) == "out_of_budget"
    set_cap(draft, None, owner)
    resume_step(step, owner)
    work_off()
    assert (state(step), len(model.asked)) == ("finished", 3)


def test_workers_are_notified_of_the_first_calls_and_the_sweep_finds_the_others(
    draft, owner, model, wakes, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(step_states, "WOKEN_AT_ONCE", 2)
    with django_capture_on_commit_callbacks(execute=True):
        start_step(draft, configured_step(draft, "requirements", count=1), owner)
    assert len(wakes) == 2
    sweep()
    assert {pk for _, pk in wakes} == set(PreparationCall.objects.values_list("pk", flat=True))


def test_a_failed_call_leaves_a_step_that_can_be_resumed(draft, owner, model):
    model.replies = [RejectedError()]
    step = step_to_end(draft, "requirements", count=1)
    assert step.status == "stopped"
    assert step.message == "1 calls failed. Resume the step to try them again."
    resume_step(step, owner)
    work_off()
    assert state(step) == "finished"


def test_an_unusable_reply_is_counted_with_its_reason_and_suggests_nothing(draft, model):
    model.replies = ["1. Only one.", "No list.", "1. One.\n2. Two."]
    step = step_to_end(draft, "instructions", count=2)
    assert step.status == "finished"
    reasons = PreparationCall.objects.filter(outcome="invalid").values_list("reason", flat=True)
    assert sorted(reasons) == ["a line without a number", "fewer texts than asked for"]
    assert Suggestion.objects.count() == 2


def test_the_same_key_starts_a_step_once(draft, owner, model):
    key, configuration = uuid4(), configured_step(draft, "requirements", count=1)
    first = start_step(draft, configuration, owner, client_key=key)
    assert start_step(draft, configuration, owner, client_key=key) == first
    assert PreparationStep.objects.count() == 1


def test_a_step_asks_only_about_documents_without_suggestions(draft, owner, model):
    step_to_end(draft, "requirements", count=1, part=2)
    step_to_end(draft, "requirements", count=1)
    assert Suggestion.objects.values("document").distinct().count() == Suggestion.objects.count() == 3
    with pytest.raises(PreparationRefusedError, match="nothing to ask"):
        start_step(draft, configured_step(draft, "requirements"), owner)


def test_a_system_has_one_model_and_one_set_of_parameters(draft, owner, model):
    step_to_end(draft, "instructions", count=1, accept=True)
    step_to_end(draft, "answers", system="north", part=1)
    for given in ({"temperature": 1.0}, {"model": "campus/free"}, {"generic": False}):
        with pytest.raises(PreparationRefusedError, match="Choose another id") as refused:
            start_step(draft, configured_step(draft, "answers", system="north", **given), owner)
        assert refused.value.field == "system"
    step_to_end(draft, "answers", system="north")
    assert PreparedText.objects.filter(key="north").count() == 3


def test_a_prompt_that_changes_meanwhile_is_never_used(draft, owner, model):
    step = start_step(draft, configured_step(draft, "requirements", count=1), owner)
    publish_prompt(draft, "preparing", "requirements", "", "Mine: {{document}} {{form}}", owner)
    work_off()
    assert state(step) == "finished"
    assert not any("Mine" in request.text() for request in model.asked)
    own = step_to_end(draft, "instructions", count=1, part=1)
    assert own.said("prompts")["instructions"]["version"] == "1"


def test_only_a_draft_can_be_prepared_and_only_by_a_language_model(draft, owner, model):
    with pytest.raises(PreparationRefusedError, match="not a language model"):
        configured_step(draft, "requirements", model="extractive/extractive")
    configuration = configured_step(draft, "requirements")
    draft.status = "live"
    draft.save()
    with pytest.raises(PreparationRefusedError, match="Only a draft"):
        start_step(draft, configuration, owner)


@pytest.mark.parametrize("problem", [TruncatedError, RejectedError])
def test_a_step_whose_first_calls_all_end_in_the_same_way_stops_and_says_why(draft, model, problem):
    step_to_end(draft, "instructions", count=2, accept=True)
    said = "Write `parameters: {temperature: null}`."
    model.replies = [problem(detail=said, outcome=answered("", thinking="hm")) for _ in range(6)]
    before = len(model.asked)
    step = step_to_end(draft, "answers", system="north", seed=1)
    assert (step.status, len(model.asked) - before) == ("stopped", FIRST)
    assert ("thinking_tokens" if problem is TruncatedError else said) in step.message
    assert not PreparedText.objects.exists()


def test_thinking_never_reaches_a_prepared_text(draft, model):
    step_to_end(draft, "instructions", count=2, accept=True)
    model.replies = [answered("At nine.", thinking="I am Gemma, made by a lab.") for _ in range(6)]
    step_to_end(draft, "answers", system="north", seed=1)
    assert set(PreparedText.objects.values_list("text", flat=True)) == {"At nine."}
