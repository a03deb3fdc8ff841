"""The steps of the page for a new run: check what is posted, estimate it, and start what was estimated."""

from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID, uuid4

from django.http import QueryDict
from django.utils.crypto import salted_hmac

from accounts.models import Person
from annotation.models import JudgeRun, Output, Study
from annotation.pools import in_main_pool
from config.model_fields import canonical_json
from judges.configuration import ConfigurationRefusedError, RunConfiguration, checked_configuration
from judges.estimates import RenderedPrompt, RunEstimate, estimate, rendered_prompts
from judges.form_choices import run_choices
from judges.forms import RunForm
from judges.judge_choices import JudgeChoice, judge_choice
from judges.metric_configuration import MetricConfiguration, checked_metric, unnamed_metric
from judges.metric_requests import request_run
from judges.models import MetricRequest
from judges.run_page_data import about_time
from judges.run_states import start_run
from llm.budgets import amount_text
from llm.call_errors import CallError

NOTHING_TO_JUDGE = "There is nothing to judge: no item has what this judge needs. {}"
NEEDED = {
    "output": "It needs items with outputs.",
    "pair": "It needs items with two outputs or more.",
    "item": "It needs items with two outputs or more.",
    "turn": "It needs sessions with answered turns.",
}
KEPT_FIELDS = ("model", "baseline", "subset", "replicates", "seed", "pilot", "budget", "partly")
KEPT_LISTS = ("questions", "references")
CHANGED = "The run has changed since it was estimated. Check the new estimate, then start the run."


class Configured(Protocol):
    """Something that is run or asked as it is configured."""

    def as_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class ShownEstimate:
    """An estimate with its first prompt. `digest` identifies the configuration, so that only what was seen starts."""

    figures: RunEstimate
    prompt: RenderedPrompt | None
    price: str
    time: str
    digest: str


@dataclass(frozen=True)
class ScoreEstimate:
    """What a run of a metric will take: how many outputs it scores. Nothing is sent, and it costs nothing."""

    units: int
    digest: str


@dataclass
class NewRun:
    """What the page for a new run shows after a request: the form, if a judge is chosen, its estimate, and the run."""

    judge: JudgeChoice | None
    form: RunForm | None = None
    estimate: ShownEstimate | ScoreEstimate | None = None
    changed: str = ""
    run: JudgeRun | None = None
    request: MetricRequest | None = None
    """In place of the run, if a worker has to name the weights of a metric first."""
    key: UUID = field(default_factory=uuid4)
    """Comes back with the start, so that a second press starts no second run."""


def new_run(study: Study, person: Person, query: QueryDict, posted: QueryDict | None) -> NewRun:
    """Return the form of a judge; if it is posted, with an estimate, or with the run that has started.

    `query` is that of the address: the judge, and what was entered before another judge was chosen. A run starts only
    if the estimate on the page is of the configuration that comes with it.
    """
    judge = judge_choice((query if posted is None else posted).get("protocol", ""))
    if judge is None:
        return NewRun(None)
    choices = run_choices(study, judge.protocol)
    page = NewRun(judge, RunForm(posted, judge=judge, choices=choices, initial=kept(query)))
    if page.form is None or posted is None or not page.form.is_valid():
        return page
    try:
        configuration: RunConfiguration | MetricConfiguration
        if judge.protocol is None:
            check = unnamed_metric if judge.has_weights else checked_metric
            configuration = check(study, page.form.given())
            page.estimate = score_estimate(study, page.form, configuration)
        else:
            configuration = checked_configuration(study, page.form.given())
            page.estimate = shown_estimate(study, page.form, configuration)
        if page.estimate is not None and "start" in posted:
            if posted.get("estimated") == page.estimate.digest:
                key = posted_key(posted)
                if judge.has_weights:
                    page.request = request_run(study, page.form.given(), person, key or page.key)
                else:
                    page.run = _start(study, page.form, configuration, person, key)
            else:
                page.changed = CHANGED
    except ConfigurationRefusedError as problem:
        page.form.refuse(problem)
    return page


def kept(query: QueryDict) -> dict[str, Any]:
    """Return the values of fields that every judge has, as an address gives them."""
    texts = {name: query[name] for name in KEPT_FIELDS if query.get(name)}
    return {**texts, **{name: query.getlist(name) for name in KEPT_LISTS if name in query}}


def shown_estimate(study: Study, form: RunForm, configuration: RunConfiguration) -> ShownEstimate | None:
    """Return what the run will take, or None after adding to the form why that cannot be said.

    Raises ConfigurationRefusedError.
    """
    try:
        figures = estimate(study, configuration)
        prompts = rendered_prompts(study, configuration)
    except CallError as problem:
        form.add_error("model", problem.reason)
        return None
    if not figures.judgments:
        form.add_error(None, NOTHING_TO_JUDGE.format(NEEDED[form.judge.unit]))
        return None
    return ShownEstimate(
        figures, prompts[0] if prompts else None, amount_text(figures.price), about_time(figures.seconds),
        configuration_digest(configuration),
    )  # fmt: skip


def score_estimate(study: Study, form: RunForm, configuration: MetricConfiguration) -> ScoreEstimate | None:
    """Return how many outputs a metric will score, or None after adding to the form that there are none."""
    count = Output.objects.filter(in_main_pool(study), item__study=study).count()
    if not count:
        form.add_error(None, NOTHING_TO_JUDGE.format(NEEDED["output"]))
        return None
    part = count if configuration.subset is None else min(count, configuration.subset)
    return ScoreEstimate(part, configuration_digest(configuration))


def configuration_digest(*configurations: Configured) -> str:
    """Return what tells configurations apart."""
    said = [one.as_json() for one in configurations]
    return salted_hmac("judges.new_run", canonical_json(said), algorithm="sha256").hexdigest()  # it may name a system


def _start(
    study: Study, form: RunForm, configuration: RunConfiguration | MetricConfiguration, person: Person, key: UUID | None
) -> JudgeRun:
    if isinstance(configuration, MetricConfiguration):
        return start_run(study, configuration, person, client_key=key)
    data = form.cleaned_data
    return start_run(
        study, configuration, person, budget=form.cap(), partly=data["partly"], pilot=data["pilot"], client_key=key
    )


def posted_key(posted: QueryDict) -> UUID | None:
    """Return the key of a start, which is the same if a browser sends it again; None without a usable one."""
    try:
        return UUID(posted.get("key", ""))
    except ValueError:
        return None
