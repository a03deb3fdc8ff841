"""Sessions with the real client and a server that follows a script: streaming, faults, and two windows at once."""

import threading

import pytest
from django.db import connections

from annotation.desk.submitting import KeyReusedError
from annotation.models import DraftConflict, Rating
from config.background.claiming import Claim, run_waiting
from files.reading import import_study
from llm.models import Call
from llm.scripted.server_thread import serving
from retrieval.index_builds import ensure_index
from sessions import steps
from sessions.locked_session import TurnConflictError
from sessions.models import Turn
from tests.fewer import first_cases
from tests.sessions.conftest import begun, instruct, live, rate, where

pytestmark = pytest.mark.django_db
FILE = """endpoints:
  scripted:
    base_url: {address}
    key: SCRIPTED_KEY
    deadline: 5
    read_timeout: 1
    connect_timeout: 1
    attempts: 2
    longest_wait: 0.02
    models:
      one: {{asked: model-1, context: 8000, supports: [stream], price_in: 1, price_out: 2}}
"""


@pytest.fixture
def served(settings, tmp_path, monkeypatch, folder, rater):
    """A session whose first answer a server wrote."""
    monkeypatch.setenv("SCRIPTED_KEY", "a key")
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    with serving() as running:
        settings.ENDPOINTS_FILE.write_text(FILE.format(address=running.address))
        study = live(import_study(folder(options={"models": ["scripted/one"], "passages": 2})).study, rater)
        ensure_index(study)
        session = begun(study, rater)
        while run_waiting():
            Turn.objects.filter(status="queued").update(due_at=session.started_at)
        yield session


@pytest.mark.thorough
def test_a_session_from_first_answer_to_ready(served, monkeypatch):
    assert where(served).due == "instruct"
    turn = instruct(served, "Say it. [[text=Nine_it_is_indeed_so. pause=0.05]]", "information")
    run_waiting()
    turn.refresh_from_db()
    assert turn.answer == "Nine_it_is_indeed_so."
    assert turn.summary
    calls = Call.objects.filter(work=f"turn:{turn.pk}").order_by("pk")
    assert [(call.step, call.status, call.model_asked) for call in calls] == [
        ("summary", "answered", "model-1"), ("information", "answered", "model-1")
    ]  # fmt: skip
    rate(served, "good")
    assert steps.finish(served).status == "satisfied"


FAULTS = {
    "[[status=500]]": "server_error",
    "[[status=401]]": "rejected",
    "[[status=429]]": "rate_limited",
    "[[refusal=No.]]": "refused",
    "[[finish=length text=Half]]": "truncated",
    "[[finish=content_filter text=Half]]": "filtered",
    "[[text=One_two_three_four cut=2]]": "cut",
    "[[text=One_two_three_four stall=2]]": "timeout",
    "[[silent]]": "timeout",
    "[[close]]": "unreachable",
    "[[body=<html>oops</html>]]": "bad_reply",
}


@pytest.mark.parametrize("mark", FAULTS)
@pytest.mark.parametrize("kind", first_cases(["style", "information"]))
def test_every_fault_ends_in_a_stated_failure_and_one_click_continues(served, mark, kind):
    turn = instruct(served, f"Say it. {mark}", kind)
    run_waiting()
    turn.refresh_from_db()
    assert (turn.status, turn.answer) == ("failed", None)
    assert turn.reason
    assert turn.instruction == f"Say it. {mark}"
    call = Call.objects.filter(work=f"turn:{turn.pk}").latest("pk")
    assert call.reason == turn.reason
    assert call.kind == FAULTS[mark]
    assert not Rating.objects.exists()
    assert (where(served).due, where(served).current_of) == ("retry", 0)
    assert steps.retry(served, 1).pk == turn.pk
    run_waiting()
    steps.discard(served, 1)
    assert instruct(served, "Say it in full.").number == 1
    run_waiting()
    assert where(served).due == "rate"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("same", [True, False])
def test_sends_at_once_make_one_turn(session, models, same):
    from uuid import uuid4

    key, start, made, told, failed = uuid4(), threading.Barrier(8), [], [], []

    def send(number):
        try:
            start.wait()
            text, own = ("Shorter.", key) if same else (f"Instruction {number}", uuid4())
            made.append(instruct(session, text, number=1, key=own).pk)
        except TurnConflictError:
            told.append(number)
        except (KeyReusedError, Exception) as problem:  # noqa: BLE001 - reported below
            failed.append(problem)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failed == []
    assert session.turns.filter(number=1).count() == 1
    if same:
        assert (len(made), len(set(made)), told) == (8, 1, [])
    else:
        assert (len(made), len(told), DraftConflict.objects.count()) == (1, 7, 7)


THOUGHT = "<think>I_am_Gemma,_made_by_a_lab.</think>"


@pytest.mark.parametrize("kind", ["style", "information"])
def test_what_a_model_thinks_reaches_neither_the_annotator_nor_the_next_prompt(served, monkeypatch, kind):
    seen, update = [], Claim.update

    def kept(claim, **fields):
        seen.extend(text for text in (fields.get("partial"), fields.get("summary")) if text)
        update(claim, **fields)

    monkeypatch.setattr(Claim, "update", kept)
    monkeypatch.setattr("llm.client.single_request.SHOW_EVERY", 0)
    turn = instruct(served, f"Say it. [[text={THOUGHT}Nine_it_is.]]", kind)
    run_waiting()
    turn.refresh_from_db()
    assert (turn.status, turn.answer, turn.partial) == ("done", "Nine_it_is.", "")
    assert [text for text in seen if not "Nine_it_is.".startswith(text)] == []
    rate(served, "good")
    instruct(served, "Say it again.", "style", number=2)
    run_waiting()
    latest = Call.objects.latest("pk")
    assert "Nine_it_is." in str(latest.messages)
    assert "Gemma" not in str(latest.messages).replace(THOUGHT, "")
    assert Call.objects.filter(work=f"turn:{turn.pk}", thinking="I_am_Gemma,_made_by_a_lab.").exists()


@pytest.mark.parametrize("mark", ["finish=length", "cut=2", "stall=2"])
def test_a_summary_that_broke_off_is_not_shown_as_part_of_an_answer(served, mark):
    turn = instruct(served, f"Say it. [[text=I_am_Gemma,_made by_a_lab_and_so_on {mark}]]", "information")
    run_waiting()
    turn.refresh_from_db()
    assert (turn.status, turn.summary, turn.partial) == ("failed", None, "")
    assert Call.objects.get(work=f"turn:{turn.pk}").step == "summary"
