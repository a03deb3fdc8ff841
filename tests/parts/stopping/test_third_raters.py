"""A third rater is asked where two disagree, once, whatever happens at the same time."""

import threading

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, submit
from annotation.models import Annotation, Assignment, Rating, Slot, Task
from annotation.studies.planning import plan_chunk
from config.background.claiming import process_row
from files.reading import import_study
from files.writing import export_study
from parts.stopping.models import ExtraPlace, PairCheck, StopPlan
from parts.stopping.third_raters import compare_raters
from reports.figures.agreement_report import agreement_report
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of
from tests.parts.stopping.stop_studies import annotator, answer, compare_all, stopping_study

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


def marked_answers():
    """Each answer's rater, revision and whether it and all of its ratings are marked as a third rater's."""
    found = []
    for row in Annotation.objects.select_related("rater").order_by("rater__name", "revision"):
        marks = set(Rating.objects.filter(annotation=row).values_list("third_rater", flat=True))
        assert marks == {row.third_rater}
        found.append((row.rater.name, row.revision, row.third_rater))
    return found


def test_answers_in_third_places_are_marked_when_they_are_given_and_in_every_revision():
    study = two_raters([("1", "5")])
    compare_all()
    cyd = annotator(study, "cyd")
    answer(study, cyd, "5")
    flag(Assignment.objects.get(rater=cyd), "odd")
    names = {rater.name: rater.person.username for rater in study.raters.all()}
    told = [(names[name], revision, third) for name, revision, third in marked_answers()]
    assert sorted(told) == [("ann", 1, False), ("bob", 1, False), ("cyd", 1, True), ("cyd", 2, True)]


def test_a_late_answer_is_marked_by_the_place_that_it_takes_and_counts_in_no_agreement_if_there_is_none():
    study, _ = stopping_study(RULE, items=1, redundancy=2)
    late = [annotator(study, name) for name in ("ann", "bob")]
    pages = [next_assignment(study, rater) for rater in late]
    Slot.objects.update(state="open", holder=None, lease_until=None)
    for name, value in (("cyd", "1"), ("dan", "5")):
        answer(study, annotator(study, name), value)
    before = agreement_report(study, replicates=0)
    compare_all()
    for page in pages:
        form = {"q-follows": ["true"], "q-how_well": ["3"]}
        submit(page, Submission(form=form, revision=0, guidelines_version=1))
    last = Annotation.objects.filter(rater__in=late).order_by("pk").values_list("surplus", "third_rater")
    assert list(last) == [(False, True), (True, False)]
    after = agreement_report(study, replicates=0)
    assert after["questions"] == before["questions"]
    assert after["stopping"]["third_raters"]["ratings_left_out"] == 4


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_the_mark_comes_back_from_files_with_the_same_bytes_and_the_same_agreement(tmp_path, form):
    study = two_raters([("1", "5"), ("2", "2"), ("4", "1")])
    compare_all()
    answer(study, annotator(study, "cyd"), "5")
    report = agreement_report(study, replicates=0)
    export_study(study, tmp_path / "one", form)
    before, names = bytes_of(tmp_path / "one"), set(Rating.objects.filter(third_rater=True).values_list("rater__name"))
    empty_the_database(PairCheck, ExtraPlace, StopPlan)
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two", form)
    assert bytes_of(tmp_path / "two") == before
    while plan_chunk(again):
        pass
    again.refresh_from_db()
    export_study(again, tmp_path / "three", form)
    assert bytes_of(tmp_path / "three") == before
    assert set(Rating.objects.filter(third_rater=True).values_list("rater__name")) == names != set()
    third = Slot.objects.filter(third_rater=True)
    assert sorted(slot.state for slot in third) == ["filled", "open"]
    assert {(slot.holder.name,) for slot in third if slot.holder} == names
    copy = agreement_report(again, replicates=0)
    assert copy["questions"] == report["questions"]
    assert copy["stopping"]["third_raters"] == report["stopping"]["third_raters"]


def test_ratings_alone_carry_the_mark_too(tmp_path):
    study = two_raters([("1", "5")])
    compare_all()
    answer(study, annotator(study, "cyd"), "5")
    export_study(study, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "ratings.jsonl")
    assert [line.get("third_rater") for line in lines].count(True) == 2
    expected = agreement_report(study, replicates=0)["questions"]["how_well"]["ratings"]
    empty_the_database(PairCheck, ExtraPlace, StopPlan)
    (tmp_path / "one" / "annotations.jsonl").unlink()
    again = import_study(tmp_path / "one").study
    assert not Annotation.objects.exists()
    assert agreement_report(again, replicates=0)["questions"]["how_well"]["ratings"] == expected == 2


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
