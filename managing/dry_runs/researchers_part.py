"""What a researcher decides while a study goes on, done for a dry run, so that it reaches the end."""

from annotation.models import Study
from annotation.models.people import Role
from config.database_clock import database_now
from recruiting.models import StepPassage
from recruiting.way_in.pilot_decisions import decide
from sessions.second_ratings import sample_turns


def let_on(study: Study) -> int:
    """Let everybody go on who waits for a decision after a pilot; return how many."""
    waiting = StepPassage.objects.filter(rater__study=study, outcome=StepPassage.Outcome.WAITING).order_by("pk")
    passages = list(waiting.select_related("rater"))
    owner = study.memberships.filter(role=Role.OWNER, active=True).order_by("pk").select_related("person").first()
    if owner is None:
        return 0
    for passage in passages:
        decide(passage, "continue", owner.person, database_now())
    return len(passages)


def open_second_ratings(study: Study) -> int:
    """Draw the sample of turns that others rate, if the study's options have one; return how many places opened."""
    wanted = study.option("second_ratings", None)
    return sample_turns(study, **wanted, seed=study.option("seed", 0)).opened if wanted else 0
