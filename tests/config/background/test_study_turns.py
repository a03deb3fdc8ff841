"""Studies take turns in each queue, whatever one of them has queued before."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Study
from config.background import claiming, study_turns
from config.background.kinds import GiveUpError, works
from config.background.messages import do_row
from config.background.study_turns import heads_in_turn, process_in_turn
from config.models import QueueTurn
from parts.dry_runs.models import StudyDryRun
from reports.models import KeptExport, KeptReport

pytestmark = [pytest.mark.both, pytest.mark.django_db]
WITHOUT_TURNS = {"study_deletion"}
"""The row outlives its study, and each is done as its message comes."""


@pytest.fixture
def three(make_study):
    return [make_study(slug) for slug in ("first", "second", "third")]


@pytest.fixture
def done(monkeypatch):
    """The study and the kind of each row that a worker has done: its work is to note that."""
    seen = []

    def noting(key):
        def run(claim):
            seen.append((claim.row.study.slug, key))
            raise GiveUpError("noted")

        return run

    known = {key: replace(work, run=noting(key)) for key, work in works().items()}
    monkeypatch.setattr("config.background.messages.close_old_connections", lambda: None)
    for module in (claiming, study_turns):
        monkeypatch.setattr(module, "works", lambda: known)
    return seen


def reports(study, count, **more):
    """So many reports of a study that wait, each under choices of its own."""
    return [
        KeptReport.objects.create(study=study, kind="agreement", digest=f"{study.slug} {number}", state="s", **more)
        for number in range(count)
    ]


def told(*rows):
    """Send a worker one message for each row, in this order."""
    for row in rows:
        do_row("export" if isinstance(row, KeptExport) else "report", row.pk)


def test_the_export_of_another_study_waits_for_one_report_alone(three, done):
    first, second, _ = three
    many = reports(first, 30)
    export = KeptExport.objects.create(study=second, form="jsonl", state="s")
    told(*many, export)
    assert len(done) == 31
    assert done.index(("second", "export")) <= 1
    assert not KeptReport.objects.filter(status="queued").exists()


def test_three_studies_take_turns_until_nothing_waits(three, done):
    rows = [row for study, count in zip(three, (6, 3, 2), strict=True) for row in reports(study, count)]
    told(*rows)
    assert [study for study, _ in done] == [
        "first",
        "second",
        "third",
        "first",
        "second",
        "third",
        "first",
        "second",
        "first",
        "first",
        "first",
    ]


def test_a_study_that_comes_later_has_its_turn_at_once(three, done):
    first, second, _ = three
    rows = reports(first, 5)
    told(*rows[:2])
    export = KeptExport.objects.create(study=second, form="csv", state="s")
    told(rows[2], rows[3], export, rows[4])
    assert [study for study, _ in done][:4].count("second") == 1
    assert len(done) == 6


def test_the_rows_of_one_study_come_in_the_order_in_which_they_were_due(three, done):
    now = timezone.now()
    [late] = reports(three[0], 1, due_at=now - timedelta(minutes=1))
    early = KeptExport.objects.create(study=three[0], form="csv", state="s", due_at=now - timedelta(minutes=5))
    told(late, early)
    assert done == [("first", "export"), ("first", "report")]


def test_what_is_not_due_and_what_is_more_patient_has_no_turn(three, done):
    first, second, third = three
    KeptReport.objects.create(
        study=second, kind="k", digest="later", state="s", due_at=timezone.now() + timedelta(hours=1)
    )
    StudyDryRun.objects.create(source_pk=first.pk, study=third, raters=1, accuracy=1.0, bias=0.0, seconds=1.0)
    told(*reports(first, 2))
    assert done == [("first", "report")] * 2
    assert not QueueTurn.objects.exists()


def test_a_message_about_a_row_that_is_done_does_what_waits(three, done):
    one, two = reports(three[0], 2)
    told(one, one)
    assert len(done) == 2
    assert not process_in_turn("report", two.pk)


def test_every_kind_of_work_names_the_study_of_its_rows():
    assert {key for key, work in works().items() if not work.study} == WITHOUT_TURNS
    for work in works().values():
        if not work.study:
            continue
        model = work.model
        for name in work.study.split("__"):
            model = model._meta.get_field(name).related_model
        assert model is Study, work.key
        assert heads_in_turn(work) == []


def test_turns_of_patient_work_count_only_among_patient_work(three):
    first, second, _ = three
    work, patient = works()["export"], works()["dry_run"]
    for study in (first, second):
        KeptExport.objects.create(study=study, form="csv", state="s")
    for _ in range(3):
        study_turns._note_turn(study_turns._line(patient), first.pk)
        heads = heads_in_turn(work)
        study_turns._note_turn(study_turns._line(work), heads[0].study)
    assert heads[0].study == first.pk
