"""Runs from their start to their ratings."""

import pytest

from annotation.models import Rating
from judges.models import Judgment
from llm.models import Call
from tests.judges.scripted_judges import run_to_end

pytestmark = pytest.mark.django_db


def test_a_run_judges_every_output_once_and_its_readings_become_ratings(study, owner, model):
    run = run_to_end(study, owner)
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    judgments = Judgment.objects.filter(run=run)
    rows = Rating.objects.filter(rater=run.rater)
    assert {(row.item_id, row.output_id, row.value) for row in rows} == {
        (one.item_id, one.output_id, one.reading["value"]) for one in judgments
    }
    assert rows.count() == 6
    assert {(row.run, row.replicate, row.level) for row in rows} == {("1", 1, "interval")}
    assert Call.objects.filter(study=study, status="answered").count() == 6
    assert run.tokens_in == 6 * 20
