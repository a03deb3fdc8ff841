"""Runs of trained judges: one job that labels the test turns."""

from collections.abc import Mapping
from typing import Any

from annotation.models import JudgeRun, Rater, Study
from config.background.claiming import Claim
from judges.configuration import ConfigurationRefusedError
from judges.run_kind import RunKind
from judges.trained_configuration import TrainedConfiguration
from judges.turn_judging import judge_test_turns
from judges.turn_training import TrainingError


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


RUN_KIND = TrainedRuns()
