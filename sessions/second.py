"""Second, blind ratings of a sample of turns by other people, as in KIWI, section 5."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Assignment, Slot, Study
from annotation.planning import add_slots, seeded
from retrieval.papers import papers_of
from sessions.history import turns_of
from sessions.items import question_of
from sessions.models import RevisionSession, Turn
from sessions.revising import turn_task
from sessions.variants import turn_variant


class SampleRefusedError(Exception):
    """A sample that cannot be drawn; the message says why."""


@dataclass(frozen=True)
class Sample:
    """What was drawn: how many of the rated turns, and how many places for second raters were opened now."""

    turns: int
    of: int
    opened: int


def sample_turns(
    study: Study,
    *,
    share: float | None = None,
    count: int | None = None,
    seed: int = 0,
    raters: int = 1,
    actor: Person | None = None,
) -> Sample:
    """Open places for second raters on a share, or a count, of the rated turns of sessions that are over.

    The turns are the first of a seeded order, so that a larger sample holds a smaller one; what was opened stays
    open, and nothing is opened twice. Raises SampleRefusedError.
    """
    if (share is None) == (count is None):
        raise SampleRefusedError("Say either which share of the turns is to be rated again, or how many.")
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        rated = sorted(
            ratable_turns(study),
            key=lambda turn: seeded(study, "second", seed, turn_variant(turn.session.key, turn.number)),
        )
        wanted = count if count is not None else int((share or 0) * len(rated) + 0.5)
        chosen = rated[: max(wanted, 0)]
        opened = sum(_open(study, turn, raters) for turn in chosen)
        new = {"turns": len(chosen), "of": len(rated), "opened": opened, "seed": seed, "raters": raters}
        record("turns sampled", study.slug, actor=actor, study=study.slug, new=new)
    return Sample(len(chosen), len(rated), opened)


def ratable_turns(study: Study) -> list[Turn]:
    """The rated turns of the study's sessions that are over."""
    over = RevisionSession.objects.filter(study=study).exclude(status=RevisionSession.Status.ACTIVE)
    found = []
    for session in over.select_related("item", "study").order_by("key"):
        for told in turns_of(session):
            if told.rating is not None:
                told.turn.session = session
                found.append(told.turn)
    return found


def _open(study: Study, turn: Turn, raters: int) -> int:
    """Give the turn's task as many places as there are to be second raters; returns how many are new."""
    if turn.task_id is None:
        turn.task_id = turn_task(turn.session, turn)
        turn.save(update_fields=["task"])
    missing = raters - Slot.objects.filter(task=turn.task_id).count()
    if missing > 0:
        add_slots(study, turn.task_id, missing)
    return max(missing, 0)


def shown_to_second(assignment: Assignment) -> dict[str, Any] | None:
    """What a second rater sees of a turn, and nothing of who rated it, how, or which model wrote it.

    `papers` are numbered as answers cite them; `passages` are those of this turn, `earlier` those retrieved before.
    """
    turn = Turn.objects.filter(task=assignment.task_id, discarded=False).select_related("session__item").first()
    if turn is None:
        return None
    item = turn.session.item
    papers = papers_of(item)
    before = turn.session.turns.filter(discarded=False, number__lt=turn.number).order_by("-number")
    return {
        "question": question_of(item),
        "kind": turn.kind,
        "instruction": turn.instruction,
        "previous_answer": turn.previous_answer,
        "answer": turn.answer,
        "papers": [
            {"number": number, "title": paper.title, "authors": paper.authors, "url": paper.url, "year": paper.year}
            for number, paper in enumerate(papers)
        ],
        "passages": shown_passages(item, [turn]),
        "earlier": shown_passages(item, before),
    }


def shown_passages(item: Any, turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The passages that turns retrieved, each once, with number and title of their papers."""
    numbers = {paper.id: (number, paper.title) for number, paper in enumerate(papers_of(item))}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for turn in turns:
        for passage in turn.passages or ():
            number, title = numbers[passage["document"]]
            place = (passage["document"], passage["paragraph"])
            found.setdefault(place, {**passage, "paper": number, "title": title, "turn": turn.number})
    return list(found.values())
