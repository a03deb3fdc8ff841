"""Calls: what is recorded, what is refused, and what becomes of replies."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.models import AuditEntry
from llm import door, ledger, stop_marks
from llm.call_errors import (
    BadReplyError,
    BudgetError,
    CallTimeoutError,
    CircuitOpenError,
    FilteredError,
    InstructionUnsupportedError,
    RefusedError,
    ServerError,
    StoppedError,
    TooLongError,
    TruncatedError,
    UnknownModelError,
)
from llm.door import complete
from llm.limits import FAILURES_TO_OPEN
from llm.models import Budget, Call, EndpointState
from llm.requests import AnswerMaterial, Candidate, Charge, Message, Request, SourcePassage, TokenLogprob
from tests.llm.calls import answered, asked, attempt

pytestmark = pytest.mark.quick
MATERIAL = AnswerMaterial(
    "first", "When do ferries sail?",
    passages=(SourcePassage(0, "Timetables", "Ferries sail at nine in summer. They sail at ten in winter."),),
)  # fmt: skip


def test_the_ledger_stores_the_request_and_outcome_of_a_call(study, owner, replies):
    replies(answered(attempts=(attempt(1, "server_error", 500, billable=False), attempt(2))))
    charge = Charge(study, run="run-1", person=owner, work="turn:12", step="summary")
    reply = complete(asked(temperature=0.7, seed=3), charge)
    call = Call.objects.get()
    assert reply.call == call
    assert (reply.text, reply.finish_reason, reply.model_returned) == ("At nine.", "stop", "small-1")
    assert (call.study, call.run, call.person, call.work, call.step) == (study, "run-1", owner, "turn:12", "summary")
    assert (call.endpoint, call.model, call.model_asked, call.model_returned) == (
        "campus",
        "small",
        "small-1",
        "small-1",
    )
    assert call.parameters == {"temperature": 0.7, "top_p": 1.0, "seed": 3, "max_tokens": 100}
    assert (call.prompt_key, call.prompt_version, call.prompt_digest) == ("sessions/first", "1", "d" * 64)
    assert call.messages[1] == {"role": "user", "content": "When does the ferry sail?"}
    assert len(call.messages_digest) == len(call.request_digest) == 64
    assert (call.status, call.text, call.raw) == ("answered", "At nine.", '{"raw": true}')
    assert (call.tokens_in, call.tokens_out, call.requests) == (20, 5, 2)
    assert [one["ended"] for one in call.attempts] == ["server_error", "answered"]
    assert call.price_charged == 20 * 1 + 5 * 2
    assert call.started_at <= call.ended_at
    assert call.lease_until is None


def test_a_call_takes_few_statements(study, owner, replies, django_assert_max_num_queries):
    """Django takes ten times as long to build a statement as the database takes to run one of these."""
    complete(asked(), Charge(study, run="run-1", person=owner, work="turn:11"))
    with django_assert_max_num_queries(15):
        complete(asked(), Charge(study, run="run-1", person=owner, work="turn:12"))


def test_an_equal_call_adds_a_row_and_changes_no_other(study, replies):
    complete(asked(), Charge(study))
    before = Call.objects.values().get()
    complete(asked(), Charge(study))
    assert Call.objects.count() == 2
    assert Call.objects.filter(pk=before["id"]).values().get() == before


@pytest.mark.parametrize("values", [{"text": "x"}, {"status": "failed"}, {"price_charged": 0}, {"reason": "x"}])
def test_the_database_refuses_to_change_a_finished_call(study, replies, values):
    call = complete(asked(), Charge(study)).call
    with pytest.raises(DatabaseError), transaction.atomic():
        Call.objects.filter(pk=call.pk).update(**values)


def test_the_database_refuses_to_change_the_request_of_a_running_call(study, replies):
    def look(on_text, stopped):
        for values in (
            {"messages": []},
            {"model_asked": "x"},
            {"price_reserved": 0},
            {"price_per_request": 0},
            {"work": "turn:13"},
        ):
            with pytest.raises(DatabaseError), transaction.atomic():
                Call.objects.update(**values)
        return answered()

    replies(look)
    complete(asked(), Charge(study, work="turn:12"))


@pytest.mark.parametrize(
    ("problem", "status", "kind"),
    [
        (RefusedError(), "refused", "refused"),
        (FilteredError(), "filtered", "filtered"),
        (TruncatedError(), "truncated", "truncated"),
        (BadReplyError(), "invalid", "bad_reply"),
        (CallTimeoutError(), "failed", "timeout"),
        (ServerError(), "failed", "server_error"),
        (StoppedError(), "stopped", "stopped"),
    ],
)
def test_a_failure_is_stored_with_the_partial_reply(study, replies, problem, status, kind):
    outcome = answered("At ni", tokens=None, finish_reason="length", raw="At ni")
    replies(type(problem)(partial="At ni", outcome=outcome))
    with pytest.raises(type(problem)) as raised:
        complete(asked(), Charge(study))
    call = Call.objects.get()
    assert raised.value.partial == "At ni"
    assert (call.status, call.kind, call.reason) == (status, kind, problem.reason)
    assert (call.text, call.raw, call.finish_reason) == ("At ni", "At ni", "length")
    assert call.ended_at is not None


def test_an_exception_from_the_callback_ends_the_call_and_is_raised(study, replies):
    class ClosedError(Exception):
        pass

    def closed(text):
        raise ClosedError

    replies(lambda on_text, stopped: on_text("At"))
    with pytest.raises(ClosedError):
        complete(asked(), Charge(study), on_text=closed)
    call = Call.objects.get()
    assert (call.status, call.kind, call.text) == ("stopped", "stopped", "At")
    assert call.price_charged == call.price_per_request
    assert Budget.objects.get().reserved == 0


@pytest.mark.parametrize("text", ["At \x00 nine", "At \ud83d nine"])
def test_a_reply_that_cannot_be_stored_is_invalid_and_its_raw_text_is_escaped(study, replies, text):
    replies(answered(text, raw=text))
    with pytest.raises(BadReplyError):
        complete(asked(), Charge(study))
    call = Call.objects.get()
    assert call.status == "invalid"
    assert call.raw in ("At \\x00 nine", "At \\ud83d nine")


def test_another_model_and_a_missing_count_are_flagged_and_the_maximum_is_charged(study, replies):
    replies(answered(model_returned="large-9", tokens=None))
    complete(asked(), Charge(study))
    call = Call.objects.get()
    assert (call.other_model, call.usage_missing, call.tokens_in) == (True, True, None)
    assert call.price_charged == call.price_per_request > 0


def test_a_negative_token_count_counts_as_missing(study, replies):
    replies(answered(tokens=(-5, 3)))
    call = complete(asked(), Charge(study)).call
    assert (call.usage_missing, call.price_charged) == (True, call.price_per_request)


def test_a_request_longer_than_the_context_is_refused_before_it_is_sent(study, replies):
    scripted = replies()
    with pytest.raises(TooLongError) as raised:
        complete(asked("ferry " * 700), Charge(study))
    assert "1,000" in raised.value.reason
    assert scripted.asked == []
    assert not Call.objects.exists()


def test_a_reply_without_a_limit_may_fill_the_rest_of_the_context(study, replies):
    scripted = replies()
    complete(asked(max_tokens=None), Charge(study))
    assert 900 < scripted.asked[0].max_tokens < 1000
    assert scripted.asked[0].messages == asked().messages


def test_an_unknown_model_is_refused(study, replies):
    for name in ("campus/large", "elsewhere/small", "http://127.0.0.1/small", "small", ""):
        with pytest.raises(UnknownModelError):
            complete(asked(model=name), Charge(study))
    assert not Call.objects.exists()


def test_a_call_without_a_study_has_no_budget(owner, replies):
    call = complete(asked(), Charge(None, person=owner)).call
    assert (call.study, call.person, call.price_charged) == (None, owner, 30)
    assert not Budget.objects.exists()


def test_the_cache_returns_the_answer_of_an_equal_call(study, replies):
    logprobs = (TokenLogprob("At", -0.1, (Candidate("At", -0.1), Candidate("In", -2.5))),)
    scripted = replies(answered(logprobs=logprobs))
    first = complete(asked(), Charge(study), cache=True)
    again = complete(asked(), Charge(study), cache=True)
    assert len(scripted.asked) == 1
    assert (again.text, again.usage, again.logprobs) == (first.text, first.usage, logprobs)
    assert (again.call.status, again.call.original, again.call.price_charged) == ("cached", first.call, 0)
    complete(asked(), Charge(study))
    complete(asked(seed=4), Charge(study), cache=True)
    complete(asked(model="campus/free"), Charge(study), cache=True)
    assert len(scripted.asked) == 4


def test_the_cache_does_not_cross_studies(study, make_study, replies):
    scripted = replies()
    complete(asked(), Charge(study), cache=True)
    complete(asked(), Charge(make_study("other")), cache=True)
    assert len(scripted.asked) == 2


def test_the_extractive_model_streams_and_is_recorded_at_no_cost(study, replies, monkeypatch):
    monkeypatch.setattr("llm.extractive_calls.SECONDS_PER_PIECE", 0)
    seen = []
    request = Request("extractive/extractive", (Message("user", "as shown to a language model"),), material=MATERIAL)
    reply = complete(request, Charge(study), on_text=seen.append)
    call = Call.objects.get()
    assert (call.endpoint, call.model_returned, call.status, call.price_charged) == (
        "extractive", "extractive", "answered", 0,
    )  # fmt: skip
    assert "nine" in reply.text
    assert seen[-1] == reply.text
    assert len(seen) > 2
    assert all(reply.text.startswith(one) for one in seen)
    assert call.parameters["material"]["question"] == "When do ferries sail?"
    assert complete(request, Charge(study)).text == reply.text


def test_an_instruction_that_the_extractive_model_refuses_is_recorded_with_the_reason(study, replies):
    material = AnswerMaterial(
        "style", "When?", previous_answer="Ferries sail at nine.", instruction="Translate it to French."
    )
    with pytest.raises(InstructionUnsupportedError) as raised:
        complete(Request("extractive/extractive", (), material=material), Charge(study))
    call = Call.objects.get()
    assert (call.status, call.kind, call.reason, call.refusal) == (
        "refused", "cannot", raised.value.reason, raised.value.reason,
    )  # fmt: skip


def test_a_stop_prevents_new_calls_and_is_audited(study, owner, replies):
    scripted = replies()
    stop_marks.stop(study, owner, run="run-1")
    with pytest.raises(StoppedError):
        complete(asked(), Charge(study, run="run-1"))
    complete(asked(), Charge(study, run="run-2"))
    stop_marks.stop(study, owner)
    stop_marks.stop(study, owner)
    for run in ("", "run-1", "run-2"):
        with pytest.raises(StoppedError):
            complete(asked(), Charge(study, run=run))
    stop_marks.resume(study, owner)
    stop_marks.resume(study, owner, run="run-1")
    complete(asked(), Charge(study, run="run-1"))
    assert len(scripted.asked) == 2
    actions = list(AuditEntry.objects.filter(study=study.slug).order_by("pk").values_list("action", "subject"))
    assert actions == [
        ("calls stopped", "run-1"), ("calls stopped", "study"), ("calls resumed", "study"), ("calls resumed", "run-1"),
    ]  # fmt: skip


def test_a_stop_ends_a_reply_that_is_being_written(study, owner, replies, monkeypatch):
    monkeypatch.setattr(door, "STOP_CHECK_EVERY", 0)

    def write(on_text, stopped):
        on_text("At")
        assert not stopped()
        stop_marks.stop(study, owner)
        assert stopped()
        return StoppedError(partial="At", outcome=answered("At", tokens=None))

    replies(write)
    with pytest.raises(StoppedError):
        complete(asked(), Charge(study), on_text=lambda text: None)
    call = Call.objects.get()
    assert (call.status, call.text) == ("stopped", "At")


def test_a_caller_can_stop_its_call(study, replies, monkeypatch):
    monkeypatch.setattr(door, "STOP_CHECK_EVERY", 0)
    with pytest.raises(StoppedError):
        complete(asked(), Charge(study), stopped=lambda: True)
    assert not Call.objects.exists()


def test_several_failures_in_a_row_pause_an_endpoint_until_a_probe_succeeds(study, replies):
    scripted = replies(ServerError())
    for _ in range(FAILURES_TO_OPEN):
        with pytest.raises(ServerError):
            complete(asked(), Charge(study))
    with pytest.raises(CircuitOpenError) as raised:
        complete(asked(), Charge(study))
    assert "campus failed 5 times" in raised.value.reason
    assert 0 < raised.value.retry_after <= 15
    assert len(scripted.asked) == FAILURES_TO_OPEN
    pause_over()
    with pytest.raises(ServerError):
        complete(asked(), Charge(study))
    with pytest.raises(CircuitOpenError) as raised:
        complete(asked(), Charge(study))
    assert 15 < raised.value.retry_after <= 30
    pause_over()
    replies(answered())
    complete(asked(), Charge(study))
    state = EndpointState.objects.get()
    assert (state.failures, state.pauses, state.open_until, state.message) == (0, 0, None, "")


def pause_over():
    EndpointState.objects.update(open_until=timezone.now() - timedelta(minutes=1))


def test_only_one_call_probes_an_endpoint_after_a_pause(study, replies):
    EndpointState.objects.create(name="campus", failures=5, pauses=1)
    pause_over()

    def meanwhile(on_text, stopped):
        with pytest.raises(CircuitOpenError):
            complete(asked(), Charge(study))
        return answered()

    scripted = replies(meanwhile, answered())
    complete(asked(), Charge(study))
    complete(asked(), Charge(study))
    assert len(scripted.asked) == 2


def test_refusals_do_not_pause_an_endpoint(study, replies):
    replies(RefusedError())
    for _ in range(FAILURES_TO_OPEN + 1):
        with pytest.raises(RefusedError):
            complete(asked(), Charge(study))


def test_a_repeated_call_of_the_same_work_marks_the_earlier_one_as_lost(study, replies):
    Budget.objects.create(study=study)

    def again(on_text, stopped):
        replies(answered("second"))
        complete(asked(), Charge(study, work="turn:1", step="first"))
        return answered("late")

    replies(again)
    with pytest.raises(door.LostError):
        complete(asked(), Charge(study, work="turn:1", step="first"))
    left, second = Call.objects.order_by("pk")
    assert (left.status, left.price_charged) == ("lost", left.price_per_request)
    assert (second.status, second.text) == ("answered", "second")
    budget = Budget.objects.get()
    assert (budget.reserved, budget.spent) == (0, left.price_charged + second.price_charged)


def test_a_call_of_a_killed_worker_is_marked_as_lost_when_its_lease_ends(study, replies):
    class KilledError(BaseException):
        pass

    replies(answered())
    real, door.ledger.end = ledger.end, lambda *_: (_ for _ in ()).throw(KilledError())
    try:
        with pytest.raises(KilledError):
            complete(asked(), Charge(study))
    finally:
        door.ledger.end = real
    call = Call.objects.get()
    assert call.status == "running"
    assert ledger.sweep() == 0
    assert ledger.sweep(timezone.now() + timedelta(seconds=36)) == 1
    call.refresh_from_db()
    assert (call.status, call.kind, call.price_charged) == ("lost", "lost", call.price_per_request)
    budget = Budget.objects.get()
    assert (budget.reserved, budget.spent) == (0, call.price_per_request)


def test_a_cap_refuses_a_call_before_it_is_sent(study, owner, replies):
    from llm.budgets import set_cap

    scripted = replies()
    set_cap(study, 916, owner)
    complete(asked(), Charge(study))
    set_cap(study, 40, owner)
    with pytest.raises(BudgetError, match="budget of study study does not allow"):
        complete(asked(), Charge(study))
    assert len(scripted.asked) == 1
    assert Call.objects.count() == 1
