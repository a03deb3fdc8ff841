"""The page of a session: the step that is due, the answer, the papers and the turns. Nothing here names the model."""

from collections.abc import Mapping
from functools import cached_property

from django.urls import reverse

from annotation.desk.task_page import person_tag
from annotation.models import Assignment, Guideline
from annotation.protocols import Form
from sessions.forms import PageChoice
from sessions.models import RevisionSession
from sessions.pages.answer_pane import AnswerPane
from sessions.pages.due_step import DueStep
from sessions.pages.papers_panel import PapersPanel, papers_panel
from sessions.pages.turn_list import TurnEntry, turn_entries
from sessions.question_content import question_of
from sessions.transcript import TurnRecord, turns_of

NO_CHOICE = PageChoice()


class SessionPage:
    """The parts of the page, made when a template uses them."""

    def __init__(
        self,
        assignment: Assignment,
        session: RevisionSession,
        choice: PageChoice = NO_CHOICE,
        form: Form | None = None,
        errors: Mapping[str, str] | None = None,
        turns: list[TurnRecord] | None = None,
        step: DueStep | None = None,
    ) -> None:
        """Make the page of a session; `turns` and `step` are given if they are not saved."""
        self.assignment, self.session, self.choice = assignment, session, choice
        self.study, self.item = session.study, session.item
        self._turns = turns_of(session) if turns is None else turns
        self.step = step or DueStep(assignment, session, self._turns, asked=choice.step, form=form, errors=errors)

    @property
    def address(self) -> str:
        return reverse("revision_sessions:session", args=[self.assignment.key])

    @property
    def question(self) -> str:
        return question_of(self.item)

    @property
    def language(self) -> str:
        return self.study.language

    @property
    def person_tag(self) -> str:
        return person_tag(self.session.rater.person_id)

    @cached_property
    def guidelines_version(self) -> int | None:
        return Guideline.objects.filter(study=self.study).order_by("-number").values_list("number", flat=True).first()

    @cached_property
    def answer(self) -> AnswerPane:
        return AnswerPane(
            self.choice, self.step, self._turns, self.papers.papers, bool(self.study.options.get("markdown", False))
        )  # fmt: skip

    @cached_property
    def papers(self) -> PapersPanel:
        return papers_panel(self.item, self._turns, self.choice.passages, self.choice.answer)

    @cached_property
    def turns(self) -> list[TurnEntry]:
        return turn_entries(self._turns, list(self.study.questions.order_by("position")))
