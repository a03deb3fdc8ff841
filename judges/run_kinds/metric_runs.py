"""Runs of metrics: one job that computes all scores."""

from collections.abc import Mapping
from typing import Any

from annotation.models import Rater, Study
from config.background.claiming import Claim
from judges.run_kind import RunKind
from judges.scoring import score_run
from judges.units import output_units


class MetricRuns(RunKind):
    """Computes the scores of a metric; its rater has the metric's name."""

    key = "metric"
    rater_kind = Rater.Kind.METRIC

    def rater_name(self, configuration: Mapping[str, Any]) -> str:
        return str(configuration["metric"])

    def has_units(self, study: Study, configuration: Mapping[str, Any]) -> bool:
        return next(output_units(study), None) is not None

    def work_on(self, claim: Claim) -> None:
        score_run(claim)


RUN_KIND = MetricRuns()
