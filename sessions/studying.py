"""What researchers see of the sessions of their study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Rater, Study
from sessions.differences import Differences, differences
from sessions.history import ToldTurn, state, told, turns_of
from sessions.labelling import VALUES, LabelRefusedError, check_label
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.reading_matter import ShownPassage, passages_of
from sessions.rendering import Part, parts_of
from sessions.workflow import State

A_PAGE = 50
STATUSES = RevisionSession.Status


@dataclass(frozen=True)
class Row:
    """A session in the list: how many turns have an answer, and its user's ratings in order."""

    session: RevisionSession
    turns: int
    ratings: Sequence[str]
    edited: int
    waiting: str


@dataclass(frozen=True)
class StudiedTurn:
    """A turn as researchers read it, with what can be said of it: [(kind, label, values, chosen)]."""

    told: ToldTurn
    parts: Sequence[Part]
    changes: Differences | None
    passages: Sequence[ShownPassage]
    labels: Sequence[dict[str, Any]]
    others: Sequence[TurnLabel]

    @property
    def turn(self) -> Turn:
        return self.told.turn


def sessions_of(study: Study, status: str = "", model: str = "") -> QuerySet[RevisionSession]:
    """The study's sessions, the newest first."""
    found = RevisionSession.objects.filter(study=study).select_related("item", "rater", "study").order_by("-pk")
    if status in STATUSES.values:
        found = found.filter(status=status)
    return found.filter(model=model) if model else found


def rows_of(sessions: Sequence[RevisionSession]) -> list[Row]:
    """Rows of a page of sessions; one query for their turns, more only for imported ones."""
    turns: dict[int, list[Turn]] = {session.pk: [] for session in sessions}
    rows = Turn.objects.filter(session__in=list(turns), discarded=False).select_related("annotation")
    for turn in rows.order_by("session", "number"):
        turns[turn.session_id].append(turn)
    return [_row(session, told(session, turns[session.pk])) for session in sessions]


def _row(session: RevisionSession, turns: Sequence[ToldTurn]) -> Row:
    last = turns[-1].turn if turns else None
    return Row(
        session, sum(one.turn.number > 0 for one in turns), [one.rating for one in turns if one.rating],
        sum(one.turn.edited_answer is not None for one in turns),
        "" if last is None or last.status == "done" else last.get_status_display().lower(),
    )  # fmt: skip


def models_of(study: Study) -> list[str]:
    named = RevisionSession.objects.filter(study=study).order_by("model").values_list("model", flat=True)
    return list(named.distinct())


def studied_turns(session: RevisionSession, rater: Rater | None) -> tuple[list[StudiedTurn], State]:
    """All turns of a session; `rater` is the researcher's own, whose labels the forms show."""
    turns, count = turns_of(session), len((session.item.content or {}).get("documents") or ())
    labels = list(
        TurnLabel.objects.filter(turn__session=session, is_current=True).select_related("rater").order_by("pk")
    )
    studied = []
    for one in turns:
        turn, mine = one.turn, [label for label in labels if label.turn_id == one.turn.pk]
        passages = passages_of(session.item, turns, turn.number, turn.number).hits if turn.passages else ()
        changes = differences(turn.previous_answer, turn.answer) if turn.number and turn.answer is not None else None
        studied.append(
            StudiedTurn(
                one, parts_of(turn.answer or "", count), changes, passages, _forms(one, mine, rater),
                [label for label in mine if rater is None or label.rater_id != rater.pk],
            )
        )  # fmt: skip
    return studied, state(session, turns)


def _forms(one: ToldTurn, labels: Sequence[TurnLabel], rater: Rater | None) -> list[dict[str, Any]]:
    """The kinds of label that fit the turn, with what this researcher chose."""
    forms = []
    for kind, values in VALUES.items():
        try:
            check_label(one.turn, one.rating, kind, values[0])
        except LabelRefusedError:
            continue
        own = (
            label.value for label in labels if rater is not None and label.rater_id == rater.pk and label.kind == kind
        )
        forms.append({"kind": kind, "label": TurnLabel.Kind(kind).label, "values": values, "chosen": next(own, "")})
    return forms
