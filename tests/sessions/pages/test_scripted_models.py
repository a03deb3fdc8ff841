"""Researchers' pages of sessions say where a model follows a script; annotators' pages name no model at all."""

import pytest

from annotation.models import Rater
from sessions.turn_labels import MachineLabel, write_machine_labels
from tests.models_and_papers import make_call
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401

pytestmark = pytest.mark.django_db
MARK = "scripted, not a language model"
LISTED = "/studies/revising/sessions/"


def pages(client, owner, session):  # noqa: F811
    client.force_login(owner)
    return [client.get(path).content.decode() for path in (LISTED, f"{LISTED}{session.pk}/")]


def test_a_model_that_followed_a_script_in_the_study_is_marked(session, study, owner, client):  # noqa: F811
    name = session.model.partition("/")
    assert not any("scripted, not" in page for page in pages(client, owner, session))
    make_call(study, endpoint=name[0], model=name[2], scripted=True)
    listed, one = pages(client, owner, session)
    assert f"{session.model} ({MARK})</option>" in listed
    assert '<span class="status paused">scripted</span>' in listed
    assert f'<span class="status paused">{MARK}</span>' in one


def test_a_model_on_an_endpoint_that_follows_a_script_is_marked(session, owner, client, settings, tmp_path):  # noqa: F811
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    settings.ENDPOINTS_FILE.write_text(
        "endpoints:\n  scripted:\n    base_url: http://127.0.0.1:9/v1\n    scripted: true\n"
        "    models: {one: {}, two: {}}\n"
    )
    assert all(MARK in page for page in pages(client, owner, session))


@pytest.mark.parametrize("scripted", [True, False])
def test_labels_of_a_scripted_judge_are_marked(session, study, owner, client, scripted):  # noqa: F811
    turn = turned(session, "Shorter.", "good")
    judge = Rater.objects.create(study=study, name="judge", kind="model", metadata={"judge": {"scripted": scripted}})
    write_machine_labels(study, judge, [MachineLabel(turn.pk, "instruction_type", "condense", "4", 2)])
    page = pages(client, owner, session)[1]
    said = MARK if scripted else "model"
    assert f"Instruction type by <bdi>judge, run 4, rerun 2</bdi> ({said}): <bdi>condense</bdi>" in page
