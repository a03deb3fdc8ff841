"""Labels by hand beside those of models: of all turns, of failed ones, and of a sample."""

import pytest
from scipy.stats import binomtest

from annotation.models import Rater
from sessions.models import LabelSample
from sessions.turn_labels import MachineLabel, write_machine_labels
from tests.parts.papers.tables.href_study import cells, tables, values
from tests.reports.worked_sessions import begun, folder, models, rate_again, session, study, worked  # noqa: F401

pytestmark = pytest.mark.django_db


def test_labels_are_shares_of_the_turns_that_each_labelled(worked, session):  # noqa: F811
    """People: condense, expand. The run: condense twice and remove. Passages: sufficient (turn 0), partial."""
    rater = Rater.objects.create(study=worked, name="labels", kind="model")
    made = [
        MachineLabel(session.turns.get(number=number).pk, "instruction_type", value, "first")
        for number, value in ((1, "condense"), (2, "condense"), (3, "remove"))
    ]
    write_machine_labels(worked, rater, made)
    LabelSample.objects.create(
        study=worked, kind="instruction_type", size=1, turns=[[session.key, 1]], made_at="2026-01-01T00:00Z"
    )
    table = tables(worked)["kiwi_a3"]
    condense = values(table, "condense", "Instruction type")
    assert (condense["share:people"], condense["share:labels, run first"]) == (0.5, pytest.approx(2 / 3))
    assert (condense["turns:people"], condense["turns:labels, run first"]) == (2, 3)
    interval = binomtest(1, 2).proportion_ci(0.95)
    own = cells(table, "condense", "Instruction type")["share:people"]
    assert (own["low"], own["high"]) == pytest.approx((interval.low, interval.high))
    sampled = values(table, "condense", "Instruction type, sample: 1, all turns, seed 0")
    assert (sampled["share:people"], sampled["turns:people"], sampled["share:labels, run first"]) == (1, 1, 1)
    passages = "Usefulness of the passages"
    assert values(table, "partial", passages)["share:people"] == 0.5
    assert values(table, "partial", f"{passages}, failed turns")["share:people"] == 1
    assert cells(table, "partial", passages)["share:labels, run first"]["reason"].startswith("this labeller")
