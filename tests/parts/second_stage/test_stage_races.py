"""Many annotators ask for items of the second stage, or decide, at once: each item is decided by one of them."""

import threading

import pytest
from django.db import connection, connections

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Adjudication, Study
from parts.second_stage.case_answers import CaseLostError, CaseSheet, decide
from parts.second_stage.case_claims import claim_case
from parts.second_stage.models import SecondStageCase
from tests.conftest import live_study, make_person

JUDGES = 6


def in_threads(works):
    """Run all of them at the same moment; return what each returned or raised."""
    found, barrier = [None] * len(works), threading.Barrier(len(works))

    def run(place, work):
        barrier.wait()
        try:
            found[place] = work()
        except CaseLostError as lost:
            found[place] = lost
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=one) for one in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture
def judges(transactional_db):
    """Six raters who may decide the two items about which two others disagree."""
    owner, first, second = (make_person(name) for name in ("owner", "first", "second"))
    study = live_study(owner, first)
    Study.objects.filter(pk=study.pk).update(options={"adjudication": {"by": "annotators"}})
    study.refresh_from_db()
    add_member(study, second, "annotator", None)
    for person, value in ((first, "2"), (second, "4")):
        rater = rater_for(study, person)
        while assignment := next_assignment(study, rater):
            form = {"q-follows": ["true"], "q-how_well": [value]}
            submit(assignment, Submission(form=form, revision=0, guidelines_version=1))
    people = [make_person(f"judge-{number}") for number in range(JUDGES)]
    for person in people:
        add_member(study, person, "annotator", None)
    yield study, [(person, rater_for(study, person)) for person in people]
    connection.check_constraints()


def test_each_item_goes_to_one_of_many(judges):
    study, raters = judges
    found = in_threads([lambda rater=rater: claim_case(study, rater) for _, rater in raters])
    taken = [case for case in found if case is not None]
    assert len(taken) == 2
    assert len({case.item_id for case in taken}) == 2
    assert SecondStageCase.objects.count() == 2


def test_an_answer_sent_twice_at_once_is_saved_once(judges):
    study, [(person, rater), *_] = judges
    case = claim_case(study, rater)
    case.item.study = study
    sheet = CaseSheet.of(case.item, rater)
    works = [lambda: decide(case, person, sheet, [5] * len(sheet.rows), "It does.") or "saved" for _ in range(JUDGES)]
    found = in_threads(works)
    assert found.count("saved") == 1
    assert sum(isinstance(one, CaseLostError) for one in found) == JUDGES - 1
    assert Adjudication.objects.filter(item=case.item).count() == 3
    assert set(Adjudication.objects.values_list("number", flat=True)) == {1}
