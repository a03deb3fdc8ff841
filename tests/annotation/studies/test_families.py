"""The families of systems and judges, as a study describes them."""

import pytest

from annotation.models import JudgeRun, Rater
from annotation.studies.families import judge_families, system_families

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


def add_judge(study, name, *models, kind="model"):
    rater = Rater.objects.create(study=study, name=name, kind=kind)
    for number, model in enumerate(models):
        JudgeRun.objects.create(rater=rater, name=f"run-{number}", configuration={"model": model})


def test_a_judge_has_its_own_family_or_else_that_of_the_systems_with_its_model(make_study):
    systems = {
        "north": {"family": "gulls", "model": "campus/large"},
        "north-long": {"family": "gulls", "model": "campus/large"},
        "south": {"family": "terns", "model": "campus/small"}, "east": {"model": "campus/tiny"},
        "west": {"family": "gulls", "model": "campus/both"}, "up": {"family": "terns", "model": "campus/both"},
    }  # fmt: skip
    study = make_study(systems=systems, judges={"named": {"family": "auks"}, "nothing": {}})
    add_judge(study, "named", "campus/large")
    add_judge(study, "nothing", "campus/small", "campus/small")
    add_judge(study, "large", "campus/large")
    add_judge(study, "tiny", "campus/tiny")
    add_judge(study, "both", "campus/both")
    add_judge(study, "several", "campus/large", "campus/small")
    add_judge(study, "other", "campus/LARGE", None, {"not": "text"})
    add_judge(study, "words", kind="metric")
    Rater.objects.create(study=study, name="ann", kind="human")
    add_judge(make_study("elsewhere"), "theirs", "campus/large")
    assert judge_families(study) == {
        "both": None, "large": "gulls", "named": "auks", "nothing": "terns", "other": None, "several": None,
        "tiny": None, "words": None,
    }  # fmt: skip
    assert system_families(study) == {
        "north": "gulls", "north-long": "gulls", "south": "terns", "west": "gulls", "up": "terns"
    }  # fmt: skip


def test_nothing_described_means_that_no_family_is_known(make_study):
    study = make_study()
    add_judge(study, "large", "campus/large")
    assert (system_families(study), judge_families(study)) == ({}, {"large": None})
