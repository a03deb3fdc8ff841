"""Rows of a study as entries of the API's lists: lines of its files, with what only the site knows of them.

Each function takes the rows of a page and returns their entries, in a few queries for all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.blinded_rows import systems_near
from annotation.blinding import Names, answer_levels, names_of
from annotation.models import Item, JudgeRun, Rater, Study
from annotation.page_times import are_odd_times
from annotation.protocols import Unit, protocols
from config.text_validation import given, time_text
from files.writing.run_lines import run_line
from files.writing.study_lines import item_lines, task_outputs
from sessions.files.session_export import session_line
from sessions.models import RevisionSession

HUMAN = Rater.Kind.HUMAN.value
RATING = (
    "pk", "of_item", "item__key", "output__key", "other_output__key", "variant", "question__key", "rater__name",
    "rater__kind", "level", "value", "explanation", "shown", "seconds", "submitted_at", "guidelines_version", "run",
    "replicate", "distribution", "missing", "outcome", "prompt_digest", "metadata", "revision", "is_current",
    "third_rater",
)  # fmt: skip
ANNOTATION = (
    "pk", "of_item", "task__item__key", "task_id", "task__variant", "rater_id", "rater__name", "rater__kind",
    "revision", "is_current", "status", "surplus", "third_rater", "answers", "reason", "flag", "shown",
    "guidelines_version", "protocol_version", "opened_at", "submitted_at", "seconds", "visible_seconds",
    "active_seconds", "tool_use", "device", "metadata",
)  # fmt: skip
ASSIGNMENT = (
    "pk", "of_item", "task__item__key", "task_id", "task__variant", "rater__name", "created_at", "opened_at", "seen_at",
    "flag", "has_draft", "place", "lease_until",
)  # fmt: skip
ADJUDICATION = (
    "pk", "of_item", "item__key", "output__key", "other_output__key", "variant", "question__key", "number", "value",
    "reason", "by__name", "at", "is_current",
)  # fmt: skip
SESSION = ("pk", "of_item", "key", "item__key", "rater__name", "model", "status", "started_at", "ended_at", "imported")
Entry = dict[str, Any]


@dataclass(frozen=True)
class ShownNames:
    """How systems are called on a page, and which names that the page may contain are systems."""

    names: Names
    known: Collection[str]
    levels: Mapping[str, str]

    @classmethod
    def of(cls, study: Study, items: Collection[int] = ()) -> "ShownNames":
        names = names_of(study)
        if not names.are_codes:
            return cls(names, (), {})
        return cls(names, systems_near(set(items), [study]), answer_levels(study))

    def variant(self, variant: str) -> Any:
        return self.names.known(variant, self.known)

    def metadata(self, given: Any) -> Any:
        """What files say beside an answer; nothing while the study is blinded, as it may name systems."""
        return None if self.names.are_codes else given

    def shown(self, name: Any) -> Any:
        return self.names.shown(name)


def item_entries(study: Study, rows: Sequence[Item]) -> list[Entry]:
    """Items with their outputs."""
    numbers = {row.key: row.pk for row in rows}
    lines = item_lines(study, pks=list(numbers.values()))
    return [{"number": numbers[line["id"]], **line} for line in lines] if rows else []


def rater_entries(study: Study, rows: Sequence[Rater]) -> list[Entry]:
    return [
        {"number": row.pk, "name": row.name, "kind": row.kind, "created_at": time_text(row.created_at)} for row in rows
    ]


def rating_entries(study: Study, rows: Sequence[Any]) -> list[Entry]:
    shown, protocol = ShownNames.of(study, {row.of_item for row in rows}), protocols()[study.protocol]
    found = [_rating(row, protocol, shown) for row in rows]
    if not shown.names.are_codes:
        return found
    for one in found:
        del one["number"]
    # The order in which they were stored would tell systems apart.
    order = [row.of_item for row in rows]
    ranked = sorted(zip(order, found, strict=True), key=lambda pair: (pair[0], _blind_order(pair[1])))
    return [one for _, one in ranked]


def _blind_order(one: Entry) -> tuple[str, ...]:
    unit = [str(one.get("output") or ""), *map(str, one.get("outputs") or ())]
    return (*(str(one.get(name) or "") for name in ("rater", "question", "run", "replicate", "revision")), *unit)


def _rating(row: Any, protocol: Any, shown: ShownNames) -> Entry:
    unit = Unit(shown.shown(row.output__key), shown.shown(row.other_output__key), shown.variant(row.variant))
    return given(
        {
            "number": row.pk,
            "item": row.item__key,
            **protocol.unit_line(unit),
            "rater": row.rater__name,
            "rater_kind": row.rater__kind,
            "question": row.question__key,
            "value": shown.names.value(row.level, row.value),
            "explanation": row.explanation,
            "shown": shown.names.listed(row.shown),
            "seconds": row.seconds,
            "submitted_at": time_text(row.submitted_at),
            "guidelines_version": row.guidelines_version,
            "run": row.run or None,
            "replicate": row.replicate,
            "distribution": shown.names.shares(row.level, row.distribution),
            "missing": row.missing,
            "outcome": row.outcome or None,
            "prompt_digest": row.prompt_digest or None,
            "metadata": shown.metadata(row.metadata),
            "third_rater": row.third_rater or None,
            "revision": row.revision,
            "current": row.is_current,
        }
    )


def annotation_entries(study: Study, rows: Sequence[Any]) -> list[Entry]:
    shown, outputs = ShownNames.of(study, {row.of_item for row in rows}), _outputs(rows)
    return [_annotation(row, outputs[row.task_id], shown) for row in rows]


def _outputs(rows: Sequence[Any]) -> dict[int, list[str]]:
    """The outputs of the rows' tasks, by task."""
    found = task_outputs(sorted({row.task_id for row in rows}))
    return {task: [key for _, key in told] for task, told in found.items()}


def _shown_outputs(outputs: list[str], shown: ShownNames) -> list[str]:
    codes = [shown.shown(key) for key in outputs]
    return sorted(codes) if shown.names.are_codes else codes


def _annotation(row: Any, outputs: list[str], shown: ShownNames) -> Entry:
    return given(
        {
            "number": row.pk,
            "item": row.task__item__key,
            "outputs": _shown_outputs(outputs, shown),
            "variant": shown.variant(row.task__variant) or None,
            "rater": row.rater__name,
            "rater_kind": row.rater__kind,
            "revision": row.revision,
            "current": row.is_current,
            "status": row.status,
            "surplus": row.surplus,
            "third_rater": row.third_rater or None,
            "answers": shown.names.answers(row.answers, shown.levels),
            "reason": row.reason or None,
            "flag": row.flag or None,
            "shown": [shown.shown(outputs[place]) for place in row.shown],
            "guidelines_version": row.guidelines_version,
            "protocol_version": row.protocol_version,
            "opened_at": time_text(row.opened_at),
            "submitted_at": time_text(row.submitted_at),
            "seconds": row.seconds,
            "visible_seconds": row.visible_seconds,
            "active_seconds": row.active_seconds,
            "odd_times": are_odd_times(row.seconds, row.visible_seconds, row.active_seconds) or None,
            "tool_use": row.tool_use,
            "device": row.device or None,
            "metadata": shown.metadata(row.metadata),
        }
    )


def assignment_entries(study: Study, rows: Sequence[Any]) -> list[Entry]:
    shown, outputs = ShownNames.of(study, {row.of_item for row in rows}), _outputs(rows)
    return [
        given(
            {
                "number": row.pk,
                "item": row.task__item__key,
                "outputs": _shown_outputs(outputs[row.task_id], shown),
                "variant": shown.variant(row.task__variant) or None,
                "rater": row.rater__name,
                "given_at": time_text(row.created_at),
                "opened_at": time_text(row.opened_at),
                "seen_at": time_text(row.seen_at),
                "has_draft": row.has_draft,
                "flag": row.flag or None,
                "place": row.place or "none",
                "lease_until": time_text(row.lease_until),
            }
        )
        for row in rows
    ]


def adjudication_entries(study: Study, rows: Sequence[Any]) -> list[Entry]:
    """Final answers; `entry` is the number in the address, because `number` counts the answers about one unit."""
    shown = ShownNames.of(study, {row.of_item for row in rows})
    found = []
    for row in rows:
        unit = [shown.shown(row.output__key), shown.shown(row.other_output__key)]
        pair = row.other_output__key is not None
        found.append(
            given(
                {
                    "entry": row.pk,
                    "item": row.item__key,
                    "output": None if pair else unit[0],
                    "outputs": unit if pair else None,
                    "variant": shown.variant(row.variant) or None,
                    "question": row.question__key,
                    "number": row.number,
                    "current": row.is_current,
                    "value": shown.names.value(shown.levels.get(row.question__key, ""), row.value),
                    "reason": row.reason,
                    "reviewer": row.by__name,
                    "at": time_text(row.at),
                }
            )
        )
    return found


def session_entries(study: Study, rows: Sequence[Any]) -> list[Entry]:
    names = names_of(study)
    return [
        given(
            {
                "number": row.pk,
                "id": row.key,
                "item": row.item__key,
                "rater": row.rater__name,
                "model": names.shown(row.model),
                "status": row.status,
                "started_at": time_text(row.started_at),
                "ended_at": time_text(row.ended_at),
                "imported": row.imported,
            }
        )
        for row in rows
    ]


def whole_session(study: Study, session: RevisionSession) -> Entry:
    """A session as its line in files has it; before its first answer without one."""
    shown = ShownNames.of(study, {session.item_id})
    about = {"number": session.pk, "id": session.key, "item": session.item.key, "rater": session.rater.name,
             "status": session.status, "turns": []}  # fmt: skip
    line = session_line(session) or {}
    return {**about, **line, "model": shown.shown(session.model), "status": session.status}


def run_entries(study: Study, rows: Sequence[JudgeRun]) -> list[Entry]:
    shown = ShownNames.of(study)
    return [{"number": row.pk, **shown.names.beneath(run_line(row), ("baseline",), shown.known)} for row in rows]
