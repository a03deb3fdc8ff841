"""The turns of revision sessions with what their users, second raters and labellers said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Q

from agreement.turns.label_agreement import Label
from agreement.turns.second_rating_figures import Pair
from agreement.turns.turn_figures import TurnRow
from annotation.blinding import names_of
from annotation.models import Rating, Study
from annotation.pools import in_main_pool
from reports.figures.rows import CHUNK, HUMAN, stream
from sessions.files.session_export import label_rank
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.turn_labels import labeller_name
from sessions.turn_variants import turn_variant
from sessions.workflow import DONE, RATING

ANSWERED = Q(status=DONE, discarded=False)


@dataclass(frozen=True)
class RetrievalLabel:
    """A label of a turn's passages, with the turn's number and its user's rating."""

    number: int
    rating: str | None
    value: str


@dataclass
class SessionRows:
    """Everything that a report on sessions counts, of the sessions that have a first answer.

    Sessions are in the order of their keys and turns in that of their numbers, whatever the database, so that a seed
    draws the same everywhere. `sessions` is {key: model}. `second` and `labels` are those of all raters, except that
    labels from a judge's run are there only if that run was chosen; the labels in `turns` and `retrieval` are those
    that count. `labellers` has the names of everybody whose labels there are, of runs too.
    """

    sessions: Mapping[str, str]
    statuses: list[str]
    turns: list[TurnRow] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    second: list[Label] = field(default_factory=list)
    retrieval: list[RetrievalLabel] = field(default_factory=list)
    labels: dict[str, list[Label]] = field(default_factory=dict)
    labellers: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class TurnRatings:
    """People's current ratings of turns, the latest of each rater: by the turn's variant and rater, by annotation."""

    by_rater: Mapping[str, Mapping[tuple[str, int], str]]
    by_annotation: Mapping[int, str]

    def own(self, variant: str, rater: int, annotation: int | None) -> str | None:
        """The rating that the session's user gave: on this site, or in a file."""
        if annotation is not None:
            return self.by_annotation.get(annotation)
        return next((value for (_, pk), value in self.by_rater.get(variant, {}).items() if pk == rater), None)

    def others(self, variant: str, rater: int) -> list[tuple[str, str]]:
        """The names and ratings of everybody else, by name."""
        return [(name, value) for (name, pk), value in sorted(self.by_rater.get(variant, {}).items()) if pk != rater]


def session_rows(study: Study, labeller: str | None = None) -> SessionRows:
    """Read everything that a report on sessions needs, in four queries.

    Of several labels of a turn the one counts that the session's line in an export shows, or, with `labeller`, that
    rater's or run's. Labels from runs never count unless their run is chosen.
    """
    begun = RevisionSession.objects.filter(
        in_main_pool(study), study=study, turns__number=0, turns__status=DONE, turns__discarded=False
    )
    sessions: dict[int, tuple[str, str, str, int]] = {
        pk: (key, names_of(study).shown(model), status, rater)
        for key, pk, model, status, rater in sorted(begun.values_list("key", "pk", "model", "status", "rater_id"))
    }
    found = SessionRows(
        {key: model for key, model, _, _ in sessions.values()}, [status for _, _, status, _ in sessions.values()]
    )
    ratings, labels = turn_ratings(study), _labels(study)
    found.labellers = sorted({labeller_name(one) for some in labels.values() for one in some})
    turns = Turn.objects.filter(ANSWERED, session__in=begun).order_by().values_list(
        "pk", "session_id", "number", "kind", "instruction", "previous_answer", "answer", "edited_answer",
        "annotation_id",
    )  # fmt: skip
    place = {pk: number for number, pk in enumerate(sessions)}
    for pk, session, number, kind, instruction, source, answer, edited, annotation in sorted(
        turns.iterator(chunk_size=CHUNK), key=lambda row: (place[row[1]], row[2])
    ):
        key, model, _, rater = sessions[session]
        variant, own_labels = (
            turn_variant(key, number),
            [one for one in labels.get(pk, ()) if not one.run or labeller_name(one) == labeller],
        )
        rating = ratings.own(variant, rater, annotation)
        for label in own_labels:
            found.labels.setdefault(label.kind, []).append((variant, labeller_name(label), label.value))
        counted = {one.kind: one.value for one in own_labels if labeller in (None, labeller_name(one))}
        if "retrieval" in counted:
            found.retrieval.append(RetrievalLabel(number, rating, counted["retrieval"]))
        if number == 0:
            continue
        found.turns.append(
            TurnRow(
                key, model, number, kind, rating, instruction, source, (answer or "") if edited is None else edited,
                edited is not None, counted.get("instruction_type"), counted.get("error_category"),
            )
        )  # fmt: skip
        others = ratings.others(variant, rater)
        found.second.extend((variant, name, value) for name, value in others)
        if rating is not None:
            found.pairs.extend((variant, rating, value) for _, value in others)
    return found


def owned_ratings(study: Study) -> dict[tuple[int, int | None, str], tuple[str, list[str]]]:
    """The session user's rating of each turn, and those of others by name, by item, None and the turn's variant."""
    ratings = turn_ratings(study)
    turns = Turn.objects.filter(ANSWERED, in_main_pool(study, "session__item"), session__study=study, number__gt=0)
    found: dict[tuple[int, int | None, str], tuple[str, list[str]]] = {}
    columns = ("session__item_id", "session__key", "number", "session__rater_id", "annotation_id")
    for item, session, number, rater, annotation in turns.order_by("pk").values_list(*columns).iterator(CHUNK):
        variant = turn_variant(session, number)
        rating = ratings.own(variant, rater, annotation)
        if rating is not None:
            found[item, None, variant] = rating, [value for _, value in ratings.others(variant, rater)]
    return found


def turn_ratings(study: Study) -> TurnRatings:
    """People's current ratings of the turns of a study."""
    rows = Rating.objects.filter(
        in_main_pool(study), study=study, question__key=RATING, is_current=True, rater__kind=HUMAN
    )
    by_rater: dict[str, dict[tuple[str, int], str]] = {}
    by_annotation: dict[int, str] = {}
    for variant, rater, name, annotation, value in stream(
        rows, "variant", "rater_id", "rater__name", "annotation_id", "value"
    ):
        by_rater.setdefault(variant, {})[name, rater] = value
        if annotation is not None:
            by_annotation[annotation] = value
    return TurnRatings(by_rater, by_annotation)


def _labels(study: Study) -> Mapping[int, Sequence[TurnLabel]]:
    """The current labels of each turn, by its primary key; of one kind, the one that counts comes last."""
    counting = in_main_pool(study, "turn__session__item")
    rows = TurnLabel.objects.filter(counting, turn__session__study=study, is_current=True).select_related("rater")
    found: dict[int, list[TurnLabel]] = {}
    for label in sorted(rows, key=label_rank):
        found.setdefault(label.turn_id, []).append(label)
    return found
