"""Runs over questions for the best and worst output, and over sliders: ratings that are compared with people's."""

import pytest

from annotation.machine_shapes import EXTREMES
from annotation.models import Rater, Rating
from judges.models import Judgment
from judges.probing import probe_result
from reports.figures.meta_evaluation_report import meta_evaluation
from tests.judges.comparing_studies import comparing_study
from tests.judges.scripted_judges import run_to_end
from tests.llm.calls import write_endpoints

pytestmark = pytest.mark.django_db
ENDS = {"key": "ends", "type": "best_worst"}
FLUENT = {"key": "fluent", "type": "slider", "min": 0, "max": 100}


@pytest.fixture
def model(model, settings, tmp_path):
    write_endpoints(settings, tmp_path, context=32_768)
    return model


def people_say(study, judged, names=("ann", "ben")):
    """People give the same answers as the judge."""
    for name in names:
        rater = Rater.objects.create(study=study, name=name)
        for row in judged:
            Rating.objects.create(
                study=study, question=row.question, rater=rater, item=row.item, output=row.output, level=row.level,
                number=row.number, value=row.value, guidelines_version=1,
                shown=["north", "south", "west"] if row.output is None else None,
            )  # fmt: skip


def test_the_best_and_the_worst_are_ratings_that_are_compared_with_peoples(tmp_path, model):
    study = comparing_study(tmp_path, "listwise", questions=[ENDS])
    run = run_to_end(study, protocol="llm_extremes", questions=("ends",))
    assert (run.status, run.counts) == ("finished", {"valid": 2})
    rows = list(Rating.objects.filter(rater=run.rater))
    for row in rows:
        assert (row.level, row.output) == (EXTREMES, None)
        assert sorted(row.shown) == ["north", "south", "west"]
        assert {row.value["best"], row.value["worst"]} < set(row.shown)
        assert row.explanation
    people_say(study, rows)
    [judge] = meta_evaluation(study, replicates=0)["questions"]["ends"]["judges"].values()
    assert judge["shape"] == "best and worst"
    assert judge["accuracy"] == 1


def test_scores_on_a_sliders_own_scale_are_compared_with_peoples(tmp_path, model):
    study = comparing_study(tmp_path, "rating", questions=[FLUENT])
    run = run_to_end(study, protocol="scale_score", questions=("fluent",))
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    rows = list(Rating.objects.filter(rater=run.rater))
    assert all(0 <= row.number <= 100 and not row.off_scale for row in rows)
    people_say(study, rows)
    [judge] = meta_evaluation(study, replicates=0)["questions"]["fluent"]["judges"].values()
    assert judge["pearson"] == pytest.approx(1)


def test_a_probe_counts_a_better_place_of_the_changed_output(tmp_path, model):
    study = comparing_study(tmp_path, "listwise", questions=[ENDS])
    run = run_to_end(study, protocol="llm_extremes", questions=("ends",), probe=True)
    found = probe_result(run)
    better = 0
    for plain, changed in zip(*[iter(Judgment.objects.filter(run=run).order_by("place"))] * 2, strict=True):
        key = changed.order[changed.injected]
        worth = [
            (one.reading["value"]["best"] == key) - (one.reading["value"]["worst"] == key) for one in (plain, changed)
        ]
        better += worth[1] > worth[0]
    assert (found.judged, found.flipped) == (2, better)
    assert not Rating.objects.filter(rater=run.rater).exists()
