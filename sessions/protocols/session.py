"""Revision sessions (KIWI): a person has a model revise an answer turn by turn, and rates each turn."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from annotation.importing.own_tables import TableImport
from annotation.models import Assignment, Rater, Slot, Study
from annotation.models.study import Question
from annotation.protocols import Protocol, StudyInvalidError, TaskPlan, Unit, UnitInvalidError
from llm.endpoints import find_model
from llm.errors import CallError
from retrieval.indexing import ensure_index
from retrieval.searchers import searchers
from sessions.importing import LabelImport, SessionImport
from sessions.items import check_papers, check_question
from sessions.models import RevisionSession, Turn
from sessions.offering import ranking
from sessions.options import OptionInvalidError, check_options, models_in, options_of
from sessions.revising import abandon_of, begin
from sessions.second import shown_to_second
from sessions.second_page import second_page
from sessions.variants import PREFIX, named_turn, turn_variant

RATINGS = ("good", "neutral", "bad")
RATING, COMMENT = "rating", "comment"


class SessionProtocol(Protocol):
    """One task a question and model, held by one person for one session; and one task a turn, for rating it."""

    key = "session"
    label = "Revision sessions"
    item_keys = frozenset({"question", "documents"})
    foreign_keys = frozenset({"document", "instruction", "outputs", "reference", "references"})
    option_keys = frozenset({
        "models", "max_turns", "passages", "temperature", "searcher", "searcher_model", "second_ratings",
        "markdown",
    })  # fmt: skip
    common_options = frozenset({"seed", "lease_minutes"})
    needs_outputs = False
    offers_all = False
    unit_keys = frozenset({"session", "turn"})
    names_item = False
    lease_minutes = 7 * 24 * 60
    longest_lease = 60 * 24 * 60
    pages = (("Sessions", "revision_sessions:sessions"),)
    reading_aids = frozenset({"changes", "sources", "history"})

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        asked = {question.key: question for question in questions}
        rating, comment = asked.get(RATING), asked.get(COMMENT)
        if rating is None or rating.spec.get("multiple") or set(rating.spec.get("choices", ())) != set(RATINGS):
            raise StudyInvalidError(f"question {RATING}: must be a category of {', '.join(RATINGS)}")
        if comment is None or comment.type != "text":
            raise StudyInvalidError(f"question {COMMENT}: must be of type text: each rating comes with its reason")
        for question in questions:
            if question.spec.get("per", "task") != "task":
                raise StudyInvalidError(f"question {question.key}: per must be task: each is asked once a turn")
        for question in (rating, comment):
            if not question.required or question.spec.get("when"):
                raise StudyInvalidError(f"question {question.key}: must be required, whatever was answered before")
        try:
            check_options(options)
        except OptionInvalidError as problem:
            raise StudyInvalidError(str(problem)) from None
        if options.get("searcher") not in (None, *searchers()):
            raise StudyInvalidError(f"options.searcher: must be one of {', '.join(searchers())}")

    def check_content(self, content: Mapping[str, Any]) -> None:
        check_question(content.get("question"))
        check_papers(content.get("documents"))

    def check_outputs(self, keys: Collection[str]) -> None:
        if keys:
            raise UnitInvalidError("outputs", "must be left out: the models write the answers in the session")

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        return [TaskPlan((), model) for model in models_in(options)]

    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        return [[] for _ in range(slots)]

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return False

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        return not plan.outputs and named_turn(plan.variant) is not None

    def takes_slots(self, variant: str) -> bool:
        return not variant.startswith(PREFIX)

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        session, turn = line.get("session"), line.get("turn")
        if not isinstance(session, str):
            raise UnitInvalidError("session", "is missing" if session is None else "must be text")
        if type(turn) is not int or turn < 1:
            raise UnitInvalidError("turn", "is missing" if turn is None else "must be a whole number from 1 on")
        return Unit(variant=turn_variant(session, turn))

    def unit_line(self, unit: Unit) -> dict[str, Any]:
        session, turn = named_turn(unit.variant) or (None, None)
        return {"session": session, "turn": turn}

    def locate(self, study: Study, units: Iterable[Unit]) -> Mapping[Unit, str]:
        named = {unit: named_turn(unit.variant) for unit in units}
        sessions = sorted({turn[0] for turn in named.values() if turn})
        rows = Turn.objects.filter(session__study=study, session__key__in=sessions, discarded=False)
        there = {(key, number): item for key, number, item in rows.values_list(
            "session__key", "number", "session__item__key"
        )}  # fmt: skip
        return {unit: there[turn] for unit, turn in named.items() if turn in there}

    def importer(self, table: str) -> type[TableImport] | None:
        return {one.table: one for one in (SessionImport, LabelImport)}.get(table)

    def prepared(self, study: Study) -> None:
        ensure_index(study)

    def check_live(self, study: Study) -> None:
        for warning in self.warnings(study):
            raise StudyInvalidError(warning)

    def warnings(self, study: Study) -> list[str]:
        return [
            f"No model called {model} is configured on this site: the study cannot go live before it is."
            for model in options_of(study).models
            if not _exists(model)
        ]

    def offered(self, slots: QuerySet[Slot], rater: Rater) -> QuerySet[Slot]:
        """Nobody meets a question twice, whatever became of the first time, and nobody re-rates their own session."""
        met = Assignment.objects.filter(rater=rater, task__item=OuterRef("item"))
        own = Turn.objects.filter(task=OuterRef("task"), session__rater=rater)
        of_turns = Q(task__variant__startswith=PREFIX)
        return slots.filter(of_turns & ~Exists(own) | ~of_turns & ~Exists(met))

    def ranked(self, slots: QuerySet[Slot], rater: Rater) -> list[int] | None:
        return ranking(slots, rater)

    def left(self, slots: QuerySet[Slot]) -> int:
        """One session a question, and each turn that is to be re-rated."""
        rows = slots.order_by().values_list("task", "item", "task__variant").distinct()
        return len({task if variant.startswith(PREFIX) else ("question", item) for task, item, variant in rows})

    def before(self, rater: Rater) -> str | None:
        """How sessions go is told once, and the topics that the person prefers are asked."""
        return reverse("revision_sessions:welcome", args=[rater.study.slug]) if rater.topics is None else None

    def given(self, assignment: Assignment) -> None:
        if not assignment.task.variant.startswith(PREFIX):
            begin(assignment, assignment.task.variant, timezone.now())

    def released(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            if slot.holder_id is not None:
                abandon_of(slot.holder_id, slot.task_id, timezone.now())

    def address(self, assignment: Assignment) -> str:
        """The session's page, also for the tasks on which its own user has rated its turns."""
        key = session_page(assignment)
        return super().address(assignment) if key is None else reverse("revision_sessions:session", args=[key])

    def shows(self, assignment: Assignment) -> dict[str, Any]:
        markdown = assignment.rater.study.option("markdown", False)
        return {"turn": second_page(shown_to_second(assignment), markdown)}


def session_page(assignment: Assignment) -> Any:
    """The key of the assignment under which the session's page is; None for a turn of somebody else's session."""
    if not assignment.task.variant.startswith(PREFIX):
        return assignment.key
    own = RevisionSession.objects.filter(turns__task=assignment.task_id, rater=assignment.rater_id).first()
    if own is None:
        return None
    return Assignment.objects.values_list("key", flat=True).get(rater=own.rater_id, task=own.task_id)


def _exists(model: str) -> bool:
    try:
        find_model(model)
    except CallError:
        return False
    return True


PROTOCOL = SessionProtocol()
