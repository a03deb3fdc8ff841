"""Whatever raters and researchers do in whatever order, kept counts, places and sums equal a recount afterwards."""

import random
from datetime import timedelta

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import pulse
from annotation.desk.submitting import Effort, Submission, current_annotation, flag, skip, submit, undo
from annotation.members.membership import add_member, deactivate_member, rater_for, restore_member
from annotation.members.rater_erasure import erase_rater
from annotation.models import Annotation, Assignment, Membership, Rater, Slot, Study
from annotation.studies.planning import plan_chunk
from config.database_clock import database_now
from operating.data_check import all_checks, run_check
from tests.annotation.studies.test_steps_and_claims import steps
from tests.conftest import make_person

pytestmark = [pytest.mark.both, pytest.mark.django_db]
MADE_BY_HAND = {"altered_items", "altered_outputs"}
"""What the rows that tests make cannot pass: their items have no digest."""
PEOPLE, ITEMS = 6, 10
MANY = 1000
"""With fewer steps, one kind may never be drawn."""


class History:
    """A study in which each step is drawn: mostly raters' work, now and then a researcher's."""

    def __init__(self, study, owner, seed):
        self.study, self.owner, self.draw = study, owner, random.Random(seed)
        self.people = [make_person(f"person-{number}") for number in range(PEOPLE)]
        self.members = [add_member(study, person, "annotator", owner) for person in self.people]
        self.steering = steps(study, [rater_for(study, person) for person in self.people], owner, seed)
        self.left, self.done = [], dict.fromkeys((*self.WORK, "steer", "leave", "come back", "erase"), 0)

    def rater(self):
        """Some rater who has not been erased."""
        return self.draw.choice(list(Rater.objects.filter(study=self.study).exclude(person=None).order_by("pk")))

    def task(self):
        """Some task that a rater has had, or None."""
        found = Assignment.objects.filter(rater__study=self.study).exclude(rater__person=None)
        return self.draw.choice(list(found.select_related("rater__study", "task").order_by("pk")) or [None])

    def sent(self, task):
        known = current_annotation(task)
        form = {"q-follows": ["true"], "q-how_well": [str(self.draw.randint(1, 5))], "q-comment": [""]}
        return Submission(form, revision=known.revision if known else 0, guidelines_version=1)

    def claim(self):
        next_assignment(self.study, self.rater())

    def answer(self):
        task = next_assignment(self.study, self.rater())
        if task is not None:
            submit(task, self.sent(task))

    def change(self):
        if (task := self.task()) is not None:
            submit(task, self.sent(task))

    def leave_out(self):
        if (task := self.task()) is not None:
            skip(task, self.sent(task), "I know the author")

    def take_back(self):
        task = self.task()
        if task is not None and (known := current_annotation(task)) and known.status in Annotation.ANSWERED:
            undo(task, self.sent(task))

    def mark(self):
        if (task := self.task()) is not None:
            flag(task, self.draw.choice(("", "odd")))

    def beat(self):
        if (task := self.task()) is not None:
            pulse(task, Effort(visible_seconds=1.0))

    def expire(self):
        held = Slot.objects.filter(study=self.study, state="held")
        held.update(lease_until=database_now() - timedelta(seconds=1))

    WORK = ("claim", "answer", "change", "leave_out", "take_back", "mark", "beat", "expire")

    def step(self):
        kind = self.draw.choices([*self.WORK, "steer", "leave", "come back", "erase"],
                                 [6, 12, 4, 2, 3, 2, 3, 1, 6, 1, 2, 0.1])[0]  # fmt: skip
        if kind in self.WORK:
            getattr(self, kind)()
        elif kind == "steer":
            next(self.steering)
        elif kind == "erase":
            if self.done["erase"] < PEOPLE - 2:  # somebody has to be left
                erase_rater(self.rater(), self.owner, keep_answers=self.draw.random() < 0.5)
        else:
            member = self.draw.choice(list(Membership.objects.filter(role="annotator").order_by("pk")))
            if member.active and kind == "leave":
                deactivate_member(member, self.owner)
            elif not member.active and kind == "come back":
                restore_member(member, self.owner)
        self.done[kind] += 1


@pytest.mark.parametrize(("seed", "number"), [(1, 200), *(pytest.param(seed, 2500, marks=pytest.mark.thorough)
                                                          for seed in range(2, 6))])  # fmt: skip
def test_after_random_steps_everything_equals_a_recount(make_study, owner, seed, number):
    study = make_study(items=ITEMS, redundancy=2)
    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    history = History(Study.objects.get(pk=study.pk), owner, seed)
    for _ in range(number):
        history.step()
    found = {check.key: run_check(check) for check in all_checks() if check.key not in MADE_BY_HAND}
    assert {key: finding.rows for key, finding in found.items() if finding.count} == {}
    missed = [kind for kind, count in history.done.items() if count == 0 and kind != "erase"]
    assert len(missed) <= (number < MANY), f"none of {missed}"
    assert Annotation.objects.count() > number // 5
