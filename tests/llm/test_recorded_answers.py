"""A call that was answered is not made again by the same work."""

import dataclasses

import pytest

from llm import door
from llm.call_errors import ServerError
from llm.door import LostError, complete
from llm.endpoints import find_model
from llm.ledger import request_digest
from llm.models import Budget, Call
from llm.requests import (
    AnswerMaterial,
    Candidate,
    Charge,
    JudgmentPlace,
    Message,
    Reply,
    Request,
    TokenLogprob,
)
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
    charge, request = Charge(study, work="turn:1"), asked(schema={"type": "object"}, model="campus/able")
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


def digest(request):
    return request_digest(request, *find_model(request.model))


OTHERS = {
    "messages": (Message("user", "Another question?"),), "temperature": 0.1, "top_p": 0.5, "max_tokens": 99,
    "stop": ("\n",), "seed": 0, "top_logprobs": 0, "continuation": " Yes", "schema": {},
    "place": JudgmentPlace(), "material": AnswerMaterial("first", "When?"), "model": "campus/free",
}  # fmt: skip


def test_every_field_of_a_request_except_its_prompt_enters_the_digest(replies):
    assert set(OTHERS) == {one.name for one in dataclasses.fields(Request)} - {"prompt"}
    changed = {digest(dataclasses.replace(asked(), **{name: value})) for name, value in OTHERS.items()}
    assert len(changed | {digest(asked())}) == len(OTHERS) + 1
    assert digest(dataclasses.replace(asked(), prompt=None)) == digest(asked())


PLACES = [
    JudgmentPlace(), JudgmentPlace(replicate=2), JudgmentPlace(sample=2), JudgmentPlace(agent=2),
    JudgmentPlace(round=2), JudgmentPlace(order=("a", "b")), JudgmentPlace(order=("b", "a")),
    JudgmentPlace(order=("ab",)), JudgmentPlace(retry=1),
]  # fmt: skip


def test_a_resumed_judgment_adopts_its_own_answers_and_two_samples_never_share_one(study, replies):
    assert {name for place in PLACES for name, value in vars(place).items() if value != vars(PLACES[0])[name]} == {
        one.name for one in dataclasses.fields(JudgmentPlace)
    }
    scripted = replies(*(answered(str(number)) for number in range(100)))

    def judge(count):
        return [
            complete(asked(place=place), Charge(study, run="r", work="judgment:1", step=place.step("rate"))).text
            for place in PLACES[:count]
        ]

    first = judge(4)  # then the worker is killed
    assert judge(len(PLACES))[:4] == first
    assert len(set(judge(len(PLACES)))) == len(scripted.asked) == len(PLACES)
    assert Call.objects.values("step").distinct().count() == Call.objects.count() == len(PLACES)


def test_samples_of_one_request_do_not_share_an_answer_of_the_cache(study, replies):
    scripted = replies(answered("1"), answered("2"))
    for run in ("first", "second"):
        texts = [
            complete(asked(place=JudgmentPlace(sample=sample)), Charge(study, work=run, step=f"s {sample}"), cache=True)
            for sample in (1, 2)
        ]
        assert [one.text for one in texts] == ["1", "2"]
    assert len(scripted.asked) == 2


def test_calls_of_one_judgment_run_beside_each_other(study, replies):
    """Steps tell them apart: a second call of the same step would end the first one as lost."""
    charge, places = Charge(study, work="judgment:1"), [JudgmentPlace(sample=number) for number in (1, 2)]

    def second(*_):
        complete(asked(place=places[1]), dataclasses.replace(charge, step=places[1].step("rate")))
        return answered()

    replies(second, answered())
    complete(asked(place=places[0]), dataclasses.replace(charge, step=places[0].step("rate")))
    assert list(Call.objects.values_list("status", flat=True)) == ["answered", "answered"]


@pytest.mark.parametrize("name", ["", "two words", "n" * 40])
def test_the_name_of_a_step_is_one_short_word(name):
    with pytest.raises(ValueError, match="must begin with one word"):
        JudgmentPlace().step(name)
    largest = JudgmentPlace(99, 999, 99, 99, ("a", "b"), 9)
    assert len(largest.step("constrained_softmax")) <= Call._meta.get_field("step").max_length


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
