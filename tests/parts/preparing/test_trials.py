"""Trials of models that write instructions: who wins, and what becomes of the sets."""

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from parts.preparing.models import SourceDocument, Suggestion
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.trial_results import TrialResult, trial_result, wins_of
from parts.preparing.trials import choose_winner, rate_trial, start_trial
from tests.parts.preparing.prepared_studies import configured_step, empty_study, with_documents, work_off

MODELS = ["campus/able", "campus/small"]


def won(result):
    return {one.model: (one.alone, one.shared) for one in result.models}


def test_the_best_mean_rating_wins_a_document():
    result = wins_of(["a", "b"], [{"a": [1, 1, 0], "b": [1, 0, 0]}, {"a": [-1], "b": [0]}, {"a": [1], "b": [0]}])
    assert won(result) == {"a": (2, 0), "b": (1, 0)}
    assert result.leaders == ("a",)
    assert (result.documents, result.unrated) == (3, 0)


def test_equal_means_share_the_win_and_that_is_said():
    result = wins_of(["a", "b", "c"], [{"a": [1, 0, -1], "b": [0], "c": [-1]}])
    assert won(result) == {"a": (0, 1), "b": (0, 1), "c": (0, 0)}
    assert result.leaders == ("a", "b")


def test_means_are_compared_exactly():
    thirds = [1, 0, 0]
    result = wins_of(["a", "b"], [{"a": thirds, "b": thirds * 2}])
    assert won(result) == {"a": (0, 1), "b": (0, 1)}


def test_a_document_counts_only_if_two_sets_are_rated():
    result = wins_of(["a", "b"], [{"a": [1]}, {}, {"a": [0], "b": [1]}])
    assert won(result) == {"a": (0, 0), "b": (1, 0)}
    assert (result.documents, result.unrated) == (1, 2)
    assert wins_of(["a", "b"], [{}]).leaders == ()


def test_a_result_is_kept_as_it_was():
    result = wins_of(["a", "b"], [{"a": [1], "b": [0]}])
    assert TrialResult.of(result.as_json()) == result


@pytest.fixture
def trial(tmp_path, owner, model):
    study = empty_study(tmp_path, owner=owner)
    with_documents(study, tmp_path, 4)
    configurations = [configured_step(study, "instructions", model=name, seed=5) for name in MODELS]
    made = start_trial(study, configurations, owner, documents=2, evaluators=1)
    work_off()
    return made


def rate_all(trial, rater, best):
    """Rate the sets of one model as good and all others as bad."""
    study = Study.objects.get(slug=trial.rated_in)
    add_member(study, rater, "annotator", None)
    mine = rater_for(study, rater)
    while (task := next_assignment(study, mine)) is not None:
        keys = list(task.task.item.outputs.order_by("position").values_list("key", flat=True))
        form = {
            f"q-quality-{letter}": ["good" if keys[place] == best else "bad"]
            for letter, place in zip("AB", task.order, strict=True)
        }
        submit(task, Submission(form, revision=0, guidelines_version=1))


def test_the_sets_are_rated_in_a_blind_study_of_their_own(trial, owner, rater):
    made = rate_trial(trial, owner)
    assert made.is_live
    assert made.redundancy == 1
    assert sorted(made.items.first().outputs.values_list("key", flat=True)) == MODELS
    rate_all(trial, rater, "campus/small")
    result = trial_result(trial)
    assert won(result) == {"campus/small": (2, 0), "campus/able": (0, 0)}
    assert result.leaders == ("campus/small",)


def test_a_slug_that_is_taken_is_not_used_for_the_ratings(trial, owner, tmp_path):
    taken = empty_study(tmp_path, slug="draft-trial-1")
    assert rate_trial(trial, owner).slug == "draft-trial-1-2"
    assert not taken.items.exists()


def test_the_winner_is_accepted_and_the_others_are_dropped_with_the_reason(trial, owner, rater):
    rate_trial(trial, owner)
    rate_all(trial, rater, "campus/able")
    choose_winner(trial, "campus/able", owner)
    states = {(one.step.said("model"), one.state, one.reason) for one in Suggestion.objects.select_related("step")}
    assert states == {
        ("campus/able", "accepted", ""), ("campus/small", "dropped", "another model's set was chosen"),
    }  # fmt: skip
    assert trial.result["models"][0]["alone"] == 2
    with pytest.raises(PreparationRefusedError, match="chosen already"):
        choose_winner(trial, "campus/small", owner)


def test_a_trial_needs_two_models_and_enough_documents(trial, owner):
    study = trial.study
    with pytest.raises(PreparationRefusedError, match="at least two models"):
        start_trial(study, [configured_step(study, "instructions")], owner, documents=1, evaluators=1)
    both = [configured_step(study, "instructions", model=name) for name in MODELS]
    with pytest.raises(PreparationRefusedError, match="Only 2 documents"):
        start_trial(study, both, owner, documents=3, evaluators=1)
    assert SourceDocument.objects.filter(study=study).count() == 4
