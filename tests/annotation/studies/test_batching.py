"""Batches: items are given out in groups, in the order of import, and the next group only on release."""

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment, open_slots
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Batch, Item, Slot, Study
from annotation.review.spot_checks import check, sample
from annotation.studies.batches import BITS, BatchRefusedError, items_in, place_in, release_next, released, state_of
from annotation.studies.lifecycle import StudyRefusedError, make_live, pause
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import work_of
from tests.conftest import add_item

pytestmark = pytest.mark.postgresql
FORM = {"q-follows": ["true"], "q-how_well": ["4"]}


@pytest.fixture
def batched(make_study, owner, rater):
    """A live study of five items in batches of two, one rater per task."""
    study = make_study("batched", items=5, redundancy=1, options={"batch_size": 2})
    add_member(study, owner, "owner", None)
    add_member(study, rater, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    make_live(study, owner)
    return study


def answer_all(study, person):
    """Return the items of the person's tasks in the order in which they get them, until none is left."""
    rater, given = rater_for(study, person), []
    while assignment := next_assignment(study, rater):
        given.append(assignment.task.item.key)
        submit(assignment, Submission(FORM, revision=0, guidelines_version=1))
    return given


def check_all(study, person, batch=0):
    for one in sample(study, batch):
        check(Annotation.objects.get(pk=one.annotation), "ok", "", person, number=0)


def test_going_live_releases_the_first_batch_and_resuming_releases_no_second_one(batched, owner):
    assert released(batched) == 1
    pause(batched, owner)
    make_live(batched, owner)
    assert released(batched) == 1
    assert AuditEntry.objects.filter(action="batch released", actor__person=owner).count() == 1


def test_only_items_of_released_batches_are_given_out_in_the_order_of_import(batched, owner, rater):
    assert set(answer_all(batched, rater)) == {"item-0", "item-1"}
    release_next(batched, owner, unfinished=[])
    assert set(answer_all(batched, rater)) == {"item-2", "item-3"}
    release_next(batched, owner, unfinished=[])
    assert set(answer_all(batched, rater)) == {"item-4"}
    with pytest.raises(BatchRefusedError, match="All batches have been released"):
        release_next(batched, owner, unfinished=[])


def test_an_earlier_batch_is_finished_before_a_later_one_is_started(batched, owner, rater):
    release_next(batched, owner, unfinished=[])
    given = answer_all(batched, rater)
    assert (set(given[:6]), set(given[6:])) == ({"item-0", "item-1"}, {"item-2", "item-3"})


def test_the_upper_bits_of_a_place_hold_the_batch_and_never_overflow():
    study = Study(slug="s", protocol="rating", redundancy=1, options={"batch_size": 1})
    top = 2**63 - 1
    last = Item.Priority.LAST
    assert 0 <= place_in(study, 0, 0, Item.Priority.FIRST) < place_in(study, 0, 0) < place_in(study, 0, top, last)
    assert place_in(study, 0, top, last) < 2**BITS == place_in(study, 1, 0, Item.Priority.FIRST)
    assert place_in(study, 10**9, top, last) <= top
    assert place_in(Study(options={}), 7, top, last) <= top


def test_priorities_order_items_within_a_batch_and_withdrawn_items_come_before_the_first_place():
    top = 2**63 - 1
    for options in ({}, {"batch_size": 1}):
        study = Study(slug="s", protocol="rating", redundancy=1, options=options)
        first, ordinary, last = (place_in(study, 1, top, one) for one in Item.Priority)
        assert first < place_in(study, 1, 0) <= ordinary < place_in(study, 1, 0, Item.Priority.LAST) < last
        assert place_in(study, 1, top, is_withdrawn=True) < 0


def test_release_is_refused_while_something_is_unfinished_unless_it_is_forced(batched, owner):
    with pytest.raises(BatchRefusedError, match="0 of 6 slots are filled"):
        release_next(batched, owner, unfinished=["0 of 6 slots are filled"])
    assert released(batched) == 1
    release_next(batched, owner, unfinished=["0 of 6 slots are filled"], anyway=True)
    assert AuditEntry.objects.filter(action="batch released").latest("pk").new == {
        "batch": 2,
        "unfinished": ["0 of 6 slots are filled"],
    }


def test_a_study_without_batches_gives_out_everything_and_releases_nothing(study, owner, rater):
    assert open_slots(study, rater_for(study, rater)).count() == Slot.objects.filter(study=study).count()
    with pytest.raises(BatchRefusedError, match="all its items at once"):
        release_next(study, owner, unfinished=[])
    assert not Batch.objects.exists()


def test_items_that_come_later_join_the_batch_of_their_number(batched, owner, rater):
    add_item(batched, "item-5")
    while plan_chunk(batched):
        pass
    assert [item.key for item in items_in(batched, 2)] == ["item-4", "item-5"]
    state = state_of(batched, 2)
    assert (state.first, state.last, state.places, state.filled) == (5, 6, 6, 0)


def test_home_announces_the_next_batch_and_counts_only_released_tasks(batched, client, owner, rater):
    [work] = work_of(rater)
    assert (work.state, work.left) == ("work", 6)
    answer_all(batched, rater)
    [work] = work_of(rater)
    assert (work.state, work.done, work.left) == ("between", 6, 0)
    client.force_login(rater)
    page = client.get("/").text
    assert "No more tasks for now." in page
    assert "The next batch comes when the researchers have checked this one" in page
    release_next(batched, owner, unfinished=[])
    assert work_of(rater)[0].state == "work"


def test_the_page_releases_the_next_batch_once_answers_and_checks_are_complete(batched, client, owner, rater):
    client.force_login(owner)
    address = f"/studies/{batched.slug}/review/"
    assert "Unfinished: 0 of 6 slots are filled." in client.get(address).text
    client.post(address + "release/")
    assert released(batched) == 1
    answer_all(batched, rater)
    assert "1 of 1 spot checks are open" in client.get(address).text
    check_all(batched, owner)
    assert "Unfinished" not in client.get(address).text
    client.post(address + "release/")
    assert released(batched) == 2
    assert "Batch 2 of 3" in client.get(address).text
    assert "Batch 1 of 3" in client.get(address + "?batch=1").text


def test_the_command_releases_and_says_why_not(batched, owner, rater, capsys):
    with pytest.raises(CommandError, match="0 of 6 slots are filled"):
        call_command("release_batch", "batched")
    call_command("release_batch", "batched", anyway=True)
    assert "Batch 2 of batched was released." in capsys.readouterr().out
    with pytest.raises(CommandError, match="no study called"):
        call_command("release_batch", "nothing")


def test_the_database_refuses_a_repeated_batch_and_a_changed_one(batched):
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.create(study=batched, number=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.filter(study=batched).update(number=3)


def test_a_draft_releases_nothing(make_study, owner):
    draft = make_study("draft", options={"batch_size": 1})
    with pytest.raises(BatchRefusedError, match="when the study goes live"):
        release_next(draft, owner, unfinished=[])
    with pytest.raises(StudyRefusedError):
        make_live(draft, owner)
    assert released(draft) == 0


def test_batches_cost_a_claim_one_more_query(batched, study, rater, django_assert_num_queries):
    names = {one.slug: rater_for(one, rater) for one in (batched, study)}
    with django_assert_num_queries(1):
        list(open_slots(study, names["study"])[:1])
    with django_assert_num_queries(2):
        list(open_slots(batched, names["batched"])[:1])


def test_a_form_that_is_sent_twice_releases_one_batch(client, batched, owner):
    client.force_login(owner)
    where = f"/studies/{batched.slug}/review/release/"
    for _ in range(2):
        client.post(where, {"anyway": "yes", "released": "1"})
    assert released(batched) == 2
    assert b'name="released" value="2"' in client.get(f"/studies/{batched.slug}/review/").content
