"""Runs of trained judges: one job that labels the turns of the split's test part and writes the labels as ratings."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from annotation.answers import Unit
from annotation.machine_ratings import MachineRating, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.models import JudgeRun, Question, Rater, Rating, Study
from annotation.protocols import protocols
from config.background.claiming import Claim
from judges.answered_turns import turns_of_part
from judges.configuration import ConfigurationRefusedError
from judges.models import RunWork
from judges.run_kind import RunKind
from judges.turn_split import TEST
from parts.trained_judge.likeliest_labels import JudgedTurn, judged_turns
from parts.trained_judge.trained_configuration import TrainedConfiguration
from parts.trained_judge.training_turns import TrainingError, TrainingTurn
from parts.trained_judge.turn_texts import TurnTexts
from sessions.transcript import TurnRecord
from sessions.turn_variants import turn_variant

CHUNK = 64
"""Turns that are judged and written together; a killed job repeats at most so many."""
VALID = "valid"


class TrainedRuns(RunKind):
    """Judges the test turns with a model that was trained on others; its rater is named after that model."""

    key = "trained"
    rater_kind = Rater.Kind.MODEL

    def rater_name(self, configuration: Mapping[str, Any]) -> str:
        return f"fine_tuned/{configuration['model']}"

    def has_units(self, study: Study, configuration: Mapping[str, Any]) -> bool:
        return True  # the training has refused a split without test turns

    def work_on(self, claim: Claim) -> None:
        judge_test_turns(claim)

    def check_resumable(self, run: JudgeRun) -> None:
        """Raise ConfigurationRefusedError unless the trained judge is still there."""
        try:
            TrainedConfiguration.of(run.configuration).check_folder(run.rater.study, whole=False)
        except TrainingError as problem:
            raise ConfigurationRefusedError(str(problem), "model") from None


def judge_test_turns(claim: Claim) -> None:
    """Judge what a claimed run has not judged yet. Raises TrainingError and MetricError, and what a claim raises."""
    work: RunWork = claim.row
    run = JudgeRun.objects.select_related("rater__study").get(pk=work.run_id)
    configuration, study = TrainedConfiguration.of(run.configuration), run.rater.study
    with claim.kept_alive():
        configuration.check_folder(study, whole=True)
    questions = list(Question.objects.filter(study=study, key__in=configuration.questions))
    done = set(Rating.objects.filter(rater=run.rater_id, run=run.name).values_list("variant", flat=True))
    texts, folder = TurnTexts(configuration.labels), configuration.folder(study)
    waiting = _open_turns(run, configuration, frozenset(done))
    while records := list(islice(waiting, CHUNK)):
        with claim.kept_alive():
            read = list(texts.read(records))
            judged = judged_turns([turn for _, turn in read], folder, configuration.labels)
            write_machine_ratings(study, [
                _rating(run, question, record, turn, found)
                for (record, turn), found in zip(read, judged, strict=True)
                for question in questions
            ])  # fmt: skip
        done.update(turn.key for _, turn in read)
        JudgeRun.objects.filter(pk=run.pk).update(counts={VALID: len(done)})
        claim.update(planned=len(done))


def _open_turns(run: JudgeRun, configuration: TrainedConfiguration, done: frozenset[str]) -> Iterator[TurnRecord]:
    """Yield the test turns that the run has not judged; those that came after its start are not part of it."""
    before: datetime | None = run.started_at
    for one in turns_of_part(run.rater.study, configuration.turn_split, TEST):
        is_new = before is not None and one.turn.created_at > before
        if not is_new and turn_variant(one.turn.session.key, one.turn.number) not in done:
            yield one


def _rating(
    run: JudgeRun, question: Question, record: TurnRecord, turn: TrainingTurn, found: JudgedTurn
) -> MachineRating:
    answer = checked_answer(question, protocols()[run.rater.study.protocol], Unit(variant=turn.key), found.label)
    return MachineRating(
        answer, run.rater_id, record.turn.session.item_id, run=run.name, distribution=dict(found.likelihoods),
        metadata={"truncated": found.truncated} if found.truncated else None,
    )  # fmt: skip


RUN_KIND = TrainedRuns()
