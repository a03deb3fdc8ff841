"""The rules of pilots, for protocols whose pilots have the study's own tasks."""

from annotation.desk.pilot_rules import PilotRules
from annotation.models import Rater
from recruiting.way_in.pilot_tasks import end_if_over, most_given
from recruiting.way_in.steps_taken import way_of


def is_waiting(rater: Rater) -> bool:
    """Whether the rater's next step waits for a researcher."""
    return way_of(rater.study, rater).waits


PILOT = PilotRules(most_given, is_waiting, end_if_over)
