"""Revision sessions (KIWI): a person has a model revise an answer turn by turn, and rates each turn."""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from annotation.models.study import Question
from annotation.protocols import Protocol, StudyInvalidError, TaskPlan, UnitInvalidError
from sessions.items import check_papers, check_question
from sessions.options import OptionInvalidError, check_options, models_in

RATINGS = ("good", "neutral", "bad")
RATING, COMMENT = "rating", "comment"


class SessionProtocol(Protocol):
    """One task a question and model, held by one person for one session; and one task a turn, for rating it."""

    key = "session"
    label = "Revision sessions"
    item_keys = frozenset({"question", "documents"})
    option_keys = frozenset({
        "models", "max_turns", "passages", "temperature", "searcher", "searcher_model", "second_ratings",
    })  # fmt: skip
    common_options = frozenset({"seed", "lease_minutes"})
    needs_outputs = False
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


PROTOCOL = SessionProtocol()
