"""A call that was answered is not made again by the same work."""

import dataclasses

import pytest

from llm import door
from llm.call_errors import ServerError
from llm.door import LostError, complete
from llm.models import Budget, Call
from llm.requests import Candidate, Charge, Message, Reply, Request, TokenLogprob
from tests.llm.calls import answered, asked, together

LOGPROBS = (TokenLogprob("At", -0.1, (Candidate("At", -0.1),)),)


def test_restarted_work_adopts_the_answer_that_it_got(study, replies):
    scripted = replies(answered(logprobs=LOGPROBS))
    charge = Charge(study, work="turn:1", step="style")
    first = complete(asked(), charge)
    again = complete(asked(), charge)
    assert len(scripted.asked) == Call.objects.count() == 1
    assert again == first
    assert again.logprobs == LOGPROBS
    assert (Budget.objects.get().spent, Budget.objects.get().reserved) == (30, 0)


def test_a_structured_reply_is_adopted_with_its_value(study, replies):
    replies(answered('{"score": 4}'))
    charge, request = Charge(study, work="turn:1"), asked(schema={"type": "object"})
    complete(request, charge)
    assert complete(request, charge).parsed == {"score": 4}


@pytest.mark.parametrize(
    ("charged", "changed"),
    [
        ({"work": "turn:2"}, {}),
        ({"step": "summary"}, {}),
        ({}, {"seed": 5}),
        ({}, {"model": "campus/free"}),
        ({}, {"messages": (Message("user", "Another question?"),)}),
    ],
)
def test_other_work_steps_and_requests_are_sent(study, replies, charged, changed):
    scripted = replies()
    charge = Charge(study, work="turn:1", step="style")
    complete(asked(), charge)
    complete(dataclasses.replace(asked(), **changed), dataclasses.replace(charge, **charged))
    assert len(scripted.asked) == 2


def test_every_field_of_a_request_that_may_differ_between_samples_enters_its_digest():
    """So a replicate, sample, agent, round or order counts as another request as soon as it is a field."""
    apart = {one.name for one in dataclasses.fields(Request)} - set(door.ledger.NOT_PARAMETERS)
    assert apart == {"temperature", "max_tokens", "seed", "top_logprobs", "schema"}


def test_the_answer_of_another_study_is_not_adopted(study, make_study, replies):
    scripted = replies()
    complete(asked(), Charge(study, work="completion:1"))
    complete(asked(), Charge(make_study("other"), work="completion:1"))
    assert len(scripted.asked) == 2


def test_a_call_for_no_particular_work_is_always_made(study, replies):
    scripted = replies()
    for _ in range(2):
        complete(asked(), Charge(study))
    assert len(scripted.asked) == 2


def test_a_failed_call_is_made_again(study, replies):
    scripted = replies(ServerError(), answered())
    charge = Charge(study, work="turn:1")
    with pytest.raises(ServerError):
        complete(asked(), charge)
    assert complete(asked(), charge).text == "At nine."
    assert len(scripted.asked) == 2


def test_a_copy_from_the_cache_is_adopted_too(study, replies):
    scripted = replies()
    complete(asked(), Charge(study, work="completion:1"), cache=True)
    copies = [complete(asked(), Charge(study, work="completion:2"), cache=True).call for _ in range(2)]
    assert copies[0] == copies[1]
    assert (copies[0].status, len(scripted.asked), Call.objects.count()) == ("cached", 1, 2)


def test_an_answer_recorded_while_another_worker_waits_for_its_place_is_adopted(study, replies, monkeypatch):
    """The second worker has already looked for an answer and must look again under the endpoint's lock."""
    scripted, charge = replies(), Charge(study, work="turn:1")
    really, calls = door._begin, []

    def begin(*given):
        if not calls:
            calls.append(really)
            complete(asked(), charge)
        return really(*given)

    monkeypatch.setattr(door, "_begin", begin)
    reply = complete(asked(), charge)
    assert reply.text == "At nine."
    assert len(scripted.asked) == Call.objects.count() == 1


def test_workers_with_the_same_work_record_one_answer_and_start_no_call_after_it(transactional_db, study, replies):
    replies(seconds=0.05)
    for number in range(10):
        work = f"turn:{number}"
        results = together(4, lambda _, work=work: complete(asked(), Charge(study, work=work)))
        assert {type(one) for one in results} <= {Reply, LostError}
        assert Reply in {type(one) for one in results}
        recorded = Call.objects.get(work=work, status="answered")
        assert not Call.objects.filter(work=work, started_at__gt=recorded.ended_at).exists()
