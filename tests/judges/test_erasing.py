"""What goes of judges' work when a rater's sessions are erased, and when a judge is."""

import pytest
from django.db import connection

from annotation.members.rater_erasure import erase_rater
from annotation.models import JudgeRun, Rater, Rating
from judges.models import Judgment, RunWork
from llm.models import Call
from sessions.models import TurnLabel
from tests.judges.rated_sessions import rated_sessions
from tests.judges.scripted_judges import run_to_end

pytestmark = pytest.mark.django_db
FREE = {"model": "campus/free"}
RATE = {"protocol": "session_rating", "questions": ("rating",), **FREE}
KINDS = {"protocol": "classify_instruction", "questions": (), **FREE}


@pytest.fixture
def rated(tmp_path, owner):
    return rated_sessions(tmp_path / "rated", owner, items=4)


def texts_of(calls):
    return "\n".join(f"{call.messages} {call.text} {call.raw} {call.request_digest}" for call in calls)


def test_judgments_about_an_erased_raters_turns_go_with_the_texts_of_their_calls(rated, owner, model):
    runs = [
        run_to_end(rated, owner, **RATE), run_to_end(rated, owner, **KINDS),
        run_to_end(rated, owner, options={"examples": 2, "split_by": "turn", "training": 0.5}, **RATE),
    ]  # fmt: skip
    ann = Rater.objects.get(study=rated, name="ann")
    of_run = {one.work_name for one in Judgment.objects.filter(run=runs[2])}
    examples = [call for call in Call.objects.filter(work__in=of_run) if "In ann-q" in str(call.messages)]
    of_ben = {one.work_name for one in Judgment.objects.filter(run=runs[2], variant__startswith="turn:ben-")}
    assert {call.work for call in examples} & of_ben
    kept_work = {one.work_name for one in Judgment.objects.filter(variant__startswith="turn:ben-")}
    calls, charged = Call.objects.filter(study=rated).count(), sum(call.price_charged for call in Call.objects.all())
    erase_rater(ann, owner, keep_answers=False)
    connection.check_constraints()
    assert {one.variant.partition("-")[0] for one in Judgment.objects.all()} == {"turn:ben"}
    assert {one.work_name for one in Judgment.objects.all()} == kept_work
    assert not Rating.objects.filter(variant__startswith="turn:ann-").exists()
    assert Rating.objects.filter(variant__startswith="turn:ben-", rater__kind="model").exists()
    assert {row.turn.session.rater.name for row in TurnLabel.objects.all()} == {"ben"}
    after = Call.objects.filter(study=rated)
    assert "ann-q" not in texts_of(after)
    assert (after.count(), sum(call.price_charged for call in after)) == (calls, charged)
    untouched = [call for call in after if call.work in kept_work and call.messages]
    assert len(untouched) == len(kept_work) - len({call.work for call in examples} & of_ben)


def test_answers_that_are_kept_keep_their_judgments(rated, owner, model):
    run = run_to_end(rated, owner, **RATE)
    erase_rater(Rater.objects.get(study=rated, name="ann"), owner, keep_answers=True)
    assert Judgment.objects.filter(run=run).count() == Rating.objects.filter(rater=run.rater).count() == 24
    assert "ann-q0 answer 1." in texts_of(Call.objects.all())


@pytest.mark.thorough
def test_a_judge_is_erased_with_its_runs(rated, owner, model):
    kinds, rating = run_to_end(rated, owner, **KINDS), run_to_end(rated, owner, **RATE)
    erase_rater(rating.rater, owner, keep_answers=False)
    connection.check_constraints()
    assert list(JudgeRun.objects.all()) == [kinds]
    assert {one.run_id for one in Judgment.objects.all()} == {kinds.pk}
    assert [work.run_id for work in RunWork.objects.all()] == [kinds.pk]
