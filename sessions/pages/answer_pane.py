"""The middle of a session's page: an answer as text, its changes, and the papers that it cites."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sessions.comparing.answer_comparison import compare_answers
from sessions.comparing.word_diff import WordDiff
from sessions.forms import PageChoice
from sessions.pages.answer_rendering import RenderedAnswer, render_answer
from sessions.pages.answer_versions import AnswerVersion, latest_version, version_before, versions_of
from sessions.pages.due_step import DueStep
from sessions.pages.papers_panel import CitedPaper, PaperEntry, cited_papers
from sessions.transcript import TurnRecord


@dataclass(frozen=True)
class VersionDiff:
    """The changes from one version of the answer to another."""

    older: AnswerVersion
    newer: AnswerVersion
    found: WordDiff


class AnswerPane:
    """The answer that is shown: the requested one, the one to be rated or edited, or the current one."""

    def __init__(
        self,
        choice: PageChoice,
        step: DueStep,
        turns: Sequence[TurnRecord],
        papers: Sequence[PaperEntry],
        markdown: bool,
    ) -> None:
        self._choice, self._step, self._turns, self._papers = choice, step, turns, papers
        self.versions = versions_of(turns)
        self.version = self._version()
        self.view = "text" if step.name == "edit" else choice.view or self._first_view()
        self.rendered: RenderedAnswer = render_answer(self.text, len(papers), markdown)

    def _first_view(self) -> str:
        """Return `changes` for a turn that is to be rated: what changed is what the rating is about."""
        return "changes" if self.role == "rated" and self._choice.answer is None and self.changes else "text"

    def _version(self) -> AnswerVersion | None:
        if self._choice.answer is not None and self._step.name not in ("edit", "send"):
            return latest_version(self._turns, self._choice.answer) or self._step.current
        if self._step.name in ("rate", "edit"):
            return latest_version(self._turns, self._step.turn.number)
        return self._step.current

    @property
    def text(self) -> str:
        return self.version.text if self.version else ""

    @property
    def role(self) -> str:
        """Return the role of the answer: `rated`, `edited`, `current`, `final` or `other`; empty without an answer."""
        if self.version is None:
            return ""
        if self._step.name in ("rate", "edit") and self.version.turn == self._step.turn.number:
            return "rated" if self._step.name == "rate" else "edited"
        if self.version == self._step.current:
            return "final" if self._step.name == "over" else "current"
        return "other"

    @cached_property
    def changes(self) -> VersionDiff | None:
        by_key = {version.key: version for version in self.versions}
        newer = by_key.get(self._choice.newer) or self.version
        older = by_key.get(self._choice.older) or (newer and version_before(self._turns, newer))
        return VersionDiff(older, newer, compare_answers(older.text, newer.text)) if older and newer else None

    @cached_property
    def sources(self) -> list[CitedPaper]:
        """Return the numbers that the answer cites, with their papers."""
        return cited_papers(self.text, self._papers)

    @property
    def uncited(self) -> list[PaperEntry]:
        """Return the papers that the answer does not cite."""
        numbers = {source.number for source in self.sources}
        return [paper for paper in self._papers if paper.number not in numbers]
