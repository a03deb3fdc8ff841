"""Revision sessions (KIWI): a person has a model revise an answer turn by turn, and rates each turn."""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_noop

from annotation.models.study import Question
from annotation.protocols import Protocol, StudyInvalidError, TaskPlan, Unit, UnitInvalidError
from retrieval.searchers import searchers
from sessions.files.session_format import SessionFormat
from sessions.session_flow import SessionFlow
from sessions.steps import LONGEST_ANSWER, LONGEST_INSTRUCTION
from sessions.study_options import OPTION_FIELDS, OptionInvalidError, check_options, models_in
from sessions.turn_variants import named_turn, turn_variant
from sessions.workflow import COMMENT, RATING, RATINGS


class SessionProtocol(Protocol):
    """One task per question and model, held by one person for one session, and one task per turn to rate it."""

    key = "session"
    label = gettext_noop("Revision sessions")
    option_keys = frozenset({
        "models", "max_turns", "passages", "temperature", "searcher", "searcher_model", "searcher_approximate",
        "second_ratings", "markdown",
    })  # fmt: skip
    option_fields = OPTION_FIELDS
    unit_keys = machine_unit_keys = frozenset({"session", "turn"})
    reading_aids = frozenset({"changes", "sources", "history"})
    own_fields_longest = LONGEST_INSTRUCTION + LONGEST_ANSWER
    flow = SessionFlow()
    files = SessionFormat()

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        asked = {question.key: question for question in questions}
        rating, comment = asked.get(RATING), asked.get(COMMENT)
        if rating is None or rating.spec.get("multiple") or set(rating.spec.get("choices", ())) != set(RATINGS):
            raise StudyInvalidError(f"question {RATING}: must be a category of {', '.join(RATINGS)}")
        if comment is None or comment.type != "text":
            raise StudyInvalidError(f"question {COMMENT}: must be of type text, since every rating needs a reason")
        for question in questions:
            if question.spec.get("per", "task") != "task":
                raise StudyInvalidError(f"question {question.key}: per must be task, since it is asked once per turn")
        for question in (rating, comment):
            if not question.required or question.spec.get("when"):
                raise StudyInvalidError(f"question {question.key}: must be required, without a condition")
        try:
            check_options(options)
        except OptionInvalidError as problem:
            raise StudyInvalidError(str(problem)) from None
        if options.get("searcher") not in (None, *searchers()):
            raise StudyInvalidError(f"options.searcher: must be one of {', '.join(searchers())}")

    def check_outputs(self, keys: Collection[str]) -> None:
        if keys:
            raise UnitInvalidError("outputs", "must be left out: models write the answers during the session")

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        return [TaskPlan((), model) for model in models_in(options)]

    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        return [[] for _ in range(slots)]

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return False

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        return not plan.outputs and named_turn(plan.variant) is not None

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        session, turn = line.get("session"), line.get("turn")
        if not isinstance(session, str):
            raise UnitInvalidError("session", "is missing" if session is None else "must be text")
        if type(turn) is not int or turn < 1:
            raise UnitInvalidError("turn", "is missing" if turn is None else "must be a whole number, 1 or more")
        return Unit(variant=turn_variant(session, turn))

    def read_machine_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        return self.read_unit(line, question)

    def asks_about(self, question: Question) -> str:
        return "task"

    def unit_line(self, unit: Unit) -> dict[str, Any]:
        session, turn = named_turn(unit.variant) or (None, None)
        return {"session": session, "turn": turn}


PROTOCOL = SessionProtocol()
