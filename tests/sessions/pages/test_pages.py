"""The pages of sessions without a browser: the response to each step, what is refused, what is never sent."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assigning import next_assignment, release_expired
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, DraftConflict, Slot, Study
from config.background.claiming import run_waiting
from files.reading import import_study
from llm.call_errors import UnreachableError
from retrieval.index_builds import ensure_index
from sessions import steps
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.second_ratings import sample_turns
from sessions.topic_preferences import choose_topics
from tests.conftest import make_person
from tests.fewer import first_cases
from tests.sessions.conftest import begun, expire, instruct, live, question, rate, turned, where

CANARIES = ("scripted/one", "scripted/two", "scripted")


@pytest.fixture
def web(rater):
    client = Client()
    client.force_login(rater)
    return client


@pytest.fixture
def page(session):
    key = Assignment.objects.get(task=session.task, rater=session.rater).key
    return reverse("revision_sessions:session", args=[key])


def read(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def send(web, page, step, turn, **fields):
    return web.post(f"{page}step/", {"step": step, "turn": turn, "client_key": str(uuid4()), **fields})


def typed(text="Shorter.", kind="style"):
    return {"q-:instruction": text, "q-:kind": kind}


def test_the_first_answer_is_shown_with_question_papers_and_citations(web, page):
    text = read(web.get(page))
    assert "When does q" in text
    assert "Answer 1 [ 0 ]" in text
    assert "Turn 1 of 10" in text
    assert "write an instruction" in text
    assert "On ferries" in text
    assert "A. One, B. Two" in text
    assert "Ready to send" not in text


def test_a_session_goes_from_step_to_step_without_scripts(web, page, session, models):
    assert send(web, page, "instruct", 1, **typed("Add fares.", "information")).status_code == 302
    waiting = web.get(page)
    assert "Writing turn 1" in read(waiting)
    assert b"<noscript><meta" in waiting.content
    run_waiting()
    assert "rate the answer" in read(web.get(page))
    assert "Add fares." in read(web.get(page))
    assert send(web, page, "rate", 1, **{"q-rating": "neutral", "q-comment": "In part."}).status_code == 302
    edited = web.get(f"{page}?edit=1")
    assert 'name="q-:edit"' in edited.content.decode()
    assert send(web, page, "edit", 1, **{"q-:edit": "Mine [1]."}).status_code == 302
    text = read(web.get(f"{page}?send=1"))
    assert "Mine [ 1 ]" in text
    assert "You send: answer of turn 1, edited by you" in text
    assert send(web, page, "finish", 1).status_code == 302
    assert "Thank you" in read(web.get(page))
    assert where(session).current == "Mine [1]."
    assert RevisionSession.objects.get().status == "satisfied"


def test_missing_values_are_reported_beside_their_fields_and_typed_text_is_kept(web, page, models, session):
    response = send(web, page, "instruct", 1, **{"q-:instruction": "Only half of it."})
    assert response.status_code == 422
    assert "Only half of it." in read(response)
    assert 'id="kind-error"' in response.content.decode()
    instruct(session, "Shorter.")
    run_waiting()
    response = send(web, page, "rate", 1, **{"q-comment": "A long reason."})
    assert response.status_code == 422
    assert "A long reason." in read(response)
    assert "needs an answer" in read(response)
    response = send(web, page, "rate", 1, **{"q-rating": "bad", "q-comment": "  "})
    assert response.status_code == 422
    assert re.search(r'value="bad" checked', response.content.decode())
    send(web, page, "rate", 1, **{"q-rating": "bad", "q-comment": "No."})
    response = send(web, page, "edit", 1, **{"q-:edit": "  "})
    assert response.status_code == 422
    assert "edited answer is empty" in read(response)


def test_citations_of_a_finished_session_still_open_their_passages(web, page, session):
    turned(session, "Shorter.", "good")
    steps.finish(session)
    sent = web.get(page).content.decode()
    assert "Thank you" in sent
    links = set(re.findall(r'href="#(paper-[0-9]+)"', sent))
    assert links
    assert links <= set(re.findall(r'id="(paper-[0-9]+)"', sent))
    assert "The ferry to the island sails at nine." in sent


def test_the_named_turn_is_the_one_edited_or_rated_again(web, page, session):
    turned(session, "Shorter.", "bad")
    assert "Turn 2 of 10" in read(web.get(page))
    for query in ("?edit=1", "?rate=1"):
        assert "Turn 1 of 10" in read(web.get(f"{page}{query}"))


def test_a_bad_turn_that_is_not_edited_sends_the_answer_before_it_and_says_so(web, page, session):
    turned(session, "Shorter.", "bad")
    assert "Current answer: first answer" in read(web.get(page))
    text = read(web.get(f"{page}?send=1"))
    assert "Turn 1 was rated bad and is not used." in text
    assert "You send: first answer" in text
    assert "Answer 1 [ 0 ]" in text


def test_a_failure_keeps_the_partial_answer_says_why_and_is_retried_as_the_same_turn(web, page, session, models):
    def broken(on_text, **_):
        on_text("The ferry sai")
        return UnreachableError("scripted/one could not be reached.", partial="The ferry sai")

    models.script = [broken]
    send(web, page, "instruct", 1, **typed())
    run_waiting()
    text = read(web.get(page))
    assert "The ferry sai" in text
    assert "Partial answer (it does not count as an answer)" in text
    assert "could not be reached" in text
    assert "Try again" in text
    assert "scripted" not in text
    assert "Answer 1 [ 0 ]" in text  # the current answer stays in view
    assert send(web, page, "retry", 1).status_code == 302
    assert send(web, page, "retry", 1).status_code == 302  # a double click
    run_waiting()
    assert Turn.objects.filter(number=1).count() == 1
    assert "rate the answer" in read(web.get(page))


def test_the_instruction_of_a_failed_turn_can_be_changed_in_the_form(web, page, models):
    models.script = [UnreachableError("No way.")]
    send(web, page, "instruct", 1, **typed("Shorter, please.", "style"))
    run_waiting()
    assert send(web, page, "discard", 1).status_code == 302
    response = web.get(page)
    assert "Shorter, please." in read(response)
    assert "Turn 1 of 10" in read(response)
    assert re.search(r'value="style"[^>]* checked', response.content.decode())


def test_two_tabs_make_one_turn_and_what_the_second_typed_is_shown_and_kept(web, page, session):
    send(web, page, "instruct", 1, **typed("From the first tab."))
    response = send(web, page, "instruct", 1, **typed("From the second tab."))
    assert response.status_code == 409
    assert "From the second tab." in read(response)
    assert [turn.instruction for turn in Turn.objects.filter(number=1)] == ["From the first tab."]
    assert "From the second tab." in str(DraftConflict.objects.values_list("body", flat=True))


def test_the_same_request_twice_is_one_step(web, page, session):
    fields = {"step": "instruct", "turn": 1, "client_key": str(uuid4()), **typed()}
    assert [web.post(f"{page}step/", fields).status_code for _ in range(2)] == [302, 302]
    run_waiting()
    fields = {"step": "rate", "turn": 1, "client_key": str(uuid4()), "q-rating": "good", "q-comment": "Yes."}
    assert [web.post(f"{page}step/", fields).status_code for _ in range(2)] == [302, 302]
    assert Turn.objects.get(number=1).annotation.revision == 1


def test_a_draft_comes_back_with_the_step_that_it_was_typed_for(web, page, session):
    key = page.split("/")[2]
    draft = reverse("annotation:save_draft", args=[key])
    body = {"draft_version": 0, "revision": 0, "q-:at": "0:after", **typed("Not yet sent.", "information")}
    assert web.post(draft, body).status_code == 200
    assert "Not yet sent." in read(web.get(page))
    turned(session, "Shorter.", "good")
    assert "Not yet sent." not in read(web.get(page))


def test_any_two_answers_can_be_compared_and_any_turns_passages_read(web, page, session):
    turned(session, "First.", "good")
    turned(session, "Second.", "neutral", edited="Wholly mine.")
    compared = web.get(f"{page}?view=changes&from=0&to=2e").content.decode()
    assert "<ins>Wholly mine" in compared
    assert "<del>" in compared
    assert "Passages for the question" in read(web.get(f"{page}?passages=0"))
    assert web.get(f"{page}?answer=1&from=x&to=99&passages=abc").status_code == 200


@pytest.mark.parametrize("query", ["", "?view=changes", "?send=1", "?edit=1", "?rate=1", "?answer=0"])
def test_nothing_that_is_sent_names_the_model(web, page, session, query):
    turned(session, "Shorter.", "bad")
    for address in (f"{page}{query}", f"{page}writing/", "/", reverse("revision_sessions:welcome", args=["revising"])):
        response = web.get(address)
        sent = f"{response.content.decode()} {response.headers}"
        assert [word for word in CANARIES if word in sent] == [], address


def test_a_second_rater_sees_nothing_of_the_first_rating_or_of_the_model(study, session, owner, models):
    models.script = ["In **bold** [0]."]
    turned(session, "Shorter.", "good")
    rate(session, "bad", "CANARY-COMMENT", number=1, revision=1)
    RevisionSession.objects.update(status="satisfied", ended_at="2026-01-01T00:00Z")
    sample_turns(study, count=1)
    other = make_person("other")
    add_member(study, other, "annotator", None)
    choose_topics(rater_for(study, other), [])
    client = Client()
    client.force_login(other)
    for _ in range(5):
        given = next_assignment(study, rater_for(study, other))
        if given.task.variant.startswith("turn:"):
            break
        given.task.slots.filter(holder=given.rater).update(state="filled", lease_until=None)
    response = client.get(reverse("annotation:desk", args=[given.key]))
    sent = response.content.decode()
    assert response.status_code == 200
    assert "Shorter." in sent
    assert "On ferries" in sent
    assert [word for word in (*CANARIES, "CANARY-COMMENT", session.key) if word in sent] == []
    assert "**bold**" in sent
    Study.objects.update(options=study.options | {"markdown": True})
    assert "<strong>bold</strong>" in client.get(reverse("annotation:desk", args=[given.key])).content.decode()


def test_hostile_text_is_shown_as_text(web, page, session, models):
    models.script = ["<img src=x onerror=alert(1)> **[0]** <script>alert(1)</script>"]
    turned(session, "<b onclick=alert(1)>x</b>", "good")
    sent = web.get(page).content.decode()
    assert "<img src=x" not in sent
    assert "<b onclick" not in sent
    assert "<script>alert" not in sent
    Study.objects.update(options=session.study.options | {"markdown": True})
    sent = web.get(page).content.decode()
    assert "<img src=x" not in sent
    assert "<strong>[" in sent
    assert "<script>alert" not in sent


def test_an_edit_is_previewed_as_it_will_look_and_not_saved(web, page, session):
    turned(session, "Shorter.", "bad")
    sent = {"q-:edit": "**Late** [0] <script>alert(1)</script>"}
    assert web.post(f"{page}preview/", sent).status_code == 404
    Study.objects.update(options=session.study.options | {"markdown": True})
    assert 'id="preview"' in web.get(f"{page}?edit=1").content.decode()
    shown = web.post(f"{page}preview/", sent).content.decode()
    assert "<strong>Late</strong>" in shown
    assert 'href="#paper-0"' in shown
    assert "<script>" not in shown
    refused = web.post(f"{page}preview/", {"q-:edit": " "})
    assert (refused.status_code, "is empty" in refused.content.decode()) == (400, True)
    assert session.turns.get(number=1).edited_answer is None


def test_before_the_first_session_topics_are_asked_for_and_rules_are_shown_once(folder, owner, rater, study, web):
    assert web.post(reverse("annotation:next_task", args=["revising"])).url.endswith("/sessions/welcome/")
    welcome = reverse("revision_sessions:welcome", args=["revising"])
    assert "composed by rules" not in read(web.get(welcome))
    Study.objects.update(options=study.options | {"models": ["scripted/one", "extractive/extractive"]})
    assert "composed by rules" in read(web.get(welcome))
    assert web.post(welcome).url.startswith("/sessions/")
    assert rater_for(study, rater).topics == []
    assert web.post(reverse("annotation:next_task", args=["revising"])).url.startswith("/sessions/")


def test_chosen_topics_are_saved_and_unknown_ones_ignored(folder, owner, rater, web):
    items = [question("q1", "sea"), question("q2", "rail")]
    study = live(import_study(folder(items), owner=owner).study, rater)
    welcome = reverse("revision_sessions:welcome", args=["revising"])
    assert "Which topics" in read(web.get(welcome))
    web.post(welcome, {"topic": ["rail", "nonsense"]})
    assert rater_for(study, rater).topics == ["rail"]
    assert begun(study, rater).item.categories == "rail"


def test_somebody_elses_session_is_not_found(page, stranger, owner):
    for person in (stranger, owner):
        client = Client()
        client.force_login(person)
        assert [client.get(page).status_code, client.get(f"{page}writing/").status_code] == [404, 404]
        assert client.post(f"{page}step/", {"step": "finish"}).status_code == 404


def test_researchers_read_label_and_sample(study, session, owner):
    client = Client()
    client.force_login(owner)
    turned(session, "Shorter.", "bad")
    RevisionSession.objects.update(status="satisfied", ended_at="2026-01-01T00:00Z")
    listed = reverse("revision_sessions:sessions", args=["revising"])
    assert session.model in read(client.get(listed))
    assert "no matching sessions" in read(client.get(f"{listed}?status=active")).lower()
    studied = reverse("revision_sessions:overview", args=["revising", session.pk])
    assert "Because." in read(client.get(studied))
    address = reverse("revision_sessions:label_turn", args=["revising", session.pk, 1])
    client.post(address, {"kind": "error_category", "value": "instruction is ignored"})
    client.post(address, {"kind": "error_category", "value": "nonsense"})
    assert [label.value for label in TurnLabel.objects.all()] == ["instruction is ignored"]
    client.post(reverse("revision_sessions:sample", args=["revising"]), {"count": "1", "raters": "2"})
    assert Turn.objects.get(number=1).task.slots.count() == 2


def imported_line(name, item):
    turn = {
        "number": 1, "instruction": "Shorter.", "kind": "style", "previous_answer": "A.", "answer": "B.",
        "rating": "bad", "comment": "No.",
    }  # fmt: skip
    return {
        "id": name, "item": item, "rater": f"rater-{name}", "model": "x/y", "status": "satisfied",
        "initial_answer": "A.", "turns": [turn], "final_answer": "A.",
    }  # fmt: skip


def test_the_list_takes_the_same_queries_for_many_sessions(folder, owner, client, models, django_assert_num_queries):
    items = [question(f"q{number}") for number in range(8)]
    study = live(import_study(folder(items, files={"sessions": [imported_line("s1", "q1")]}), owner=owner).study)
    ensure_index(study)
    client.force_login(owner)
    listed = reverse("revision_sessions:sessions", args=["revising"])

    def session_of(name):
        person = make_person(name)
        add_member(study, person, "annotator", None)
        made = begun(study, person)
        run_waiting()
        turned(made, "Shorter.", "good")

    session_of("first")
    client.get(listed)
    with CaptureQueriesContext(connection) as few:
        client.get(listed)
    lines = [imported_line(f"s{number}", f"q{number}") for number in range(2, 6)]
    import_study(folder(items, name="more", files={"sessions": lines}))
    for name in ("second", "third"):
        session_of(name)
    with django_assert_num_queries(len(few)):
        page = client.get(listed).content.decode()
    assert page.count('title="turn 1: bad"') == 5
    assert page.count('title="turn 1: good"') == 3


def test_a_study_s_question_may_have_the_name_of_a_field_of_the_page(web, page, session):
    session.study.questions.filter(key="fluent").update(key="kind")
    instruct(session, "Shorter.")
    run_waiting()
    send(web, page, "rate", 1, **{"q-rating": "good", "q-comment": "Yes.", "q-kind": "2", "q-:at": "1:rate"})
    assert Turn.objects.get(number=1).annotation.answers["kind"] == 2


@pytest.mark.parametrize("step", ["instruct", "rate", "edit", "retry", "discard", "finish"])
@pytest.mark.parametrize("status", first_cases(["satisfied", "abandoned"]))
def test_posts_to_a_finished_session_are_shown_and_never_fail(web, page, session, step, status):
    turned(session, "Shorter.", "bad")
    steps.finish(session) if status == "satisfied" else expire(session)
    text = "Typed in a tab that nobody closed."
    fields = {"instruct": {"q-:instruction": text}, "rate": {"q-comment": text}, "edit": {"q-:edit": text}}.get(
        step, {}
    )
    response = send(web, page, step, 1, **fields)
    assert response.status_code in (302, 409)
    if fields:
        assert (response.status_code, text in read(response)) == (409, True)
    if response.status_code == 409:
        assert "This session is over" in read(response)
        assert "Finish the turn" not in read(response)


def test_an_expired_session_is_continued_from_its_page(web, page, session, study):
    turned(session, "Shorter.", "good")
    Slot.objects.filter(task=session.task).update(lease_until=timezone.now() - timedelta(seconds=1))
    release_expired(study, timezone.now())
    assert "Continue this session" in read(web.get(page))
    assert web.post(f"{page}step/", {"step": "resume"}).url == page
    assert "write an instruction" in read(web.get(page))
    assert where(session).number == 2
    expire(session)
    someone = rater_for(study, make_person("someone"))
    Slot.objects.filter(task=session.task).update(state="held", holder=someone, lease_until=timezone.now())
    response = web.post(f"{page}step/", {"step": "resume"})
    assert response.status_code == 409
    assert "another annotator has its question now" in read(response)
