"""A synthetic annotator of revision sessions: the steps that the session's page sends, one per call."""

import uuid
from typing import Any

from django.urls import ResolverMatch, reverse

from annotation.answers import Form, Sheet
from annotation.models import Assignment, Rater
from annotation.protocols import protocols
from llm.endpoints import dry_run_models
from parts.dry_runs.desk_requests import DeskRefusedError, DeskVisitor, Progress
from parts.dry_runs.synthetic_answers import WORDS, synthetic_form
from sessions.models import RevisionSession
from sessions.study_options import models_in
from sessions.transcript import TurnRecord, session_state, turns_of
from sessions.turn_variants import named_turn
from sessions.workflow import BAD, GOOD, INFORMATION, NEUTRAL, RATING, STYLE, Due, SessionState

GOOD_FROM, NEUTRAL_FROM = 2 / 3, 1 / 3
"""The merits from which an answer is rated good, and neutral."""
INSTRUCTIONS = {
    INFORMATION: "Add what the papers say about the reasons. (Made up in a dry run.)",
    STYLE: "Make it shorter. (Made up in a dry run.)",
}


class SessionVisitor(DeskVisitor):
    """Instructs until an answer is good, edits bad ones, and rates single turns of others at the desk."""

    @staticmethod
    def options_of_copy(options: dict[str, Any]) -> dict[str, Any]:
        """Instead of the models of the study, as many that make up answers here."""
        return {**options, "models": dry_run_models(len(models_in(options)))}

    def begin(self, row: Rater) -> None:
        super().begin(row)
        if row.topics is None:
            welcome = reverse("revision_sessions:welcome", args=[self.study.slug])
            self.get(welcome)
            self.post(welcome, {})

    def work_on(self, led: ResolverMatch) -> Progress:
        if led.view_name != "revision_sessions:session":
            return super().work_on(led)
        key = led.kwargs["key"]
        self.get(reverse("revision_sessions:session", args=[key]))
        own = Assignment.objects.get(key=key)
        session = RevisionSession.objects.select_related("study", "item").get(task=own.task_id, rater=own.rater_id)
        turns = turns_of(session)
        return self._take_step(key, session, turns[-1], session_state(session, turns))

    def form_for(self, assignment: Assignment) -> Form:
        named = named_turn(assignment.task.variant)
        if named is None:
            return super().form_for(assignment)
        session = RevisionSession.objects.select_related("item").get(study=self.study, key=named[0])
        return self._rating_form(session, named[1])

    def _rating_form(self, session: RevisionSession, number: int) -> Form:
        """The answers about a turn: by the merit of its model and of this one answer, as the rater sees it."""
        seen = self.rater.sees(f"{session.item.key} turn {number}", session.model)
        rating = GOOD if seen >= GOOD_FROM else NEUTRAL if seen >= NEUTRAL_FROM else BAD
        protocol = protocols()[self.study.protocol]
        return synthetic_form(protocol, self.questions, Sheet((), ""), {"answer": seen}, {RATING: rating})

    def _take_step(
        self, key: uuid.UUID, session: RevisionSession, last: TurnRecord, state: SessionState
    ) -> Progress:  # fmt: skip
        """Take the step that is due. Raises DeskRefusedError if an answer could not be written."""
        if state.due == Due.WAIT:
            return Progress.WAITING
        if state.due == Due.OVER:
            return Progress.NOTHING
        if state.due == Due.RETRY:
            raise DeskRefusedError(f"The answer of turn {last.turn.number} was not written: {last.turn.reason}")
        if state.due == Due.RATE:
            self._send(key, "rate", last, **self._rating_form(session, last.turn.number))
            return Progress.ANSWERED
        if last.rating == BAD and state.editable == last.turn.number and not last.turn.edits:
            self._send(key, "edit", last, **{"q-:edit": f"{last.turn.answer} {WORDS}"})
        elif state.due == Due.END or (last.rating == GOOD and state.may_end):
            self._send(key, "finish", last)
        else:
            kind = INFORMATION if state.number % 2 else STYLE
            instruction = {"q-:kind": kind, "q-:instruction": INSTRUCTIONS[kind], "turn": str(state.number)}
            self._send(key, "instruct", last, **instruction)
        return Progress.MOVED

    def _send(self, key: uuid.UUID, step: str, last: TurnRecord, **fields: object) -> None:
        versions = {"turn": str(last.turn.number), "rated": str(last.revision), "edits": str(last.turn.edits)}
        address = reverse("revision_sessions:step", args=[key])
        self.post(address, {"step": step, **self.effort_fields(), **versions, **fields})


VISITORS = {"session": SessionVisitor}
"""By protocol, those with pages of their own; all others are answered on the desk."""
