"""Runs of trained judges: one job that labels the turns of the split's test part and writes the labels as ratings."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from annotation.answers import Unit
from annotation.machine_ratings import MachineRating, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.models import JudgeRun, Question, Rating
from annotation.protocols import protocols
from config.background.claiming import Claim
from judges.answered_turns import turns_of_part
from judges.models import RunWork
from judges.trained_configuration import TrainedConfiguration
from judges.turn_split import TEST
from judges.turn_texts import TurnTexts
from judges.turn_training import TrainingTurn
from judges.turn_training.trained_judge import JudgedTurn, judged_turns
from sessions.transcript import TurnRecord
from sessions.turn_variants import turn_variant

CHUNK = 64
"""Turns that are judged and written together; a killed job repeats at most so many."""
VALID = "valid"


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
