"""What the trained judge adds: the erasing of its files, and a check that they are there. Runs are in `run_kinds/`."""

from collections.abc import Iterator

from config.part import Part
from judges.models import RunWork
from operating.data_check import DataCheck, Row
from parts.trained_judge.erasing import ERASING
from parts.trained_judge.trained_configuration import TrainedConfiguration
from parts.trained_judge.training_turns import TrainingError


def lost_judges() -> Iterator[Row]:
    for work in RunWork.objects.select_related("run", "study").order_by("pk").iterator():
        stored = work.run.configuration
        if "trained" not in stored or "weights_sha256" not in stored:
            continue
        try:
            TrainedConfiguration.of(stored).check_folder(work.study, whole=True)
        except (TrainingError, OSError) as problem:
            yield {"run": work.run_id, "trained": stored["trained"], "is": str(problem)}


class TrainedJudgePart(Part):
    erasing = ERASING
    var_folders = {"turn_judges": ".+"}
    data_checks = (
        DataCheck("lost_trained_judges", "A trained judge of a run is missing or has changed.", lost_judges),
    )


PART = TrainedJudgePart()
