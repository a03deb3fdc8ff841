"""What an hour of work is paid, from the study's pay per task and the median time of its annotators."""

from dataclasses import dataclass
from statistics import median

from annotation.models import Study
from annotation.studies.pace_counts import LEAST_ACTIVE, StudyPace
from annotation.studies.pace_plan import StatedPace, pace_in

LEAST_RATERS = 3
"""With fewer annotators a median would be one person's time."""


@dataclass(frozen=True)
class PayOfHours:
    """Expected and median minutes per task, and what an hour of each is paid; None if not known."""

    pace: StatedPace
    median_minutes: float | None
    per_hour: float | None
    least: int = LEAST_RATERS

    @property
    def expected_per_hour(self) -> float | None:
        return self.pace.expected_per_hour

    @property
    def expected_under_floor(self) -> bool:
        return self.pace.is_under_floor(self.pace.expected_per_hour)

    @property
    def under_floor(self) -> bool:
        return self.pace.is_under_floor(self.per_hour)


def pay_of(study: Study, counted: StudyPace) -> PayOfHours | None:
    """The pay of hours of a study that states its pace, else None."""
    pace = pace_in(study)
    if pace is None:
        return None
    raters = [counted.of_rater(int(pk)) for pk in counted.figures.get("raters", {})]
    timed = [one.active_seconds / one.timed for one in raters if one.active_seconds >= LEAST_ACTIVE and one.timed]
    middle = median(timed) if len(timed) >= LEAST_RATERS else None
    return PayOfHours(pace, middle / 60 if middle else None, pace.pay_per_hour(middle))
