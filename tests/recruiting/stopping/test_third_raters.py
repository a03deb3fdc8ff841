"""A third rater is asked where two disagree, once, whatever happens at the same time."""

import threading

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Slot, Task
from config.background.claiming import process_row
from recruiting.models import ExtraPlace, PairCheck
from recruiting.stopping.third_raters import compare_raters
from reports.agreement_report import agreement_report
from tests.recruiting.stop_studies import annotator, answer, compare_all, stopping_study

RULE = {"third_rater": {"questions": ["how_well"], "more_than": 1}}
pytestmark = pytest.mark.django_db


def two_raters(values, rule=RULE, **more):
    """A study whose items two raters have answered with these pairs of values, in the order of the items."""
    study, _ = stopping_study(rule, items=len(values), redundancy=2, **more)
    keys = list(study.items.order_by("pk").values_list("key", flat=True))
    for place, name in enumerate(("ann", "bob")):
        rater, own = annotator(study, name), {key: pair[place] for key, pair in zip(keys, values, strict=True)}
        for _ in values:
            assert answer(study, rater, own)
    return study


def test_only_where_two_disagree_by_more_than_the_rule_allows_a_place_is_made():
    study = two_raters([("1", "1"), ("1", "3"), ("3", "4"), ("5", "2")])
    compare_all()
    places = ExtraPlace.objects.filter(study=study).order_by("slot__item")
    assert [(place.slot.item.key, place.disagreed) for place in places] == [
        ("item-001", ["how_well"]), ("item-003", ["how_well"]),
    ]  # fmt: skip
    assert all((slot.state, slot.number) == ("open", 2) for slot in Slot.objects.filter(extra_place__isnull=False))


def test_every_question_counts_if_the_rule_names_none():
    study, _ = stopping_study({"third_rater": {}}, items=1, redundancy=2)
    answer(study, annotator(study, "ann"), follows="true")
    compare_all()
    assert not ExtraPlace.objects.exists()
    answer(study, annotator(study, "bob"), follows="false")
    compare_all()
    assert ExtraPlace.objects.get().disagreed == ["follows"]


def test_the_third_place_goes_to_a_third_person_and_agreement_is_that_of_the_first_two():
    study = two_raters([("1", "5"), ("2", "2"), ("4", "1")])
    compare_all()
    before = agreement_report(study, replicates=0)
    cyd = annotator(study, "cyd")
    assert {answer(study, cyd, "5") for _ in range(2)} == {"item-000", "item-002"}
    assert not answer(study, cyd, "5")
    after = agreement_report(study, replicates=0)
    assert after["questions"] == before["questions"]
    told = after["stopping"]["third_raters"]
    assert (told["made"], told["filled"], told["ratings_left_out"]) == (2, 2, 4)
    assert "disagreed" in told["why"]
    compare_all()
    assert ExtraPlace.objects.count() == 2


def test_comparing_again_and_revising_make_no_second_place():
    study = two_raters([("1", "5")])
    compare_all()
    count = ExtraPlace.objects.count()
    for task in Task.objects.filter(item__study=study):
        assert compare_raters(task) == 0
    assert ExtraPlace.objects.count() == count > 0


def test_cancelling_the_open_place_takes_its_row_along():
    two_raters([("1", "5")])
    compare_all()
    Slot.objects.filter(extra_place__isnull=False).delete()
    assert not ExtraPlace.objects.exists()


def test_a_study_without_the_rule_has_no_query_more():
    counted = []
    for rule, slug in ((None, "plain"), ({"looks": [100], "rules": [
        {"figure": "score", "question": "how_well", "until": "width", "width": 1}]}, "looked")):  # fmt: skip
        study, _ = stopping_study(rule, items=2, slug=slug)
        given = next_assignment(study, annotator(study, f"rater of {slug}"))
        form = {"q-follows": ["true"], "q-how_well": ["3"]}
        with CaptureQueriesContext(
            connection,
        ) as queries:
            submit(given, Submission(form=form, revision=0, guidelines_version=1))
        counted.append(len(queries))
        assert not any("paircheck" in query["sql"] for query in queries)
    assert counted[0] == counted[1]
    assert not PairCheck.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_submit_at_the_same_time_get_one_third_place():
    study, _ = stopping_study(RULE, items=1, redundancy=2)
    given = [next_assignment(study, annotator(study, name)) for name in ("ann", "bob")]
    assert given[0].task_id == given[1].task_id
    ready = threading.Barrier(2)

    def send(assignment, value):
        try:
            ready.wait(10)
            form = {"q-follows": ["true"], "q-how_well": [value]}
            submit(assignment, Submission(form=form, revision=0, guidelines_version=1))
            for pk in PairCheck.objects.values_list("pk", flat=True):
                process_row("pair_check", pk)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=send, args=pair) for pair in zip(given, ("1", "5"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    compare_all()
    assert ExtraPlace.objects.filter(slot__task=given[0].task_id).count() == 1
    assert PairCheck.objects.exclude(status="done").count() == 0
