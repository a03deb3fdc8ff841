"""The pages for a new step and a new trial: check what is posted, estimate it, and start what was estimated."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from django.http import QueryDict

from accounts.models import Person
from annotation.models import Study
from judges.new_run import configuration_digest, posted_key
from judges.run_page_data import about_time
from llm.budgets import amount_text
from llm.call_estimates import CallEstimate
from llm.requests import Request
from parts.preparing.forms import InstructionTrialForm, StepForm
from parts.preparing.models import InstructionTrial, PreparationStep
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration, pinned
from parts.preparing.step_kind import StepCase, StepKind, step_kinds
from parts.preparing.step_planning import checked_estimate, first_request, planned_cases
from parts.preparing.step_states import start_step
from parts.preparing.trials import start_trial, trial_cases

CHANGED = "This has changed since it was estimated. Check the new estimate, then start."


@dataclass(frozen=True)
class ShownStepEstimate:
    """An estimate with its first prompt. `digest` identifies what was configured, so that only what was seen starts."""

    cases: int
    figures: CallEstimate
    price: str
    time: str
    about: str
    document: str
    first: Request | None
    digest: str


@dataclass
class NewStep:
    """What the page shows after a request: the form, an estimate, and what has started."""

    form: StepForm | InstructionTrialForm
    estimate: ShownStepEstimate | None = None
    changed: str = ""
    step: PreparationStep | None = None
    trial: InstructionTrial | None = None
    key: UUID = field(default_factory=uuid4)
    """Comes back with the start, so that a second press starts nothing more."""


def new_step(study: Study, kind: StepKind, person: Person, query: QueryDict, posted: QueryDict | None) -> NewStep:
    """Return the form of a step; if it is posted, with an estimate, or with the step that has started."""
    chosen = {name: query[name] for name in ("model", "role") if name in query}
    form = StepForm(posted, kind=kind, initial=chosen)
    page = NewStep(form)
    if posted is None or not form.is_valid():
        return page
    given = form.configuration()
    try:
        configuration = pinned(study, given, kind.prompts(given))
        page.estimate = _estimated(study, [configuration], planned_cases(study, configuration))
        if _is_start(page, posted):
            page.step = start_step(study, configuration, person, budget=form.cap(), client_key=posted_key(posted))
    except PreparationRefusedError as problem:
        form.refuse(problem)
    return page


def new_trial(study: Study, person: Person, posted: QueryDict | None) -> NewStep:
    """Return the form of a trial; if it is posted, with an estimate, or with the trial that has started."""
    form = InstructionTrialForm(posted)
    page = NewStep(form)
    if posted is None or not form.is_valid():
        return page
    kind, data = step_kinds()["instructions"], form.cleaned_data
    try:
        configurations = [pinned(study, one, kind.prompts(one)) for one in form.configurations()]
        cases = trial_cases(study, configurations, data["documents"])
        page.estimate = _estimated(study, configurations, cases)
        if _is_start(page, posted):
            page.trial = start_trial(
                study, configurations, person, documents=data["documents"], evaluators=data["evaluators"],
                budget=form.cap(), client_key=posted_key(posted),
            )  # fmt: skip
    except PreparationRefusedError as problem:
        form.refuse(problem)
    return page


def _is_start(page: NewStep, posted: QueryDict) -> bool:
    """Return whether what was estimated may start; say so on the page if something else was estimated."""
    if "start" not in posted or page.estimate is None:
        return False
    if posted.get("estimated") != page.estimate.digest:
        page.changed = CHANGED
        return False
    return True


def _estimated(
    study: Study, configurations: Sequence[StepConfiguration], cases: Sequence[StepCase]
) -> ShownStepEstimate:
    """Return what all steps will take together. Raises PreparationRefusedError."""
    parts = [checked_estimate(study, one, cases) for one in configurations]
    seconds = [one.seconds for one in parts if one.seconds is not None]
    figures = CallEstimate(
        sum(one.calls for one in parts), sum(one.tokens_in for one in parts), sum(one.tokens_out for one in parts),
        sum(one.price for one in parts), any(one.price_unknown for one in parts),
        sum(seconds) if len(seconds) == len(parts) else None,
    )  # fmt: skip
    return ShownStepEstimate(
        len(cases), figures, amount_text(figures.price), about_time(figures.seconds),
        step_kinds()[configurations[0].kind].about, cases[0].document.key,
        first_request(study, configurations[0], cases[0]), configuration_digest(*configurations),
    )  # fmt: skip
