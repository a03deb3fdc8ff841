"""The turns of revision sessions, with what their own users, other people and researchers said of them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import F, Q

from agreement.second_ratings import Pair
from agreement.turns import TurnRow
from annotation.models import Rating, Study
from reports.rows import CHUNK, HUMAN
from sessions.history import RATING
from sessions.lines import label_rank
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.variants import turn_variant
from sessions.workflow import DONE

ANSWERED = Q(status=DONE, discarded=False)


@dataclass(frozen=True)
class Judged:
    """What was said of a turn's retrieval: the turn's number, its user's rating, and the label."""

    number: int
    rating: str | None
    value: str


@dataclass(frozen=True)
class SessionRows:
    """All sessions of a study that got a first answer, {key: model} and their statuses, and what there is in them.

    In the order of sessions' keys and turns' numbers, whatever the database, so that a seed draws the same everywhere.
    """

    sessions: Mapping[str, str]
    statuses: list[str]
    turns: list[TurnRow]
    second: list[Pair]
    judged: list[Judged]


@dataclass(frozen=True)
class _Given:
    """People's current ratings of turns, a rater's latest: by the turn's variant and rater, and by annotation."""

    by_rater: Mapping[str, Mapping[tuple[str, int], str]]
    by_annotation: Mapping[int, str]

    def own(self, variant: str, rater: int, annotation: int | None) -> str | None:
        """The rating that the session's user gave: on this site, or in a file."""
        if annotation is not None:
            return self.by_annotation.get(annotation)
        return next((value for (_, pk), value in self.by_rater.get(variant, {}).items() if pk == rater), None)

    def others(self, variant: str, rater: int) -> list[str]:
        """What others said, in the order of their names."""
        return [value for (_, pk), value in sorted(self.by_rater.get(variant, {}).items()) if pk != rater]


def session_rows(study: Study) -> SessionRows:
    """Read everything that a report on sessions needs: four queries."""
    begun = RevisionSession.objects.filter(study=study, turns__number=0, turns__status=DONE, turns__discarded=False)
    sessions: dict[int, tuple[str, str, str, int]] = {
        pk: (key, model, status, rater)
        for key, pk, model, status, rater in sorted(begun.values_list("key", "pk", "model", "status", "rater_id"))
    }
    given, labels = _given(study), _labels(study)
    turns = Turn.objects.filter(ANSWERED, session__in=begun).order_by().values_list(
        "pk", "session_id", "number", "kind", "instruction", "previous_answer", "answer", "edited_answer",
        "annotation_id",
    )  # fmt: skip
    rows: list[TurnRow] = []
    second: list[Pair] = []
    judged: list[Judged] = []
    place = {pk: number for number, pk in enumerate(sessions)}
    for pk, session, number, kind, instruction, source, answer, edited, annotation in sorted(
        turns.iterator(chunk_size=CHUNK), key=lambda row: (place[row[1]], row[2])
    ):
        key, model, _, rater = sessions[session]
        variant, said = turn_variant(key, number), labels.get(pk, {})
        rating = given.own(variant, rater, annotation)
        if "retrieval" in said:
            judged.append(Judged(number, rating, said["retrieval"]))
        if number == 0:
            continue
        rows.append(
            TurnRow(
                key, model, number, kind, rating, instruction, source, (answer or "") if edited is None else edited,
                edited is not None, said.get("instruction_type"), said.get("error_category"),
            )
        )  # fmt: skip
        if rating is not None:
            second.extend((variant, rating, value) for value in given.others(variant, rater))
    models = {key: model for key, model, _, _ in sessions.values()}
    return SessionRows(models, [status for _, _, status, _ in sessions.values()], rows, second, judged)


def _given(study: Study) -> _Given:
    rows = Rating.objects.filter(study=study, question__key=RATING, is_current=True, rater__kind=HUMAN)
    by_rater: dict[str, dict[tuple[str, int], str]] = {}
    by_annotation: dict[int, str] = {}
    for variant, rater, name, annotation, value in (
        rows.order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")
        .values_list("variant", "rater_id", "rater__name", "annotation_id", "value")
        .iterator(chunk_size=CHUNK)
    ):
        by_rater.setdefault(variant, {})[name, rater] = value
        if annotation is not None:
            by_annotation[annotation] = value
    return _Given(by_rater, by_annotation)


def _labels(study: Study) -> dict[int, dict[str, str]]:
    """Of each turn the labels that count, by kind: the ones that its session's line shows."""
    rows = TurnLabel.objects.filter(turn__session__study=study, is_current=True).select_related("rater")
    found: dict[int, dict[str, str]] = {}
    for one in sorted(rows, key=label_rank):
        found.setdefault(one.turn_id, {})[one.kind] = one.value
    return found
