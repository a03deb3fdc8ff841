"""Models that make up answers do so in dry runs alone."""

import json

import pytest

from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, prepare
from files.reading import import_study
from judges.configuration import ConfigurationRefusedError, checked_configuration
from llm.completions import queue_completion
from llm.door import complete
from llm.dry_run_calls import MadeUpError
from llm.models import Call, Completion
from llm.requests import AnswerMaterial, Charge, Request
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration, pinned
from sessions.session_flow import MADE_UP
from tests.sessions.conftest import PAPERS, STUDY

pytestmark = pytest.mark.django_db
MODEL = "extractive/dry-run-2"
REQUEST = Request(MODEL, (), material=AnswerMaterial("first", "When does it sail?"))


def imported(owner, folder, **more):
    body = {**STUDY, "options": {"models": ["extractive/dry-run", MODEL]}, **more}
    (folder / "study.json").write_text(json.dumps(body))
    (folder / "items.jsonl").write_text(json.dumps({"id": "q", "question": "When?", "documents": PAPERS}) + "\n")
    found = import_study(folder, owner=owner)
    while not prepare(found.study, 60.0):
        pass
    return found


@pytest.mark.parametrize("blind", [False, True])
def test_a_study_with_people_cannot_go_live_with_one(owner, tmp_path, blind):
    options = {"models": ["extractive/dry-run", MODEL], **({"blind_researchers": True} if blind else {})}
    found = imported(owner, tmp_path, options=options)
    assert MADE_UP in found.warnings
    with pytest.raises(StudyRefusedError, match="makes up answers"):
        make_live(found.study, owner)
    found.study.refresh_from_db()
    assert not found.study.is_live


def test_a_dry_run_goes_live_with_it(owner, tmp_path):
    found = imported(owner, tmp_path, dry_run={"of": "the-source"})
    make_live(found.study, owner)
    found.study.refresh_from_db()
    assert found.study.is_live


def test_a_call_is_answered_for_a_dry_run_alone(owner, tmp_path):
    study = imported(owner, tmp_path).study
    for charge in (Charge(study, step="first"), Charge(None, person=owner, step="first")):
        with pytest.raises(MadeUpError):
            complete(REQUEST, charge)
        with pytest.raises(MadeUpError):
            queue_completion(REQUEST, charge)
    assert not Call.objects.exists()
    assert not Completion.objects.exists()
    study.options = {**study.options, "dry_run": {"of": "the-source"}}
    assert "made up" in complete(REQUEST, Charge(study, step="first")).text.lower()


def test_neither_judges_nor_preparation_take_one(owner, tmp_path):
    study = imported(owner, tmp_path).study
    with pytest.raises(ConfigurationRefusedError) as refused:
        checked_configuration(study, {"protocol": "llm_score", "model": MODEL})
    assert refused.value.field == "model"
    with pytest.raises(PreparationRefusedError):
        pinned(study, StepConfiguration("answers", MODEL), ())
