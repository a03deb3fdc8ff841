"""The state of the data changes with everything that changes a figure of revision sessions."""

import pytest

from annotation.desk.submitting import Submission
from annotation.models import JudgeRun, Rater
from config.background.claiming import run_waiting
from sessions import steps
from sessions.turn_labels import MachineLabel, label, write_machine_labels
from tests.reports.state_changes import Changes
from tests.sessions.conftest import begun, expire, folder, instruct, models, session, study, turned  # noqa: F401

pytestmark = pytest.mark.django_db


def test_each_step_of_a_session_and_each_label_changes_the_state(session, study, models, owner):  # noqa: F811
    changes = Changes(study)
    instruct(session, "Shorter.")
    changes.after("answer", run_waiting)
    turn = session.turns.get(number=1)
    changes.after("rating", lambda: rated(session))
    changes.after("edit", lambda: steps.edit(session, 1, "By hand.", 0))
    researcher = Rater.objects.create(study=study, name="researcher", person=owner)
    changes.after("label", lambda: label(turn, "instruction_type", "condense", researcher))
    changes.after("relabelled", lambda: label(turn, "instruction_type", "remove", researcher))
    machine = Rater.objects.create(study=study, name="judge", kind="model")
    JudgeRun.objects.create(rater=machine, name="1", configuration={})
    one = MachineLabel(turn.pk, "instruction_type", "condense", "1")
    changes.after("label by a machine", lambda: write_machine_labels(study, machine, [one]))
    changes.after("end", lambda: steps.finish(session))
    again = begun(study, session.rater.person)
    changes.after("first answer", run_waiting)
    changes.after("abandoned", lambda: expire(again))
    assert changes.unseen == []


def rated(session):  # noqa: F811
    return steps.rate(session, 1, Submission({"q-rating": ["bad"], "q-comment": ["Too long."]}, 0, 1))
