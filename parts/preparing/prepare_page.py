"""What the page of a study's preparation shows: samples, steps with their progress, trials, decisions and systems."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, Sum

from annotation.models import Study
from annotation.protocols import protocols
from config.background.rows import WAITING
from llm.budgets import amount_text
from llm.models import Call
from parts.preparing.access import kinds_for
from parts.preparing.deciding import offered_kinds
from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)
from parts.preparing.placing import Readiness, readiness
from parts.preparing.step_kind import StepKind, step_kinds
from parts.preparing.trial_results import TrialResult, trial_result

Status = PreparationStep.Status
HIDDEN = ("kind", "prompts", "scripted")
OF_SUGGESTIONS, OF_TEXTS = ("accept", "count", "keywords"), ("generic", "role")
"""Parts of a configuration that only steps which suggest, or only those which write texts, have a use for."""
LOOKS = {
    Status.RUNNING.value: "live", Status.FINISHED.value: "closed", Status.STOPPED.value: "paused",
    Status.OUT_OF_BUDGET.value: "paused",
}  # fmt: skip
"""The look of a step's status, as those of studies."""


@dataclass(frozen=True)
class StepRow:
    """A step with how many of its calls are over, and how many have each outcome."""

    step: PreparationStep
    kind: StepKind
    total: int
    done: int
    outcomes: Sequence[tuple[str, int]]

    @property
    def look(self) -> str:
        return LOOKS[self.step.status]

    @property
    def title(self) -> str:
        """What the step does, for people."""
        system = self.step.said("system")
        if not system:
            return self.kind.label
        return f"{'References' if self.step.said('role') == PreparedText.Role.REFERENCE else 'Outputs'}: {system}"

    @property
    def configuration(self) -> list[tuple[str, str]]:
        """What decides what is asked, for people: names and values."""
        said = self.step.configuration
        hidden = {*HIDDEN, *(OF_SUGGESTIONS if said["system"] else OF_TEXTS)}
        return [
            (name.replace("_", " "), _said(value))
            for name, value in sorted(said.items())
            if name not in hidden and value not in (None, "", [])
        ]

    @property
    def can_resume(self) -> bool:
        return self.step.status in (Status.STOPPED, Status.OUT_OF_BUDGET)


@dataclass(frozen=True)
class SourceRow:
    """The documents of one source in one sample."""

    name: str
    read: int
    in_range: int
    drawn: int


@dataclass(frozen=True)
class SampleRow:
    """A sample with its sources and their sum."""

    sample: DocumentSample
    sources: Sequence[SourceRow]
    all: SourceRow


@dataclass(frozen=True)
class TrialRow:
    """A trial with its models' steps and its result so far."""

    trial: InstructionTrial
    steps: Sequence[StepRow]
    result: TrialResult
    is_there: bool
    """Whether the study in which the sets are rated exists."""

    @property
    def is_written(self) -> bool:
        return all(row.step.status != Status.RUNNING for row in self.steps)


@dataclass(frozen=True)
class SystemRow:
    """The texts of one system, or of one id of references."""

    role: str
    key: str
    writer: str
    models: Sequence[str]
    texts: int


@dataclass(frozen=True)
class DecisionCounts:
    """How many suggestions wait for a decision, were accepted, and were dropped for which reasons."""

    open: int
    accepted: int
    dropped: int
    reasons: Sequence[tuple[str, int]] = field(default=())


@dataclass(frozen=True)
class PreparePage:
    """All that the page shows."""

    is_draft: bool
    answers: bool
    """Whether items need outputs; otherwise they are questions."""
    documents: int
    samples: Sequence[SampleRow]
    trials: Sequence[TrialRow]
    kinds: Sequence[StepKind]
    decisions: DecisionCounts
    systems: Sequence[SystemRow]
    ready: Readiness
    steps: Sequence[StepRow]

    @property
    def is_moving(self) -> bool:
        return any(row.step.status == Status.RUNNING for row in self.steps)


def prepare_page(study: Study) -> PreparePage:
    """Return what the page of a study shows."""
    steps = step_rows(study)
    return PreparePage(
        study.status == Study.Status.DRAFT, protocols()[study.protocol].files.needs_outputs,
        SourceDocument.objects.filter(study=study).count(), _samples(study), _trials(study, steps),
        [kind for kind in kinds_for(study) if kind.suggests], decision_counts(study), _systems(study, steps),
        readiness(study), steps,
    )  # fmt: skip


def step_rows(study: Study) -> list[StepRow]:
    """Return all steps, the newest first."""
    rows = PreparationCall.objects.filter(step__study=study).values_list("step", "status", "outcome")
    counts: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
    for step, status, outcome, count in rows.annotate(count=Count("pk")).order_by():
        counts[step][status, outcome] += count
    steps = PreparationStep.objects.filter(study=study).select_related("trial").order_by("-number")
    return [_step_row(step, counts[step.pk]) for step in steps]


def step_row(step: PreparationStep) -> StepRow:
    """Return one step with its counts."""
    rows = PreparationCall.objects.filter(step=step).values_list("status", "outcome").annotate(count=Count("pk"))
    return _step_row(step, Counter({(status, outcome): count for status, outcome, count in rows.order_by()}))


def _step_row(step: PreparationStep, counts: Mapping[tuple[str, str], int]) -> StepRow:
    done, outcomes = 0, Counter[str]()
    for (status, outcome), count in counts.items():
        if status not in WAITING:
            done += count
            outcomes[outcome or status] += count
    return StepRow(step, step_kinds()[step.kind], sum(counts.values()), done, sorted(outcomes.items()))


def spent_on(step: PreparationStep) -> str:
    """Return what a step's calls have cost so far, or "" if nothing."""
    calls = Call.objects.filter(study=step.study, run=step.charge_name)
    spent = calls.aggregate(spent=Sum("price_charged"))["spent"] or 0
    return amount_text(spent) if spent else ""


def reasons_of(step: PreparationStep) -> list[tuple[str, str, int]]:
    """Return why calls of a step have no result: outcome, reason, number; the most frequent first."""
    calls = PreparationCall.objects.filter(step=step).exclude(outcome="valid").exclude(status__in=WAITING)
    rows = calls.values_list("outcome", "status", "reason").annotate(count=Count("pk")).order_by("-count", "reason")
    return [(outcome or status, reason, count) for outcome, status, reason, count in rows]


def question_counts(step: PreparationStep) -> dict[str, int]:
    """Return the sums of what the calls of a step counted, such as questions dropped by a keyword."""
    found: Counter[str] = Counter()
    for reading in PreparationCall.objects.filter(step=step, reading__isnull=False).values_list("reading", flat=True):
        found.update(reading)
    return dict(found)


def decision_counts(study: Study) -> DecisionCounts:
    """Return how far suggestions are decided. Those of trials without a winner are not counted."""
    found = Suggestion.objects.filter(study=study, kind__in=offered_kinds(study)).filter(~Q(pk__in=in_trial(study)))
    states, reasons = Counter[str](), Counter[str]()
    for state, reason, count in found.values_list("state", "reason").annotate(count=Count("pk")).order_by():
        states[state] += count
        if state == Suggestion.State.DROPPED:
            reasons[reason] += count
    named = sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
    return DecisionCounts(
        states["open"], states["accepted"], states["dropped"],
        [(reason or "by decision", count) for reason, count in named],
    )  # fmt: skip


def in_trial(study: Study) -> Any:
    """Return the suggestions of trials without a winner, which nobody decides one by one."""
    return Suggestion.objects.filter(study=study, step__trial__isnull=False, step__trial__winner="").values("pk")


def _samples(study: Study) -> list[SampleRow]:
    found = []
    for sample in DocumentSample.objects.filter(study=study).order_by("number"):
        rows = [SourceRow(name, **counts) for name, counts in sorted(sample.counts.items())]
        total = SourceRow(
            "", sum(one.read for one in rows), sum(one.in_range for one in rows), sum(one.drawn for one in rows)
        )
        found.append(SampleRow(sample, rows, total))
    return found


def _trials(study: Study, steps: Sequence[StepRow]) -> list[TrialRow]:
    found = []
    for trial in InstructionTrial.objects.filter(study=study).order_by("-number"):
        mine = [row for row in reversed(steps) if row.step.trial_id == trial.pk]
        there = bool(trial.rated_in) and Study.objects.filter(slug=trial.rated_in).exists()
        result = TrialResult.of(trial.result) if trial.result else trial_result(trial)
        found.append(TrialRow(trial, mine, result, there))
    return found


def _systems(study: Study, steps: Sequence[StepRow]) -> list[SystemRow]:
    texts = PreparedText.objects.filter(study=study).values_list("role", "key", "writer").annotate(count=Count("pk"))
    models: dict[tuple[str, str], set[str]] = defaultdict(set)
    for configuration in (row.step.configuration for row in steps):
        models[configuration["role"], configuration["system"]].add(configuration["model"])
    return [
        SystemRow(role, key, writer, sorted(models[role, key]) if writer == "model" else [], count)
        for role, key, writer, count in texts.order_by("role", "key", "writer")
    ]


def _said(value: Any) -> str:
    """Return a value of a configuration for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)
