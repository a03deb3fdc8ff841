"""A judgment takes a few statements and three transactions, however long its run; so do planning and sweeping."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Item, Output
from config.background import sweeping
from config.background.claiming import process_row
from config.database_clock import database_now
from judges.background.judging import WORK
from judges.judgment_planning import planned_judgments
from judges.models import Judgment, RunWork
from judges.run_context import run_context
from judges.run_states import resume_run, start_run, stop_run
from llm.models import Call, Reservation
from tests.judges.scripted_judges import configured

JUDGMENT, ADOPTED = 17, 9
"""Statements of a judgment, and of one whose call the ledger has answered."""
TRANSACTIONS = 3
"""Begin the call, end it, write the result; the claim is a statement of its own."""
SWEEP, NOTIFIED, NOTHING = 4, 2, 1
"""Statements of a sweep that notifies workers, of one after it, and of one without work, per kind of work."""
FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
ALONE = pytest.mark.django_db(transaction=True)


def statements(captured):
    sql = [query["sql"].strip() for query in captured.captured_queries]
    return [one for one in sql if not one.startswith(FRAME)], [one for one in sql if one.startswith("BEGIN")]


@pytest.fixture
def planned(study, owner, model):
    """A run with its judgments planned and its price reserved."""
    run = start_run(study, configured(study), owner)
    process_row("run", RunWork.objects.get(run=run).pk)
    return run


def judged(pk):
    """Make a judgment; return its statements."""
    with CaptureQueriesContext(connection) as captured:
        assert process_row("judgment", pk)
    return statements(captured)


@ALONE
def test_a_judgment_takes_few_statements_in_three_transactions(planned):
    first, *others = planned.judgments.order_by("pk").values_list("pk", flat=True)
    judged(first)  # loads what all judgments of the run have in common, and makes the rows of endpoint and budgets
    for pk in others:
        sent, frame = judged(pk)
        assert (len(sent), len(frame)) == (JUDGMENT, TRANSACTIONS), sent
    assert Call.objects.filter(status="answered", reservation=Reservation.objects.get()).count() == 6
    assert set(planned.judgments.values_list("outcome", flat=True)) == {"valid"}


@ALONE
def test_an_adopted_answer_takes_fewer(planned, owner, model):
    first, second = planned.judgments.order_by("pk").values_list("pk", flat=True)[:2]
    for pk in (first, second):
        judged(pk)
        Judgment.objects.filter(pk=pk).update(status="stopped", outcome="", reading=None)
    stop_run(planned, owner)
    resume_run(planned, owner)
    process_row("run", RunWork.objects.get(run=planned).pk)
    judged(first)
    sent, frame = judged(second)
    assert (len(sent), len(frame)) == (ADOPTED, 1), sent
    assert len(model.asked) == Call.objects.count() == 2


@ALONE
def test_planning_takes_as_many_statements_for_more_units(study, owner, model):
    def planning():
        run = start_run(study, configured(study), owner)
        with CaptureQueriesContext(connection) as captured:
            process_row("run", RunWork.objects.get(run=run).pk)
        inserts = [one["sql"] for one in captured if "judges_judgment" in one["sql"] and "SELECT" not in one["sql"]]
        return run.judgments.count(), len(inserts)

    few, sent = planning()
    item = Item.objects.filter(study=study).first()
    Output.objects.bulk_create(
        Output(item=item, position=place, key=f"more{place}", text="At ten.", digest="d") for place in range(10, 70)
    )
    assert planning() == (few + 60, sent)


@ALONE
def test_a_sweep_takes_as_many_statements_for_any_number_of_rows(planned, monkeypatch):
    monkeypatch.setattr(sweeping, "works", lambda: {"judgment": WORK})
    with CaptureQueriesContext(connection) as captured:
        assert sweeping.sweep() == (6, True)
    assert len(statements(captured)[0]) == SWEEP, captured.captured_queries
    with CaptureQueriesContext(connection) as captured:
        assert sweeping.sweep() == (0, True)
    assert len(captured) == NOTIFIED
    Judgment.objects.update(due_at=database_now() + timedelta(days=1))
    with CaptureQueriesContext(connection) as captured:
        assert sweeping.sweep() == (0, True)
    assert len(captured) == NOTHING


@pytest.mark.django_db
def test_planned_rows_are_those_that_a_model_would_have_saved(planned):
    """They are inserted past the model, whose defaults and conversions must hold all the same."""
    context, rows = run_context(planned.pk), list(planned.judgments.order_by("place"))
    times = {"due_at", "created_at"}
    names = {field.attname for field in Judgment._meta.concrete_fields} - {"id", *times}
    for row, one in zip(rows, planned_judgments(context), strict=True):
        made = one.row(context.run)
        assert {name: getattr(row, name) for name in names} == {name: getattr(made, name) for name in names}
