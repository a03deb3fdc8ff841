"""Judges that give one label are refused, before anything runs, for questions whose answers are lists of choices."""

import json
import re

import pytest
from django.core.management import CommandError, call_command

from annotation.members.membership import add_member
from annotation.models import JudgeRun, Rating
from files.reading import import_study
from judges.configuration import SEVERAL_LABELS
from judges.protocol import LABEL, JudgeProtocol, Reading
from tests.judges.comparing_studies import comparing_study
from tests.judges.rated_sessions import session_line
from tests.judges.scripted_judges import run_to_end
from tests.judges.test_pages import FORM, error_at
from tests.sessions.conftest import PAPERS, STUDY

pytestmark = pytest.mark.django_db
CHOICES = ["good", "neutral", "bad"]
QUESTIONS = [
    {"key": "tone", "type": "category", "choices": CHOICES, "required": False},
    {"key": "marks", "type": "category", "choices": CHOICES, "multiple": True, "required": False},
]


class FirstChoice(JudgeProtocol):
    """Labels every output with the question's first choice."""

    key, label, source, unit, shape = "first_choice", "First choice", "this test", "output", LABEL
    prompts = ("llm_eval",)

    def judge(self, case, options, asker):
        return Reading(case.asked.choices[0])


@pytest.fixture
def labelling(monkeypatch, model):
    for module in ("judge_choices", "configuration"):
        monkeypatch.setattr(f"judges.{module}.judge_protocols", lambda: {"first_choice": FirstChoice()})


def session_study(folder, owner):
    path = folder / "sessions"
    path.mkdir()
    (path / "study.json").write_text(json.dumps({**STUDY, "questions": [*STUDY["questions"], QUESTIONS[1]]}))
    item = {"id": "q0", "question": "When does it sail?", "documents": PAPERS}
    for name, line in (("items", item), ("sessions", session_line("q0", "ann-q0"))):
        (path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    return import_study(path, owner=owner).study


def refused_on_the_page(client, study, judge, offered):
    address = f"/studies/{study.slug}/judges/new/"
    page = client.get(f"{address}?protocol={judge}").content.decode()
    assert f"marks</bdi>: {SEVERAL_LABELS}" in page
    assert re.findall(r'name="questions" value="(\w+)"', page) == [offered]
    fields = {key: value for key, value in FORM.items() if not key.startswith("option-")}
    answer = client.post(address, {**fields, "protocol": judge, "questions": ["marks"], "estimate": "yes"})
    assert answer.status_code == 422
    assert "marks" in error_at(answer.content.decode(), "questions")


def refused_by_the_command(study, judge):
    with pytest.raises(CommandError) as raised:
        call_command("judge", study.slug, "--protocol", judge, "--model", "campus/free", "--question", "marks")
    assert str(raised.value) == f"marks: {SEVERAL_LABELS}"
    assert not JudgeRun.objects.exists()


def test_lists_of_choices_are_not_offered_to_a_judge_of_outputs(client, tmp_path, owner, labelling):
    study, judge = comparing_study(tmp_path, questions=QUESTIONS), "first_choice"
    add_member(study, owner, "researcher", None)
    client.force_login(owner)
    refused_on_the_page(client, study, judge, "tone")
    refused_by_the_command(study, judge)
    run = run_to_end(study, protocol=judge, questions=("tone",))
    assert run.counts == {"valid": 6}
    assert {row.value for row in Rating.objects.filter(rater=run.rater)} == {"good"}


def test_lists_of_choices_are_not_offered_to_a_judge_of_turns(client, tmp_path, owner, model):
    study = session_study(tmp_path, owner)
    client.force_login(owner)
    refused_on_the_page(client, study, "session_rating", "rating")
    refused_by_the_command(study, "session_rating")
