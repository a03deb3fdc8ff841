"""Who gets which session and which second rating: nobody gets a question twice, and models stay balanced."""

import threading
from collections import Counter

import pytest
from django.db import IntegrityError, connections, transaction

from annotation.desk.assigning import next_assignment, tasks_of
from annotation.desk.statements import desk_row_of
from annotation.desk.submitting import Submission, submit
from annotation.desk.task_page import desk_context
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Slot
from annotation.studies.slot_steps import reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError
from config.background.claiming import run_waiting
from files.reading import import_study
from reports.figures.rows import Choice
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.value_rows import ratings
from retrieval.index_builds import ensure_index
from sessions import steps
from sessions.models import RevisionSession, Turn
from sessions.second_ratings import SampleRefusedError, sample_turns
from sessions.topic_preferences import choose_topics
from tests.conftest import make_person
from tests.sessions.conftest import begun, live, question, rate, turned

pytestmark = pytest.mark.django_db


def all_of(study, person):
    """Return the tasks that one person gets in turn, each session abandoned at once."""
    found, rater = [], rater_for(study, person)
    while (assignment := next_assignment(study, rater)) is not None:
        found.append(assignment)
        Slot.objects.filter(holder=rater, task=assignment.task).update(state="filled", lease_until=None)
    return found


@pytest.fixture
def large(folder, models):
    """Eight questions on two topics, three models."""
    names = ["scripted/one", "scripted/two", "scripted/three"]
    items = [question(f"q{number}", "rail" if number % 2 else "sea") for number in range(8)]
    return import_study(folder(items, options={"models": names})).study


def test_nobody_gets_a_question_twice_and_each_model_answers_each_once(large):
    people = [make_person(f"person-{number}") for number in range(4)]
    live(large, *people)
    given = [all_of(large, person) for person in people]
    for mine in given:
        assert len({assignment.task.item_id for assignment in mine}) == len(mine)
    assert sum(len(mine) for mine in given) == 24
    sessions = RevisionSession.objects.values_list("item", "model")
    assert len(set(sessions)) == len(sessions) == 24


def test_models_are_balanced_for_each_person_in_varying_order(large):
    people = [make_person(f"person-{number}") for number in range(3)]
    live(large, *people)
    orders = []
    for person in people:
        models = [assignment.task.variant for assignment in all_of(large, person)]
        orders.append(models)
    met = Counter(orders[0])
    assert max(met.values()) - min(met.values()) <= 1
    assert len({tuple(order) for order in orders}) == 3


def test_preferred_topics_come_first(large, rater):
    live(large, rater)
    choose_topics(rater_for(large, rater), ["rail"])
    topics = [assignment.task.item.categories for assignment in all_of(large, rater)]
    assert topics == ["rail"] * 4 + ["sea"] * 4


def test_the_counts_are_of_questions(large, rater):
    live(large, rater)
    mine = rater_for(large, rater)
    assert tasks_of(large, mine) == (0, 8)
    next_assignment(large, mine)
    assert tasks_of(large, mine) == (0, 8)
    Slot.objects.filter(holder=mine).update(state="filled", lease_until=None)
    assert tasks_of(large, mine) == (1, 7)


def test_asking_again_gives_the_same_session(study, rater, models):
    one = begun(study, rater)
    assert begun(study, rater) == one
    assert Turn.objects.count() == 1


def test_the_database_refuses_a_second_session_of_a_question(session):
    with pytest.raises(IntegrityError), transaction.atomic():
        RevisionSession.objects.create(
            study=session.study, item=session.item, task=session.task, rater=session.rater, model="other/model"
        )


def test_no_place_is_reserved_on_a_question_that_the_person_has_had(session, owner):
    other = Slot.objects.select_related("item").get(item=session.item, state="open")
    with pytest.raises(ItemStepRefusedError, match="worked on this item before"):
        reserve_slot(other, session.rater, 1, "", owner)
    other.refresh_from_db()
    assert (other.state, other.holder) == ("open", None)


def test_a_refused_reservation_leaves_the_session_of_the_holder(study, session, owner):
    person = make_person("second")
    live(study, person)
    mine = rater_for(study, person)
    theirs = Slot.objects.select_related("item").exclude(item=session.item).first()
    reserve_slot(theirs, mine, 1, "", owner)
    assert next_assignment(study, mine).task == theirs.task
    held = Slot.objects.select_related("item").exclude(item=session.item).get(state="open")
    with pytest.raises(ItemStepRefusedError, match="worked on this item before"):
        reserve_slot(held, mine, 1, "", owner)
    taken = Slot.objects.select_related("item").get(holder=mine)
    with pytest.raises(ItemStepRefusedError, match="has a place"):
        reserve_slot(taken, mine, 1, "", owner)
    assert RevisionSession.objects.get(rater=mine).status == "active"


@pytest.mark.django_db(transaction=True)
def test_many_windows_at_once_start_one_session_per_question_and_model(large):
    people = [make_person(f"person-{number}") for number in range(3)]
    live(large, *people)
    raters = [rater_for(large, person) for person in people]
    start, given, failed = threading.Barrier(6), [], []

    def ask(rater):
        try:
            start.wait()
            given.append(next_assignment(large, rater).task_id)
        except Exception as problem:  # noqa: BLE001 - reported below
            failed.append(problem)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask, args=(rater,)) for rater in raters * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failed == []
    assert (len(given), len(set(given))) == (6, 3)
    assert RevisionSession.objects.count() == Turn.objects.count() == 3


# Second ratings


@pytest.fixture
def over(session, models):
    """A session that is over, with three rated turns."""
    for number in range(3):
        turned(session, f"Instruction {number}", ["good", "neutral", "bad"][number])
    steps.finish(session)
    return session


def test_a_sample_is_drawn_once_and_grows(over):
    study = over.study
    small = sample_turns(study, count=1)
    assert (small.turns, small.of, small.opened) == (1, 3, 1)
    assert sample_turns(study, count=1).opened == 0
    assert sample_turns(study, share=1.0, raters=2).opened == 5
    with pytest.raises(SampleRefusedError):
        sample_turns(study)


def test_nobody_is_given_a_turn_of_their_own_session(over, owner):
    sample_turns(over.study, share=1.0)
    turn = Slot.objects.select_related("item").filter(task__variant__startswith="turn:").first()
    Annotation.objects.filter(task=turn.task).update(is_current=False)
    with pytest.raises(ItemStepRefusedError, match="worked on this item before"):
        reserve_slot(turn, over.rater, 1, "", owner)
    other = rater_for(over.study, make_person("second"))
    reserve_slot(turn, other, 1, "", owner)
    assert next_assignment(over.study, other).task == turn.task


def test_a_rating_changed_after_the_sample_takes_nobody_s_place(session, models):
    session.study.options["max_turns"] = 1
    session.study.save()
    turned(session, "Shorter.", "bad")
    session.refresh_from_db()
    assert session.status == "max_turns"
    assert sample_turns(session.study, count=1).opened == 1
    rate(session, "neutral", number=1, revision=1)
    turn = session.turns.get(number=1)
    assert (turn.annotation.revision, turn.annotation.surplus) == (2, False)
    assert list(Slot.objects.filter(task=turn.task).values_list("state", "holder")) == [("open", None)]


def test_second_raters_are_other_people_and_blind(over, models, rater):
    study, second = over.study, make_person("second")
    live(study, second)
    sample_turns(study, share=1.0)
    own = rater_for(study, rater)
    mine = [assignment for assignment in all_of(study, rater) if assignment.task.variant.startswith("turn:")]
    assert mine == []
    by = rater_for(study, second)
    Slot.objects.exclude(task__variant__startswith="turn:").update(state="filled", holder=own, lease_until=None)
    assignment = next_assignment(study, by)
    assignment = Assignment.objects.select_related("rater__study", "task__item").get(pk=assignment.pk)
    turn, shown = Turn.objects.get(task=assignment.task), str(desk_context(desk_row_of(assignment.pk))["desk"]["turn"])
    assert turn.instruction in shown
    assert turn.answer in shown
    assert turn.previous_answer in shown
    assert "Because." not in shown
    assert over.model not in shown
    assert "good" not in shown
    submit(assignment, Submission({"q-rating": ["bad"], "q-comment": ["No."]}, 0, 1))
    assert Slot.objects.get(task=assignment.task).state == "filled"
    assert Annotation.objects.filter(task=assignment.task, is_current=True).count() == 2


def test_a_turn_is_a_unit_of_agreement(over, models):
    study, second = over.study, make_person("second")
    live(study, second)
    sample_turns(study, share=1.0)
    Slot.objects.exclude(task__variant__startswith="turn:").update(state="filled", holder=over.rater, lease_until=None)
    for _ in range(3):
        assignment = next_assignment(study, rater_for(study, second))
        submit(assignment, Submission({"q-rating": ["bad"], "q-comment": ["No."]}, 0, 1))
    data = ratings(RatedItems(study), study.questions.get(key="rating"), Choice(pooled=True))
    assert len(data.unit) == 6
    assert sorted(Counter(data.unit.tolist()).values()) == [2, 2, 2]


def test_an_index_is_built_when_items_are_prepared(folder):
    study = live(import_study(folder()).study)
    assert ensure_index(study).is_waiting
    run_waiting()
    assert ensure_index(study).status == "done"
