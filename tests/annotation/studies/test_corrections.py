"""Every change of what a closed study holds: one that is locked takes it with a reason, an archived one not at all."""

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Assignment, Item, Slot, Study
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.review.flags import answer_flag
from annotation.studies.corrections import LOCKED, StudyArchivedError, StudyRefusedError
from annotation.studies.redundancy import set_redundancy, set_study_redundancy
from annotation.studies.slot_steps import add_rater, cancel_open, free_slot
from annotation.studies.steered_items import ItemStepRefusedError, restore, set_priority, withdraw
from files.entered.single_items import add_item, remove_item
from files.reading import ImportRefusedError
from managing.models import ItemUpload, UploadStep
from managing.uploads.receiving import UploadRefusedError, request_import

pytestmark = pytest.mark.postgresql
REFUSED = (ItemStepRefusedError, StudyRefusedError, ImportRefusedError, UploadRefusedError)
LINE = {"id": "late", "document": "Text.", "instruction": "When?", "outputs": [{"id": "north", "text": "At nine."}]}
WHY = "The file was wrong."


def last(study):
    return study.items.order_by("-pk").first()


def withdrawn(study, reason, person):
    Item.objects.filter(pk=last(study).pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Odd.")
    restore(last(study), reason, person)


def answered(study, reason, person):
    flagged = Assignment.objects.get(rater__study=study, flag="odd")
    answer_flag(flagged, "resolved", reason, person, flag="odd")


def adjudicated(study, reason, person):
    question = study.questions.get(key="how_well")
    adjudicate(last(study), question, Unit(last(study).outputs.first().key), 4, reason, person, number=0)


def freed(study, reason, person):
    slot = Slot.objects.filter(study=study, state="held").select_related("item").first()
    free_slot(slot, reason, person)


def imported(study, reason, person):
    upload = ItemUpload.objects.create(
        study=study, person=person, table="items", name="i.jsonl", size=1, received=1, changed_at=timezone.now()
    )
    UploadStep.objects.create(upload=upload, kind="check", status="done", ended_at=timezone.now())
    try:
        step = request_import(upload, person, reason)
        assert step.findings == {"reason": reason}
    finally:
        UploadStep.objects.all().delete()
        ItemUpload.objects.all().delete()


VERBS = {
    "withdraw": (lambda study, *given: withdraw(last(study), *given), "item withdrawn"),
    "restore": (withdrawn, "item restored"),
    "priority": (lambda study, *given: set_priority(last(study), 0, *given), "priority set"),
    "adjudicate": (adjudicated, "answer adjudicated"),
    "add_rater": (lambda study, *given: add_rater(last(study), *given), "rater asked for"),
    "cancel": (lambda study, *given: cancel_open(last(study), *given), "slots cancelled"),
    "free": (freed, "slot released"),
    "redundancy": (lambda study, *given: set_redundancy(last(study), 4, *given), "redundancy changed"),
    "study_redundancy": (lambda study, *given: set_study_redundancy(study, 4, *given), "redundancy changed"),
    "add_item": (lambda study, reason, person: add_item(study, LINE, person, reason), "study imported"),
    "upload": (imported, None),
    "flag": (answered, "flag answered"),
}


@pytest.fixture
def closed(study, owner, rater):
    """A closed study with an answer, a flag and a place that somebody holds."""
    first = next_assignment(study, rater_for(study, rater))
    submit(first, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0, guidelines_version=1))
    second = next_assignment(study, rater_for(study, rater))
    Assignment.objects.filter(pk=second.pk).update(flag="odd")
    rater_for(study, owner)
    Study.objects.filter(pk=study.pk).update(status="closed")
    study.refresh_from_db()
    return study


def lock_row(study, **fields):
    Study.objects.filter(pk=study.pk).update(**fields)
    study.refresh_from_db()


@pytest.mark.parametrize("name", VERBS)
def test_a_locked_study_is_corrected_only_with_a_reason_which_is_kept(closed, owner, name):
    lock_row(closed, locked_at=timezone.now())
    verb, action = VERBS[name]
    before = AuditEntry.objects.count()
    with pytest.raises(REFUSED) as refused:
        verb(closed, " ", owner)
    problem = refused.value
    assert LOCKED in (str(problem) or "") or LOCKED in str([one.reason for one in problem.problems])
    assert AuditEntry.objects.count() == before
    verb(closed, WHY, owner)
    if action is not None:
        assert WHY in str(AuditEntry.objects.filter(action=action).latest("pk").new)


@pytest.mark.parametrize("name", VERBS)
def test_an_archived_study_is_never_changed(closed, owner, name):
    lock_row(closed, archived_at=timezone.now())
    with pytest.raises(StudyArchivedError):
        VERBS[name][0](closed, WHY, owner)


def test_the_items_of_a_study_that_is_no_draft_are_not_removed(closed, owner):
    lock_row(closed, archived_at=timezone.now())
    with pytest.raises(StudyArchivedError):
        remove_item(last(closed), owner)
