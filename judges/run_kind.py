"""What a kind of run is: judges that ask a model and metrics have one module each in `run_kinds/`; parts may add more.

Starting, stopping, resuming and ending are the same for all of them (`judges.run_states`). A kind is recognised by a
key that only its configurations have, and nothing outside its module names it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from annotation.models import JudgeRun, Study
from config.background.claiming import Claim
from config.registry import discover
from judges.models import RunWork


class AnyConfiguration(Protocol):
    """The configuration of a run of any kind."""

    def as_json(self) -> dict[str, Any]:
        """Return the configuration as it is stored and exported."""

    def identity(self) -> dict[str, Any]:
        """Return what makes the rater: two configurations with an equal identity belong to one."""


class RunKind(ABC):
    """A kind of run. The defaults suit work that is one job, which counts what it has done in `RunWork.planned`."""

    key: ClassVar[str]
    """The key that only configurations of this kind have."""
    rater_kind: ClassVar[str]

    @abstractmethod
    def rater_name(self, configuration: Mapping[str, Any]) -> str:
        """Return the name of the rater that a stored configuration makes, without a suffix."""

    @abstractmethod
    def work_on(self, claim: Claim) -> None:
        """Do the work of a claimed `RunWork` that is not done yet. Raises what `judges.background.run_work` handles."""

    @abstractmethod
    def has_units(self, study: Study, configuration: Mapping[str, Any]) -> bool:
        """Return whether a study has something that a run of this stored configuration could judge.

        Raises ConfigurationRefusedError if it can say what is missing.
        """

    def check_resumable(self, run: JudgeRun) -> None:
        """Raise ConfigurationRefusedError if a run cannot go on, because what it began with is not there any more."""

    def threads(self, run: JudgeRun) -> int:
        """Return how many judgments of a run a command makes at once."""
        return 1

    def done(self, run: JudgeRun) -> int:
        """Return how many judgments or scores of a run are over."""
        return RunWork.objects.values_list("planned", flat=True).get(run=run)

    def sums(self, run: JudgeRun) -> Mapping[str, Any]:
        """Return the fields of a run that are computed when it ends: counts, tokens and price."""
        return {}


def run_kinds() -> Mapping[str, RunKind]:
    """Return all kinds of runs by key."""
    return discover("run_kinds", "RUN_KIND")


def kind_of(configuration: Mapping[str, Any]) -> RunKind:
    """Return the kind of a run with this stored configuration. Raises LookupError if no kind has such ones."""
    for key, kind in run_kinds().items():
        if key in configuration:
            return kind
    raise LookupError(f"A configuration has none of the keys {', '.join(run_kinds())}.")
