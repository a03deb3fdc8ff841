"""Models that make up answers are for dry runs alone: no other study, and no call without one, may use them."""

from annotation.models import Study
from llm.call_errors import CallError
from llm.endpoints import is_dry_run_model


class MadeUpError(CallError):
    """The model makes up answers, and the call is for people."""

    kind = "made_up"
    sentence = "This model makes up answers in dry runs. Name another one: this is no dry run."


def makes_up_for(model: str, study: Study | None) -> bool:
    """Return whether `endpoint/model` would make up answers for what is no dry run."""
    return is_dry_run_model(model) and not (study is not None and study.is_dry_run)


def refuse_outside_dry_runs(model: str, study: Study | None) -> None:
    """Raise MadeUpError if `endpoint/model` would make up answers for what is no dry run."""
    if makes_up_for(model, study):
        raise MadeUpError
