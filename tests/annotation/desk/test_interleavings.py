"""Pages of one task that save, send and repeat in any order: the newest accepted answer counts, and no text is lost."""

import random
import uuid

import pytest
from django.db import transaction

from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import AlreadySubmittedError, DraftConflictError, save_draft
from annotation.desk.submitting import StaleRevisionError, Submission, current_annotation, submit
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, DraftConflict, Slot
from tests.consistency import contradictions

pytestmark = pytest.mark.both
STEPS = ("open", "save", "save", "send", "send", "repeat")


class Page:
    """What an open page knows of its task: the answer's revision, and the version of the draft."""

    revision = version = 0


class Schedule:
    """One random order of steps, with a ledger of what was accepted and what was refused."""

    def __init__(self, assignment: Assignment, seed: int) -> None:
        self.assignment, self.random = assignment, random.Random(seed)
        self.accepted: list[Submission] = []
        self.refused: set[str] = set()

    def do(self, step: str, page: Page, words: str) -> None:
        form = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": [words]}
        try:
            if step == "open":
                fresh, current = Assignment.objects.get(pk=self.assignment.pk), current_annotation(self.assignment)
                page.revision, page.version = current.revision if current else 0, fresh.draft_version
            elif step == "save":
                page.version = save_draft(
                    self.assignment, form, base_version=page.version, revision=page.revision
                )  # fmt: skip
            elif step == "send":
                sent = Submission(form, revision=page.revision, client_key=uuid.uuid4())
                page.revision = submit(self.assignment, sent).revision
                self.accepted.append(sent)
            elif self.accepted:  # as after a response that was lost
                assert submit(self.assignment, self.accepted[-1]).revision == len(self.accepted)
        except (DraftConflictError, StaleRevisionError):
            self.refused.add(words)
        except AlreadySubmittedError:
            assert page.revision < len(self.accepted)

    def check(self) -> None:
        rows = Annotation.objects.filter(task=self.assignment.task_id).order_by("revision")
        sent = [one.form["q-comment"][0] for one in self.accepted]
        assert [row.answers["comment"] for row in rows] == sent
        assert [row.is_current for row in rows] == [False] * (len(sent) - 1) + [True] * bool(sent)
        assert self.refused <= {row.body["q-comment"][0] for row in DraftConflict.objects.all()}
        assert Slot.objects.filter(state="filled").count() == bool(sent)


@pytest.mark.parametrize("schedules", [60, pytest.param(1000, marks=pytest.mark.thorough)])
def test_in_any_order_the_newest_accepted_answer_counts_and_nothing_is_lost(study, rater, schedules):
    assignment = next_assignment(study, rater_for(study, rater))
    conflicts = 0
    for seed in range(schedules):
        with transaction.atomic():
            schedule, pages = Schedule(assignment, seed), [Page() for _ in range(3)]
            for number in range(10):
                schedule.do(schedule.random.choice(STEPS), schedule.random.choice(pages), f"words {number}")
                schedule.check()
            conflicts += len(schedule.refused)
            if seed % 10 == 0:
                assert contradictions() == {}
            transaction.set_rollback(True)
    assert conflicts > schedules
