"""The paid pilot of session studies, as in KIWI: some sessions each, then a researcher chooses who goes on."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.desk.assigning import next_assignment, release_expired, tasks_of
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Rater, Slot, Study
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.slot_steps import reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError
from config.background.claiming import run_waiting
from files.entered.recruiting_settings import digest
from files.import_problems import ImportRefusedError
from files.reading import import_study
from files.writing import export_study
from managing.building.template_library import study_templates
from parts.way_in.declaring import change_steps
from parts.way_in.models import StepPassage
from parts.way_in.pilot_tasks import end_pilots
from retrieval.index_builds import ensure_index
from sessions import steps
from sessions.models import RevisionSession
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import QUALIFICATION, Walk, with_own_words
from tests.sessions.conftest import (  # noqa: F401 - fixtures
    folder,
    live,
    models,
    question,
    turned,
)

pytestmark = pytest.mark.django_db
PILOT = {"key": "pilot", "kind": "pilot", "tasks": 2, "payment": "10 EUR"}


def indexed(study, *people):
    """Make the study live with these people and its index of papers."""
    study = live(study, *people)
    ensure_index(study)
    run_waiting()
    return study


def walk_of(study, person):
    client = Client()
    client.force_login(person)
    return Walk(client, study)


def opened(way):
    """The session that the person's next page is, or None if it is that of the steps."""
    address = way.next()["Location"]
    if address.endswith("/sessions/welcome/"):
        address = way.client.post(address, {"topic": ["travel"]})["Location"]
    if address == f"{way.base}way-in/":
        return None
    key = address.split("/")[2]
    assert way.client.get(address).status_code == 200
    assignment = Assignment.objects.get(key=key)
    return RevisionSession.objects.get(task=assignment.task, rater=assignment.rater)


def send(way, session):
    """Do one turn of a session, and send the answer by its page."""
    run_waiting()
    turned(session, "Shorter.", "good")
    key = session.rater.assignments.get(task=session.task).key
    assert way.client.post(f"/sessions/{key}/step/", {"step": "finish"}).status_code == 302
    return way.client.get(f"/sessions/{key}/")


@pytest.fixture
def piloted(folder, models, owner, rater):  # noqa: F811
    """A live study of six questions, each for two people per model, with a pilot of two sessions."""
    items = [question(f"q{number}") for number in range(6)]
    made = folder(items, redundancy=2, recruiting={"steps": [PILOT]})
    return indexed(import_study(made, owner=owner).study, rater)


@pytest.mark.thorough
def test_kiwi_s_pilot_from_the_template_to_the_export(folder, models, owner, tmp_path, client):  # noqa: F811
    given = with_own_words(study_templates()["kiwi_recruiting"].body)
    body = {key: value for key, value in given.items() if key != "title"}
    made = folder([question(f"q{number}") for number in range(5)], **body)
    study = import_study(made, owner=owner).study
    people = [make_person(f"person-{number}") for number in range(3)]
    for person in people:
        add_member(study, person, "annotator", None)
    while not prepare(study, 10):
        pass
    run_waiting()
    make_live(study, None)
    ways = [walk_of(study, person) for person in people]
    for way in ways:
        way.consent()
        way.post("screen", **{"reply-years": "3"})
        way.post("background", **{"reply-degree": "Doctorate"})
        page = way.page().content.decode()
        assert "1 task of the study" in page
        assert "25 USD per hour" in page
        assert way.next()["Location"] == f"{way.base}way-in/"
        begin = way.post("pilot")["Location"]
        assert begin == f"{way.base}begin/"
        assert way.client.post(begin, {"version": 1})["Location"] == f"{way.base}sessions/welcome/"
        page = send(way, opened(way))
        assert page.status_code == 200
        assert "Next question" not in page.content.decode()
        assert opened(way) is None
        assert "all done for now" in way.page().content.decode()
    assert RevisionSession.objects.count() == 3
    client.force_login(owner)
    funnel = f"/studies/{study.slug}/funnel/"
    page = client.get(funnel).content.decode()
    assert page.count("Ready to send, 1 rated turn") == 3
    chosen = {one.rater.person: one.pk for one in StepPassage.objects.filter(step="pilot").select_related("rater")}
    names = {f"decision-{chosen[person]}": "continue" for person in people[:2]}
    response = client.post(funnel, {**names, f"decision-{chosen[people[2]]}": "stop"}, follow=True)
    assert "Saved for 3 people" in response.content.decode()
    rows = {row.title: row.count for row in response.context["funnel"].rows}
    assert (rows["Joined"], rows["Paid pilot"]) == (3, 2)
    for way in ways[:2]:
        assert way.page()["Location"] == "/"
        send(way, opened(way))
    assert opened(ways[2]) is None
    assert "Thank you for taking part in the pilot" in ways[2].page().content.decode()
    assert RevisionSession.objects.filter(status="satisfied").count() == 5
    _comes_back(study, tmp_path)


def _comes_back(study, folder):  # noqa: F811
    """The study's file and its sessions leave and come back with the same bytes."""
    export_study(study, folder / "out")
    text = (folder / "out" / "study.yaml").read_bytes()
    assert b"tasks: 1" in text
    (folder / "out" / "study.yaml").write_bytes(text.replace(b"slug: revising\n", b"slug: again\n"))
    again = import_study(folder / "out").study
    assert again.recruiting == Study.objects.get(pk=study.pk).recruiting
    export_study(again, folder / "again")
    for name in ("study.yaml", "sessions.jsonl"):
        back = (folder / "again" / name).read_bytes().replace(b"slug: again\n", b"slug: revising\n")
        assert back == (text if name == "study.yaml" else (folder / "out" / name).read_bytes())


@pytest.mark.thorough
def test_nobody_gets_more_sessions_than_the_pilot_has(piloted, rater):
    way, mine = walk_of(piloted, rater), rater_for(piloted, rater)
    assert next_assignment(piloted, mine) is None
    way.post("pilot")
    mine.refresh_from_db()
    assert (mine.admitted, tasks_of(piloted, mine)) == (True, (0, 2))
    send(way, opened(way))
    assert tasks_of(piloted, mine) == (1, 1)
    way.post("pilot")  # Continue on the page of the step
    assert StepPassage.objects.get().outcome == "open"
    send(way, opened(way))
    mine.refresh_from_db()
    assert (StepPassage.objects.get().outcome, mine.admitted) == ("waiting", False)
    assert next_assignment(piloted, mine) is None
    assert RevisionSession.objects.count() == 2


@pytest.mark.thorough
def test_a_session_that_lapses_is_one_of_the_pilot_and_can_be_resumed(piloted, rater, models):  # noqa: F811
    way, mine = walk_of(piloted, rater), rater_for(piloted, rater)
    way.post("pilot")
    lapsed = opened(way)
    Slot.objects.filter(holder=mine).update(lease_until=timezone.now() - timedelta(seconds=1))
    release_expired(piloted, timezone.now())
    send(way, opened(way))
    assert StepPassage.objects.get().outcome == "waiting"
    assert opened(way) is None
    key = mine.assignments.get(task=lapsed.task).key
    assert way.client.get(f"/sessions/{key}/").status_code == 200
    assert way.client.post(f"/sessions/{key}/step/", {"step": "resume"}).status_code == 302
    lapsed.refresh_from_db()
    assert lapsed.status == "active"
    assert RevisionSession.objects.count() == 2


def test_a_worker_ends_the_pilot_of_somebody_who_never_sends_the_last_session(piloted, rater):
    way = walk_of(piloted, rater)
    way.post("pilot")
    send(way, opened(way))
    last = opened(way)
    assert end_pilots() == 0
    Slot.objects.filter(task=last.task_id, holder=last.rater).update(lease_until=timezone.now() - timedelta(minutes=1))
    assert end_pilots() == 1
    assert StepPassage.objects.get().outcome == "waiting"
    assert not Rater.objects.get(person=rater).admitted
    release_expired(piloted, timezone.now())
    assert end_pilots() == 0


def _others_take_the_rest(study):
    for number in (0, 1):
        other = Rater.objects.create(study=study, name=f"other-{number}")
        Slot.objects.filter(study=study, number=number, state="open").update(state="filled", holder=other)


def test_a_pilot_that_the_study_has_no_more_questions_for_is_finished(piloted, rater, owner, client):
    way = walk_of(piloted, rater)
    way.post("pilot")
    places = Slot.objects.filter(study=piloted)
    _others_take_the_rest(piloted)
    assert next_assignment(piloted, rater_for(piloted, rater)) is None
    assert end_pilots() == 0  # nothing was given yet
    Slot.objects.filter(pk=places.filter(item__key="q1").first().pk).update(state="open", holder=None)
    last = opened(way)
    assert end_pilots() == 0
    send(way, last)
    assert StepPassage.objects.get().outcome == "waiting"
    client.force_login(owner)
    page = client.get("/studies/revising/funnel/")
    [stage] = [row for row in page.context["funnel"].rows if row.title == "Paid pilot"]
    assert (stage.count, stage.failed, stage.here, stage.waiting) == (0, 0, 0, 1)
    assert page.content.decode().count("Ready to send, 1 rated turn") == 1
    client.post("/studies/revising/funnel/", {f"decision-{StepPassage.objects.get().pk}": "continue"})
    Slot.objects.filter(pk=places.filter(item__key="q2").first().pk).update(state="open", holder=None)
    assert opened(way) is not None


@pytest.mark.thorough
def test_a_worker_ends_the_pilot_of_somebody_for_whom_the_last_places_were_taken(piloted, rater):
    way = walk_of(piloted, rater)
    way.post("pilot")
    send(way, opened(way))
    assert end_pilots() == 0
    _others_take_the_rest(piloted)
    mine = StepPassage.objects.get().rater
    free = Slot.objects.filter(state="filled").exclude(item__tasks__assignments__rater=mine).first()
    before = timezone.now() - timedelta(minutes=1)
    Slot.objects.filter(pk=free.pk).update(state="held", lease_until=before)
    assert end_pilots() == 0
    assert Slot.objects.filter(pk=free.pk).update(state="filled", holder=free.holder, lease_until=None)
    assert end_pilots() == 1
    assert StepPassage.objects.get().outcome == "waiting"


def test_the_last_turn_of_the_last_session_can_still_be_edited(folder, models, owner, rater):  # noqa: F811
    steps_of_study = {"steps": [PILOT | {"tasks": 1}]}
    options = {"models": ["scripted/one"], "max_turns": 1}
    made = folder([question("q1"), question("q2")], recruiting=steps_of_study, options=options)
    study = indexed(import_study(made, owner=owner).study, rater)
    way = walk_of(study, rater)
    way.post("pilot")
    session = opened(way)
    run_waiting()
    turned(session, "Shorter.", "neutral")
    key = session.rater.assignments.get(task=session.task).key
    form = {"step": "rate", "turn": "1", "rated": "1", "q-rating": "neutral", "q-comment": "So so.",
            "client_key": str(uuid4()), "revision": "1"}  # fmt: skip
    assert way.client.post(f"/sessions/{key}/step/", form).status_code == 302
    assert StepPassage.objects.get().outcome == "waiting"
    page = way.client.get(f"/sessions/{key}/")
    assert (page.context["step"].name, page.context["step"].may_edit) == ("send", True)
    steps.edit(session, 1, "Better.", 0)
    assert way.client.post(f"/sessions/{key}/step/", {"step": "finish"}).status_code == 302


def test_reserved_places_count_in_a_pilot(piloted, rater, owner):
    walk_of(piloted, rater).post("pilot")
    mine = rater_for(piloted, rater)
    free = [Slot.objects.filter(item__key=f"q{number}", state="open").first() for number in range(3)]
    for slot in free[:2]:
        reserve_slot(slot, mine, 1, "", owner)
    with pytest.raises(ItemStepRefusedError):
        reserve_slot(free[2], mine, 1, "", owner)


@pytest.mark.thorough
def test_sessions_before_a_pilot_was_asked_for_do_not_count(piloted, rater, owner):
    change_steps(piloted, [], owner, seen=digest(piloted))
    way = walk_of(piloted, rater)
    send(way, opened(way))
    change_steps(piloted, [PILOT], owner, seen=digest(piloted))
    assert opened(way) is None
    way.post("pilot")
    for _ in range(2):
        send(way, opened(way))
    assert opened(way) is None
    assert RevisionSession.objects.count() == 3


@pytest.mark.thorough
def test_a_pilot_that_is_taken_out_leaves_nobody_behind(piloted, rater, owner):
    way = walk_of(piloted, rater)
    way.post("pilot")
    for _ in range(2):
        send(way, opened(way))
    change_steps(piloted, [], owner, seen=digest(piloted))
    assert opened(way) is not None


@pytest.mark.thorough
def test_a_pilot_under_way_ends_with_its_step(piloted, rater, owner):
    way = walk_of(piloted, rater)
    way.post("pilot")
    change_steps(piloted, [], owner, seen=digest(piloted))
    for _ in range(3):
        send(way, opened(way))
    assert RevisionSession.objects.count() == 3


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (PILOT | {"tasks": 0}, "needs tasks"),
        (PILOT | {"tasks": "two"}, "needs tasks"),
        ({"key": "pilot", "kind": "pilot", "items": 3}, "items must be left out"),
        (PILOT | {"pool": "training"}, "pool must be left out"),
        ({"key": "t", "kind": "training"}, "tasks of this protocol have pages of their own"),
        (QUALIFICATION, "tasks of this protocol have pages of their own"),
    ],
)
def test_what_session_studies_cannot_have_is_refused(folder, step, says):  # noqa: F811
    with pytest.raises(ImportRefusedError, match=says):
        import_study(folder(recruiting={"steps": [step]}))


def test_other_studies_have_no_tasks_in_their_pilot(tmp_path):
    body = {"slug": "plain", "title": "Plain", "protocol": "rating",
            "questions": [{"key": "good", "type": "binary", "text": "Good?"}],
            "recruiting": {"steps": [PILOT]}}  # fmt: skip
    (tmp_path / "study.json").write_text(json.dumps(body))
    with pytest.raises(ImportRefusedError, match="tasks must be left out"):
        import_study(tmp_path)


def test_the_page_of_steps_offers_what_the_protocol_can_have(piloted, owner, client):
    client.force_login(owner)
    page = client.get("/studies/revising/steps/").content.decode()
    assert "steps/add/pilot/" in page
    assert "steps/add/training/" not in page
    assert client.get("/studies/revising/steps/add/training/").status_code == 404
    form = client.get("/studies/revising/steps/edit/pilot/").content.decode()
    assert 'name="tasks"' in form
    assert 'name="pool"' not in form
    client.post("/studies/revising/steps/edit/pilot/", {"tasks": "3", "seen": digest(piloted)})
    assert Study.objects.get().recruiting["steps"] == [{"key": "pilot", "kind": "pilot", "tasks": 3}]


@pytest.mark.thorough
def test_a_researcher_decides_on_one_person_s_page(piloted, rater, owner, client):
    way = walk_of(piloted, rater)
    way.post("pilot")
    for _ in range(2):
        send(way, opened(way))
    client.force_login(owner)
    passage = StepPassage.objects.get()
    page = client.get(f"/studies/revising/funnel/{passage.pk}/").content.decode()
    session = RevisionSession.objects.first()
    assert f"/studies/revising/sessions/{session.pk}/" in page
    assert client.get(f"/studies/revising/sessions/{session.pk}/").status_code == 200
    nothing = client.post("/studies/revising/funnel/", {f"decision-{passage.pk}": ""}, follow=True)
    assert "Choose for at least one person" in nothing.content.decode()
    odd = {f"decision-0{'0' * 20}1": "stop", "decision-x": "stop", "decision-²": "stop"}
    passed_over = client.post("/studies/revising/funnel/", odd, follow=True)
    assert "Choose for at least one person" in passed_over.content.decode()
    padded = client.post("/studies/revising/funnel/", {f"decision-0{passage.pk}": "perhaps"}, follow=True)
    assert "does not wait" in padded.content.decode()
    client.post(f"/studies/revising/funnel/{passage.pk}/", {"decision": "continue"})
    late = client.post("/studies/revising/funnel/", {f"decision-{passage.pk}": "stop"}, follow=True)
    assert "somebody else has decided" in late.content.decode()
    assert StepPassage.objects.get().outcome == "passed"
    assert opened(way) is not None


def test_the_funnel_takes_few_queries(piloted, rater, owner, client, django_assert_max_num_queries):
    client.force_login(owner)
    people, most = [rater, make_person("ann"), make_person("ben")], 60
    for number, person in enumerate(people):
        if number:
            add_member(piloted, person, "annotator", None)
        way = walk_of(piloted, person)
        way.post("pilot")
        for _ in range(2):
            send(way, opened(way))
        with django_assert_max_num_queries(most) as queries:
            assert len(client.get("/studies/revising/funnel/").context["waiting"]) == number + 1
        most = len(queries)
