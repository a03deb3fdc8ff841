"""Kept reports: requested once, computed by a worker, shown until newer ones are there."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Study
from annotation.studies.study_erasure import erase_study
from config.background.claiming import claim, process_row
from config.background.kinds import works
from config.models import Erasure
from reports.kept import freezing, kept_reports
from reports.kept.freezing import NothingToFreezeError, freeze
from reports.kept.kept_reports import REST, TRIED_AGAIN, WORK_KEY, compute_here, kept_report
from reports.models import KeptReport
from reports.report_kinds.agreement import agreement_choices
from tests.reports.computing import compute_requested

pytestmark = pytest.mark.django_db
CHOICES = agreement_choices()


def answered(study, rater, value="5"):
    form = {"q-follows": ["true"], "q-how_well": [value]}
    return submit(next_assignment(study, rater_for(study, rater)), Submission(form, 0, 1))


def kept(study, choices=CHOICES):
    return kept_report(study, "agreement", choices)


def counted(found):
    return found.figures["questions"]["how_well"]["ratings"]


def test_a_report_is_requested_once_and_computed_by_a_worker(study, rater):
    answered(study, rater)
    first, *_ = [kept(study) for _ in range(5)]
    assert (first.is_there, first.is_current, bool(first.waiting)) == (False, False, True)
    assert KeptReport.objects.count() == 1
    assert compute_requested() == 1
    done = kept(study)
    assert (done.is_current, done.waiting, done.newer, counted(done)) == (True, None, 0, 1)
    assert KeptReport.objects.count() == 1


def test_older_figures_are_shown_until_the_new_ones_are_there(study, rater):
    answered(study, rater)
    kept(study)
    compute_requested()
    answered(study, rater)
    old = kept(study)
    assert (old.is_current, bool(old.waiting), old.newer, counted(old)) == (False, True, 1, 1)
    compute_requested()
    new = kept(study)
    assert (new.is_current, counted(new)) == (True, 2)
    assert KeptReport.objects.get().pk != old.done.pk


def test_figures_that_were_replaced_before_they_were_read_are_the_newer_ones(study, rater):
    answered(study, rater)
    kept(study)
    compute_requested()
    answered(study, rater)
    old = kept(study)
    compute_requested()
    assert counted(old) == 2


def test_choices_are_kept_apart(study, rater):
    answered(study, rater)
    for choices in (CHOICES, agreement_choices(guidelines="all")):
        kept(study, choices)
    assert compute_requested() == 2
    assert kept(study, agreement_choices(guidelines="all")).figures["guidelines"]["version"] is None
    assert kept(study).figures["guidelines"]["version"] == 1


def test_a_report_rests_after_a_computation_in_proportion_to_its_time(study, rater):
    answered(study, rater)
    kept(study)
    compute_requested()
    KeptReport.objects.update(seconds=30.0)
    answered(study, rater)
    waiting = kept(study).waiting
    ended = KeptReport.objects.get(status="done").ended_at
    assert waiting.due_at == ended + timedelta(seconds=30 * REST)
    assert not process_row(WORK_KEY, waiting.pk)
    assert kept(study).wait > 30


def test_choices_that_select_nothing_are_refused_and_not_tried_again(study, rater):
    answered(study, rater)
    wrong = agreement_choices(names=["nobody"])
    kept(study, wrong)
    compute_requested()
    assert kept(study, wrong).refused == "There is no rater called nobody."
    KeptReport.objects.update(ended_at=timezone.now() - 2 * TRIED_AGAIN)
    assert kept(study, wrong).waiting is None
    answered(study, rater)
    assert kept(study, wrong).waiting


def test_a_failed_computation_says_why_and_is_tried_again_later(study, rater, monkeypatch):
    answered(study, rater)
    kept(study)
    with monkeypatch.context() as broken:
        broken.setattr("reports.figures.agreement_report.agreement_report", lambda *_, **__: 1 / 0)
        while compute_requested():
            pass
    failed = kept(study)
    assert (failed.is_there, failed.waiting) == (False, None)
    assert "unexpected error" in failed.reason
    assert not failed.refused
    KeptReport.objects.update(ended_at=timezone.now() - 2 * TRIED_AGAIN)
    assert kept(study).waiting
    compute_requested()
    assert counted(kept(study)) == 1
    assert not KeptReport.objects.filter(status="failed").exists()


def test_a_change_while_a_report_is_computed_makes_it_out_of_date(study, rater, monkeypatch):
    answered(study, rater)
    kept(study)
    compute = kept_reports.ReportKind.compute

    def meanwhile(kind, of, choices):
        figures = compute(kind, of, choices)
        answered(study, rater)
        return figures

    with monkeypatch.context() as changed:
        changed.setattr(kept_reports.ReportKind, "compute", meanwhile)
        compute_requested()
    found = kept(study)
    assert (found.is_current, found.newer, bool(found.waiting)) == (False, 1, True)


def test_a_report_that_a_command_has_computed_meanwhile_is_not_computed_again(study, rater, monkeypatch):
    answered(study, rater)
    waiting = kept(study).waiting
    compute_here(study, "agreement", CHOICES)
    monkeypatch.setattr(
        "reports.figures.agreement_report.agreement_report", lambda *_, **__: pytest.fail("computed again")
    )
    compute_requested()
    assert not KeptReport.objects.filter(pk=waiting.pk).exists()
    assert kept(study).is_current


def test_a_study_keeps_a_limited_number_of_choices(study, rater, monkeypatch):
    monkeypatch.setattr(kept_reports, "MOST_CHOICES", 3)
    for version in ("all", None, 1):
        compute_here(study, "agreement", agreement_choices(guidelines=version) if answered(study, rater) else {})
    frozen = KeptReport.objects.order_by("pk").first()
    KeptReport.objects.filter(pk=frozen.pk).update(frozen_as="key")
    for kinds in (["model"], ["metric"], ["human", "model"]):
        compute_here(study, "agreement", agreement_choices(kinds))
    assert KeptReport.objects.filter(frozen_as=None).count() == 3
    assert KeptReport.objects.filter(pk=frozen.pk).exists()


def test_a_frozen_report_stays_when_a_newer_one_is_computed(study, rater):
    answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    KeptReport.objects.update(frozen_as="key")
    kept(study)
    compute_requested()
    assert kept(study).is_current
    assert KeptReport.objects.filter(status="done").count() == 2


def test_erased_answers_leave_every_report(study, rater, owner):
    answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    KeptReport.objects.update(frozen_as="key")
    compute_here(study, "agreement", CHOICES)
    taken = claim(works()[WORK_KEY], KeptReport.objects.create(study=study, kind="agreement", digest="d", state="s").pk)
    erase_rater(rater_for(study, rater), owner, keep_answers=False)
    frozen = KeptReport.objects.get()
    assert (frozen.frozen_as, frozen.status, frozen.figures) == ("key", "failed", "")
    assert "erased" in frozen.reason
    assert not taken._mine().exists()
    assert kept(study).figures if compute_requested() else kept(study).waiting
    compute_requested()
    assert counted(kept(study)) == 0


def test_figures_of_answers_that_were_erased_meanwhile_are_not_kept(study, rater, monkeypatch):
    answered(study, rater)
    row = kept(study).waiting
    compute = kept_reports.ReportKind.compute

    def meanwhile(kind, of, choices):
        figures = compute(kind, of, choices)
        Erasure.objects.create(scope="rater")
        return figures

    with monkeypatch.context() as changed:
        changed.setattr(kept_reports.ReportKind, "compute", meanwhile)
        compute_requested()
    row.refresh_from_db()
    assert (row.status, row.figures) == ("queued", "")
    compute_requested()
    assert kept(study).is_current


def test_reports_go_with_their_study(study, rater):
    answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    Study.objects.update(status="closed")
    study.refresh_from_db()
    with transaction.atomic():
        erase_study(study, None)
    assert not KeptReport.objects.exists()


def test_asking_takes_as_many_queries_in_a_large_study_as_in_a_small_one(study, rater, django_assert_num_queries):
    compute_here(study, "agreement", CHOICES)
    for _ in range(3):
        answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    with django_assert_num_queries(4):  # the import, the state, the rows and the figures
        assert counted(kept(study)) == 3


def test_answers_that_are_erased_meanwhile_are_not_frozen(study, rater, owner, monkeypatch):
    """The erasure ends while `freeze` waits for the lock of the study."""
    answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    shown = kept(study)

    def locked(pk, **_):
        monkeypatch.undo()
        erase_rater(rater_for(study, rater), owner, keep_answers=False)

    monkeypatch.setattr(freezing, "lock_study", locked)
    with pytest.raises(NothingToFreezeError):
        freeze(shown, owner)


def test_the_newest_figures_are_frozen_once(study, rater, owner):
    answered(study, rater)
    compute_here(study, "agreement", CHOICES)
    frozen = freeze(kept(study), owner)
    assert freeze(kept(study), owner) == frozen
    assert (frozen.figures, frozen.status) == (KeptReport.objects.get(frozen_as=None).figures, "done")
