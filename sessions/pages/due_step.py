"""The step that is due in a session, with the contents of its form."""

import uuid
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from annotation.desk.submitting import sheet_of
from annotation.models import Assignment
from annotation.protocols import Form, protocols
from sessions.forms import AT, EDIT, INSTRUCTION, KIND
from sessions.models import RevisionSession, Turn
from sessions.pages.answer_versions import AnswerVersion, latest_version
from sessions.pages.writing_progress import WritingProgress, without_model, writing_progress
from sessions.steps import LONGEST_ANSWER, LONGEST_INSTRUCTION
from sessions.study_options import options_of
from sessions.transcript import TurnRecord, session_state
from sessions.workflow import BAD, RATING, Due

NAMES = {Due.WAIT: "writing", Due.RETRY: "failed", Due.RATE: "rate", Due.INSTRUCT: "instruct", Due.END: "send"}


class DueStep:
    """The step that is due, or `edit`, `rate` or `send` if it was requested and is allowed.

    `name` is `writing`, `failed`, `rate`, `edit`, `instruct`, `send` or `over`; its template is
    `sessions/dock/<name>.html`.
    """

    longest_instruction, longest_answer = LONGEST_INSTRUCTION, LONGEST_ANSWER

    def __init__(
        self,
        assignment: Assignment,
        session: RevisionSession,
        turns: list[TurnRecord],
        *,
        asked: str = "",
        form: Form | None = None,
        errors: Mapping[str, str] | None = None,
    ) -> None:
        self.assignment, self.session, self.form, self.errors = assignment, session, form, dict(errors or {})
        self.state = session_state(session, turns)
        self.record = turns[-1]
        self.turn: Turn = self.record.turn
        self.max_turns = options_of(session.study).max_turns
        self.may_edit = self.state.editable is not None
        self.may_rate_again = self.state.ratable is not None and self.state.due in (Due.INSTRUCT, Due.END)
        self.may_send = self.state.may_end and self.state.due != Due.END
        self.is_last = self.state.due == Due.END
        self.name = self._name(asked)
        self.current: AnswerVersion | None = latest_version(turns, self.state.current_of)
        self.client_key = uuid.uuid4()

    def _name(self, asked: str) -> str:
        name = NAMES.get(self.state.due, "over")
        allowed = {
            "edit": self.may_edit and name in ("instruct", "send"),
            "rate": self.may_rate_again,
            "send": self.may_send and name == "instruct",
        }
        return asked if allowed.get(asked) else name

    @property
    def template(self) -> str:
        return f"sessions/dock/{self.name}.html"

    @property
    def number(self) -> int:
        """Return the turn that the step is about; for an instruction, the next turn."""
        return self.turn.number if self.name in ("rate", "edit") else self.state.number

    @property
    def is_edited(self) -> bool:
        """Return whether the last turn's answer was edited."""
        return self.turn.edited_answer is not None

    @property
    def is_dropped(self) -> bool:
        """Return whether the last turn was rated bad and not edited, so that the answer before it stays."""
        return self.record.rating == BAD and self.state.current_of != self.turn.number

    @property
    def reason(self) -> str:
        """Return why the last turn has no answer."""
        return without_model(self.session, self.turn.reason)

    @property
    def writing(self) -> WritingProgress:
        return writing_progress(self.session, self.turn)

    # The form

    @property
    def at(self) -> str:
        """Return the name of the step that a draft belongs to."""
        return f"{self.turn.number}:{'rate' if self.name == 'rate' else 'after'}"

    @cached_property
    def typed(self) -> Form:
        """Return the form that was just sent, or else the draft if it belongs to this step."""
        if self.form is not None:
            return self.form
        draft = {_page_field(name): values for name, values in (self.assignment.draft or {}).items()}
        return draft if draft.get(AT, [self.at])[-1:] == [self.at] else {}

    def _typed(self, field: str) -> str:
        return (self.typed.get(field) or [""])[-1]

    @property
    def instruction(self) -> str:
        return self._typed(INSTRUCTION)

    @property
    def kind(self) -> str:
        return self._typed(KIND)

    @property
    def edit(self) -> str:
        """Return the contents of the field for editing: the typed text, or else the answer."""
        kept = self.turn.answer if self.turn.edited_answer is None else self.turn.edited_answer
        return self._typed(EDIT) or kept or ""

    @property
    def carried(self) -> list[tuple[str, str]]:
        """Return the text typed for steps that this page does not show, so that the draft keeps it."""
        shown = {"instruct": (INSTRUCTION, KIND), "edit": (EDIT,)}.get(self.name, ())
        fields = (name for name in (INSTRUCTION, KIND, EDIT) if name not in shown)
        return [(name, self._typed(name)) for name in fields if any(self.typed.get(name) or ())]

    @property
    def fields(self) -> list[dict[str, Any]]:
        """Return the study's questions about the turn."""
        study = self.session.study
        protocol, sheet = protocols()[study.protocol], sheet_of(self.assignment)
        questions = list(study.questions.order_by("position"))
        form = self.typed or protocol.form_of(self.record.answers, questions, sheet)
        fields = protocol.fields(form, questions, sheet, self.errors)
        return [self.with_faces(one) for one in fields]

    @staticmethod
    def with_faces(field: dict[str, Any]) -> dict[str, Any]:
        """Return a question's field as the page shows it: the rating with faces."""
        return field | {"template": "sessions/_rating.html"} if field["question"].key == RATING else field


def _page_field(name: str) -> str:
    """Return the page's name for a field of a draft; drafts made by `sessions.steps` have plain names."""
    return name if name.startswith("q-") else f"q-:{name}"
