"""What a meta-evaluation says of each judge beyond the papers' figures, as plain values: docs/formats.md has the keys.

May the judge replace a person, what sways it, are its probabilities right, and what are systems' means if people
answered some outputs and the judge the others.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import Estimate
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.alternative_annotator import AlternativeAnnotator, alternative_annotator_test
from agreement.meta_evaluation.bias_card import Bias, bias_card
from agreement.meta_evaluation.calibration import Calibration, calibration
from agreement.meta_evaluation.choice_figures import NO_MAJORITY, majority_of, pair_counts
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.corrected_means import corrected_means
from agreement.meta_evaluation.output_answers import OutputChoices
from agreement.meta_evaluation.replacement_baselines import (
    Baseline,
    ReplacementInputs,
    replacement_baselines,
    with_baselines,
)
from reports.figures.rows.answer_probabilities import AnswerProbabilities

REPLICATES = 300
SEED = 1


@dataclass(frozen=True)
class QuestionAnswered:
    """A question's answers by people, and how they are read.

    `shape` is score, choice or ranking, as people answered. `scale` (low, high) is that of scores. `shares` (O, K) are
    those of people who gave each answer whose probability judges may give. `ties` is whether a tie could be chosen.
    """

    people: PeopleAnswers
    shape: str
    scale: tuple[float, float] | None
    shares: Floats
    epsilon: float
    replicates: int = REPLICATES
    ties: bool = True


@dataclass(frozen=True)
class JudgeEvidence:
    """A judge with what is known of it beside its answers.

    `flips` are judgments that injected texts turned, and how many were tried; `examples` are codes of outputs that it
    was shown as examples.
    """

    judge: Judge
    probabilities: AnswerProbabilities | None = None
    flips: tuple[int, int] | None = None
    examples: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


def judge_details(asked: QuestionAnswered, evidence: JudgeEvidence) -> Report:
    """The entries `alternative_annotator`, `bias`, `corrected` and, if the judge gave probabilities, `calibration`."""
    people, code = asked.people.of_items(asked.people.answered_items())
    judge = evidence.judge.recoded(code)
    on_scale = is_on_scale(asked, judge)
    report: Report = {
        "alternative_annotator": _may_replace(asked, people, judge, on_scale),
        "bias": {
            name: _bias(one)
            for name, one in bias_card(
                judge, people, flips=evidence.flips, replicates=asked.replicates, seed=SEED
            ).items()
        },
        "corrected": _corrected(asked, evidence),
    }
    found = evidence.probabilities
    if found is not None and found.output.size:
        outputs = asked.people.outputs
        one = calibration(
            found.probability, asked.shares[found.output], outputs.item[found.output],
            replicates=asked.replicates, seed=SEED,
        )  # fmt: skip
        report["calibration"] = _calibration(one)
    return report


def is_on_scale(asked: QuestionAnswered, judge: Judge) -> bool:
    """Whether the judge's values mean what people's do: the same shape, and scores within the question's scale."""
    if asked.shape == "choice":
        return True
    if any(rerun.shape != asked.shape for rerun in judge.reruns):
        return False
    if asked.scale is None:
        return True
    low, high = asked.scale
    return all(((rerun.scores.value >= low) & (rerun.scores.value <= high)).all() for rerun in judge.reruns)


def _mean_values(asked: QuestionAnswered, judge: Judge) -> Floats:
    """The judge's mean value of each output, (O,), over its reruns: points if people chose between outputs."""
    outputs = asked.people.outputs
    values = np.stack(
        [
            (rerun.choices.scores(outputs) if asked.shape == "choice" else rerun.scores).means(outputs)
            for rerun in judge.reruns
        ]
    )
    count = (~np.isnan(values)).sum(axis=0)
    total = np.nansum(values, axis=0)
    return np.divide(total, count, out=np.full(outputs.size, np.nan), where=count > 0)


def _may_replace(asked: QuestionAnswered, people: PeopleAnswers, judge: Judge, on_scale: bool) -> Report:
    """The alternative-annotator test, of scores, labels or choices, with its baselines; `by` says which."""
    inputs = _replacement_inputs(asked, people, judge, on_scale)
    found = alternative_annotator_test(
        inputs.unit,
        inputs.rater,
        inputs.value,
        inputs.judge,
        inputs.item,
        inputs.raters,
        scores=inputs.scores,
        epsilon=asked.epsilon,
        replicates=asked.replicates,
        seed=SEED,
    )
    beside = replacement_baselines(inputs, epsilon=asked.epsilon, replicates=asked.replicates, seed=SEED)
    report = {"by": inputs.by, **_alternative_annotator(with_baselines(found, beside))}
    report["baselines"] = {"constant": _baseline(beside.constant), "shuffled": _baseline(beside.shuffled)}
    report["people_level"] = inputs.level
    put(report, report["undefined"], "people_alpha", beside.alpha)
    return report


def _baseline(found: Baseline) -> Report:
    return {"omega": found.omega, "rho": found.rho, "passes": found.passes}


def _replacement_inputs(
    asked: QuestionAnswered, people: PeopleAnswers, judge: Judge, on_scale: bool
) -> ReplacementInputs:
    """Scores or labels if the judge's mean what people's do, and otherwise the choices that follow from answers."""
    scores = people.scores
    if on_scale and asked.shape != "choice":
        small = QuestionAnswered(people, asked.shape, asked.scale, asked.shares, asked.epsilon)
        value = _mean_values(small, judge)
        given = (scores.output, scores.rater, scores.value)
        if people.yes_or_no:
            value = np.where(np.isnan(value), np.nan, (value > 0.5).astype(np.float64))
            return ReplacementInputs(*given, value, people.outputs.item, scores.raters, "labels", (0.0, 1.0), "nominal")
        ends = asked.scale or (float(scores.value.min(initial=np.inf)), float(scores.value.max(initial=-np.inf)))
        middle = (ends[0] / 2 + ends[1] / 2,)
        return ReplacementInputs(*given, value, people.outputs.item, scores.raters, "scores", middle, "interval")
    choices = people.choices
    pairs, unit = np.unique(choices.pair(people.outputs), return_inverse=True)
    item = people.outputs.item[pairs // max(people.outputs.size, 1)] if pairs.size else pairs
    sides = (float(TIE),) if asked.ties else (float(FIRST), float(SECOND))
    return ReplacementInputs(
        unit, choices.rater, choices.choice.astype(np.float64), _choices_of_pairs(judge, people, pairs), item,
        choices.raters, "choices", sides, "nominal", people.outputs.sides,
    )  # fmt: skip


def _choices_of_pairs(judge: Judge, people: PeopleAnswers, pairs: Ints) -> Floats:
    """The judge's most common choice of each pair over reruns and orders, (P,); a tie if there is not one; NaN."""
    counts = pair_counts(choices_together(judge), people.outputs)
    place, there = counts.find(pairs)
    if not counts.pair.size:
        return np.full(pairs.size, np.nan)
    most = majority_of(counts.counts)[place]
    return np.where(there, np.where(most == NO_MAJORITY, TIE, most), np.nan)


def choices_together(judge: Judge) -> OutputChoices:
    """The choices of all reruns of a judge."""
    reruns = [rerun.choices for rerun in judge.reruns]
    if len(reruns) == 1:
        return reruns[0]
    parts = {
        name: np.concatenate([getattr(one, name) for one in reruns])
        for name in ("first", "second", "rater", "choice", "shown_first")
    }
    return OutputChoices(**parts, raters=reruns[0].raters)


def _alternative_annotator(found: AlternativeAnnotator) -> Report:
    report: Report = {"epsilon": found.epsilon, "omega": found.omega, "passes": found.passes}
    undefined: dict[str, str] = {}
    put(report, undefined, "rho", found.rho)
    if found.omega is None:
        undefined["omega"] = str(found.reason)
    if found.passes is None:
        undefined["passes"] = str(found.reason)
    people = {
        one.person: {
            "items": one.items, "units": one.units, "judge_advantage": one.judge_advantage,
            "person_advantage": one.person_advantage, "p": one.p, "wins": one.wins,
            **({"reason": one.reason} if one.reason else {}),
        }
        for one in found.people
    }  # fmt: skip
    return report | {"missing": list(found.missing), "people": people, "undefined": undefined}


def _bias(one: Bias) -> Report:
    report: Report = {"matters": one.matters, "sentence": one.sentence}
    undefined: dict[str, str] = {}
    for name in ("judge", "people", "difference"):
        found: Estimate | None = getattr(one, name)
        if found is not None:
            put(report, undefined, name, found)
    return report | {"undefined": undefined}


def _calibration(found: Calibration) -> Report:
    report: Report = {"outputs": found.outputs, "by_chance": found.by_chance}
    undefined: dict[str, str] = {}
    for name in ("error", "brier", "brier_of_people"):
        put(report, undefined, name, getattr(found, name))
    report["bins"] = [
        {
            "low": one.low, "high": one.high, "n": one.n, "probability": one.probability, "share": one.share,
            "share_ci": None if one.interval is None else list(one.interval),
        }
        for one in found.bins
    ]  # fmt: skip
    return report | {"undefined": undefined}


def _corrected(asked: QuestionAnswered, evidence: JudgeEvidence) -> Report:
    """Systems' means, over all outputs of the study: also those that only the judge answered."""
    outputs = asked.people.outputs
    judge = _mean_values(asked, evidence.judge)
    people = asked.people.scores.means(outputs)
    judge[evidence.examples] = np.nan
    people[evidence.examples] = np.nan
    on_scale = is_on_scale(asked, evidence.judge)
    yes_or_no = asked.people.yes_or_no and on_scale
    return {
        "on_scale": on_scale,
        "examples_left_out": int(np.unique(evidence.examples).size),
        "systems": corrected_means(people, judge, outputs, yes_or_no=yes_or_no),
    }


def put(report: Report, undefined: dict[str, str], name: str, found: Any) -> None:
    """Put an estimate at `name` and its interval beside it, and the reasons if they are undefined."""
    report[name] = found.value
    report[f"{name}_ci"] = None if found.interval is None else list(found.interval)
    if found.reason:
        undefined[name] = found.reason
    if found.interval is None:
        undefined[f"{name}_ci"] = found.interval_reason or "the figure itself is undefined"
