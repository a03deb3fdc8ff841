"""What an hour of work is paid, from the study's pay per task and the median time of its annotators."""

from dataclasses import dataclass
from statistics import median

from annotation.models import Study
from annotation.studies.pace_counts import LEAST_ACTIVE, StudyPace
from annotation.studies.pace_plan import StatedPace, pace_in, tasks_per_person

LEAST_RATERS = 3
"""With fewer annotators a median would be one person's time."""


@dataclass(frozen=True)
class PayOfHours:
    """Expected and median minutes per task, and what an hour of each is paid; None if not known."""

    pace: StatedPace
    median_minutes: float | None
    per_hour: float | None
    tasks: float | None = None
    """Tasks per person over which the time of the steps is spread: by the plan, else the median of annotators."""
    expected_whole: float | None = None
    """Minutes of the steps and all tasks of a person, if the plan says how many."""
    least: int = LEAST_RATERS

    @property
    def expected_per_hour(self) -> float | None:
        return self.pace.expected_per_hour(self.tasks)

    @property
    def expected_under_floor(self) -> bool:
        return self.pace.is_under_floor(self.expected_per_hour)

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
    planned, answers = tasks_per_person(study), [one.answers for one in raters if one.answers]
    tasks = planned or (median(answers) if len(answers) >= LEAST_RATERS else None)
    per_hour = pace.pay_per_hour(middle, tasks)
    return PayOfHours(pace, middle / 60 if middle else None, per_hour, tasks, pace.expected_minutes(planned))
