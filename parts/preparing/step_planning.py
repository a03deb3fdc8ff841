"""The cases of a step before it starts: which they are, what they will take, and what the first prompt says."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random

from annotation.models import Study
from llm.call_errors import CallError
from llm.call_estimates import CallEstimate, estimate_calls
from llm.requests import Request
from parts.preparing.asking import FirstRequestAsker, OnlyFirstError
from parts.preparing.models import InstructionTrial
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration
from parts.preparing.step_kind import StepCase, step_kinds

MOST_CASES = 20_000
SAMPLE = 200
NOTHING_TO_ASK = "There is nothing to ask about. {}"
NEEDED = {
    "document": "Draw documents first; those that have suggestions already are left out.",
    "instruction": "Accept instructions first; those that have a text of this system already are left out.",
}
TOO_MANY = "A step asks about at most {:,} documents or instructions. Limit the part."


def planned_cases(
    study: Study, configuration: StepConfiguration, trial: InstructionTrial | None = None
) -> list[StepCase]:
    """Return what a step is about, in a fixed order; a part is drawn by the seed. Raises PreparationRefusedError."""
    kind = step_kinds()[configuration.kind]
    found = []
    for case in kind.cases(study, configuration, trial):
        found.append(case)
        if len(found) > MOST_CASES:
            raise PreparationRefusedError(TOO_MANY.format(MOST_CASES), "part")
    if not found:
        raise PreparationRefusedError(NOTHING_TO_ASK.format(NEEDED[kind.about]))
    if configuration.part is None or configuration.part >= len(found):
        return found
    places = Random(f"part\0{configuration.seed}").sample(range(len(found)), configuration.part)  # noqa: S311
    return [found[place] for place in sorted(places)]


def estimate_step(study: Study, configuration: StepConfiguration, cases: Sequence[StepCase]) -> CallEstimate:
    """Return what a step will take, from a sample of its prompts. Raises CallError."""
    kind = step_kinds()[configuration.kind]
    drawn = Random(f"estimate\0{configuration.seed}").sample(list(cases), min(SAMPLE, len(cases)))  # noqa: S311
    calls = len(cases) * kind.most_calls(configuration)
    return estimate_calls(configuration.model, _first_requests(study, configuration, drawn), calls)


def first_request(study: Study, configuration: StepConfiguration, case: StepCase) -> Request | None:
    """Return the first request about a case. Nothing is sent."""
    asker = FirstRequestAsker(study, configuration)
    with suppress(OnlyFirstError):
        step_kinds()[configuration.kind].ask(case, configuration, asker)
    return asker.first


def _first_requests(study: Study, configuration: StepConfiguration, cases: Sequence[StepCase]) -> Iterator[Request]:
    for case in cases:
        request = first_request(study, configuration, case)
        if request is not None:
            yield request


def checked_estimate(study: Study, configuration: StepConfiguration, cases: Sequence[StepCase]) -> CallEstimate:
    """As `estimate_step`; raises PreparationRefusedError if the model cannot take the prompts."""
    try:
        return estimate_step(study, configuration, cases)
    except CallError as problem:
        raise PreparationRefusedError(problem.reason, "model") from None
