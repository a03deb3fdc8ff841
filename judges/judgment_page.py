"""Data for the page of one judgment: its calls, what was read from the replies, and people's answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.blinding import names_of
from annotation.models import JudgeRun, Output, Question, Rater, Study
from annotation.questions import question_types
from config.model_fields import canonical_json
from judges.disagreements import PeopleComparison, PersonAnswer, compare, people_s_answers
from judges.judgment_list import judgment_row, outcome_words, shown_judgments, value_words
from judges.models import Judgment, RunWork
from judges.protocol import judge_protocols
from llm.models import Call
from sessions.models import TurnLabel
from sessions.turn_variants import named_turn

MOST_CALLS = 100
PILOT_JUDGMENTS = 10
MOST_DETAILS = 200


@dataclass(frozen=True)
class JudgeCall:
    """A call of a judgment as the ledger has it. `place` says which sample, agent, round or rerun it was."""

    call: Call
    place: str


@dataclass(frozen=True)
class Share:
    """The probability of an answer, in percent with one decimal; `is_missing` marks that of no allowed answer."""

    answer: str
    percent: str
    share: float
    is_missing: bool = False


@dataclass(frozen=True)
class Detail:
    """Something else that a reading keeps: a text, or a table if it is a list of alike things."""

    name: str
    text: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class PersonRow:
    """A person's answer to the same question: the outputs it is about, if they are not those of the judgment."""

    rater: str
    about: str
    value: str
    explanation: str


@dataclass(frozen=True)
class JudgmentContent:
    """Everything on the page of a judgment."""

    judgment: Judgment
    number: int
    outcome: str
    value: str
    explanation: str
    agents: str
    calls: Sequence[JudgeCall]
    shares: Sequence[Share]
    details: Sequence[Detail]
    outputs: Sequence[tuple[str, str]]
    people: Sequence[PersonRow]
    together: str
    comparison: PeopleComparison


def calls_of(study: Study, judgments: Sequence[Judgment]) -> dict[int, list[JudgeCall]]:
    """Return the calls behind judgments, by primary key; a second reading has those of the original."""
    names = {one.pk: f"judgment:{one.original_id or one.pk}" for one in judgments}
    rows = (
        Call.objects.filter(study=study, work__in=set(names.values()))
        .defer("raw", "thinking", "attempts")
        .order_by("pk")
    )
    found: dict[str, list[JudgeCall]] = {}
    for call in rows[: MOST_CALLS * max(len(judgments), 1)]:
        found.setdefault(call.work, []).append(JudgeCall(call, place_words(call.step)))
    return {pk: found.get(name, [])[:MOST_CALLS] for pk, name in names.items()}


def place_words(step: str) -> str:
    """Return the place of a call in its judgment, as `llm.requests.JudgmentPlace.step` wrote it."""
    name, _, place = step.partition(" ")
    parts = place.split(".")
    if len(parts) != 6:
        return step
    replicate, sample, agent, turn, _, retry = parts
    said = [name.replace("_", " ")]
    said += [f"sample {sample}"] if sample != "1" else []
    said += [f"agent {agent}"] if agent != "0" else []
    said += [f"round {turn}"] if turn != "1" or agent != "0" else []
    said += [f"rerun {replicate}"] if replicate != "1" else []
    said += [f"retry {retry}"] if retry != "0" else []
    return ", ".join(said)


def content_of(study: Study, judgment: Judgment) -> JudgmentContent:
    """Return what the page of a judgment shows, in at most five queries."""
    [judgment] = shown_judgments(study, [judgment])
    reading: Mapping[str, Any] = judgment.reading or {}
    work: RunWork | None = getattr(judgment.run, "work", None)
    answers = people_s_answers(study, [judgment])[judgment.pk]
    comparison = compare(judgment.question, judgment, answers)
    people = [_person_row(judgment, one) for one in answers]
    return JudgmentContent(
        judgment, judgment.place + 1, outcome_words(judgment, work.held_from if work else None),
        value_in_words(judgment.question, judgment, reading["value"]) if "value" in reading else "",
        str(reading.get("explanation") or ""), str(reading.get("outcome") or ""),
        calls_of(study, [judgment])[judgment.pk], shares_of(reading), details_of(reading.get("details")),
        output_texts(study, judgment), people or labels_of(judgment),
        "" if comparison.people is None else value_in_words(judgment.question, judgment, comparison.people), comparison,
    )  # fmt: skip


def value_in_words(question: Question | None, judgment: Judgment, value: Any) -> str:
    """Return a value of the judge, or of people together, in a sentence's words."""
    if judgment.other_output_id is not None and value in (judgment.order or ()):
        return f"{value} is better"
    if question is not None and isinstance(value, str) and judgment.other_output_id is None:
        return question_types()[question.type].in_words(value, question.spec) or value
    return value_words(value)


def _person_row(judgment: Judgment, answer: PersonAnswer) -> PersonRow:
    question, value = judgment.question, answer.value
    said = "" if question is None else question_types()[question.type].in_words(value, question.spec)
    about = " · ".join(answer.outputs)
    same = set(answer.outputs) == set(judgment.order or ()) or not answer.outputs
    return PersonRow(answer.rater, "" if same else about, said or value_words(value), answer.explanation)


def labels_of(judgment: Judgment) -> list[PersonRow]:
    """Return people's labels of the turn that a judgment labels, for protocols without a question."""
    named = named_turn(judgment.variant)
    protocol = judge_protocols().get(str(judgment.run.configuration.get("protocol")))
    if named is None or protocol is None or not protocol.label_kind:
        return []
    rows = TurnLabel.objects.filter(
        turn__session__item=judgment.item_id, turn__session__key=named[0], turn__number=named[1], is_current=True,
        kind=protocol.label_kind, rater__kind=Rater.Kind.HUMAN,
    )  # fmt: skip
    return [PersonRow(name, "", value, "") for name, value in rows.values_list("rater__name", "value")]


def shares_of(reading: Mapping[str, Any]) -> list[Share]:
    """Return the probabilities of a reading, the allowed answers first."""
    given = reading.get("distribution")
    if not isinstance(given, dict) or not given:
        return []
    found = [Share(str(key), f"{100 * share:.1f}", share) for key, share in sorted(given.items(), key=_by_answer)]
    missing = reading.get("missing")
    if missing is not None:
        found.append(Share("none of the allowed answers", f"{100 * missing:.1f}", missing, is_missing=True))
    return found


def _by_answer(one: tuple[str, float]) -> tuple[float, str]:
    try:
        return float(one[0]), ""
    except ValueError:
        return 0.0, one[0]


def details_of(given: Any) -> list[Detail]:
    """Return what else a reading keeps, such as the values of single samples."""
    if not isinstance(given, dict):
        return []
    return [_detail(key.replace("_", " ").capitalize(), value) for key, value in sorted(given.items())]


def _detail(name: str, value: Any) -> Detail:
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        columns = sorted({key for one in value for key in one})
        rows = [[_plain(one.get(key)) for key in columns] for one in value[:MOST_DETAILS]]
        return Detail(name, columns=[column.replace("_", " ") for column in columns], rows=rows)
    if isinstance(value, list):
        return Detail(name, ", ".join(_plain(one) for one in value[:MOST_DETAILS]))
    return Detail(name, _plain(value))


def _plain(value: Any) -> str:
    """Return a detail as text. Of ratings with their reasons only the ratings are shown: the replies have the rest."""
    if isinstance(value, dict) and "rating" in value:
        return _plain(value["rating"])
    if isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        return " → ".join(_plain(one) for one in value)
    if isinstance(value, list) and value and not any(isinstance(one, list) for one in value):
        return ", ".join(_plain(one) for one in value)
    if value is None:
        return "none"
    return value_words(value) if isinstance(value, str | int | float) else canonical_json(value)


def output_texts(study: Study, judgment: Judgment) -> list[tuple[str, str]]:
    """Return (key, text) of the outputs that a judgment is about, in the order shown."""
    if not judgment.order:
        return []
    outputs = Output.objects.filter(item=judgment.item_id).values_list("key", "text")
    rows = {names_of(study).shown(key): text for key, text in outputs}
    return [(key, rows.get(key, "")) for key in judgment.order]


@dataclass(frozen=True)
class PilotJudgment:
    """A judgment of a pilot at a glance."""

    judgment: Judgment
    number: int
    about: str
    outcome: str
    is_valid: bool
    value: str
    calls: Sequence[JudgeCall]


def pilot_judgments(study: Study, run: JudgeRun) -> list[PilotJudgment]:
    """Return the first judgments of a pilot with their prompts and replies, in two queries."""
    rows = Judgment.objects.filter(run=run).select_related("item", "question").exclude(status="stopped", outcome="")
    rows = rows.order_by("place")
    rows = rows.defer("item__document", "item__content", "item__references")
    judgments = shown_judgments(study, rows[:PILOT_JUDGMENTS])
    calls = calls_of(study, judgments) if judgments else {}
    shown = [(one, judgment_row(one)) for one in judgments]
    return [
        PilotJudgment(one, row.number, row.about, row.outcome, row.is_valid, row.value, calls.get(one.pk, []))
        for one, row in shown
    ]


@dataclass(frozen=True)
class Neighbours:
    """The primary keys of the judgments before and after one in its run, or None."""

    before: int | None
    after: int | None


def neighbours(judgment: Judgment) -> Neighbours:
    """Return the neighbours of a judgment, in two queries."""
    rows = Judgment.objects.filter(run=judgment.run_id)
    before = rows.filter(place__lt=judgment.place).order_by("-place").values_list("pk", flat=True).first()
    after = rows.filter(place__gt=judgment.place).order_by("place").values_list("pk", flat=True).first()
    return Neighbours(before, after)
