"""What the page of a session shows its user: where it stands, what is due, and all that was said and read so far.

Nothing here names the model. What can be looked at by address (an earlier answer, two answers to compare, a turn's
passages) is read leniently: what names nothing shows what is shown without it.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from annotation.desk import person_tag
from annotation.models import Assignment, Guideline
from annotation.protocols import Form, protocols
from annotation.submitting import sheet_of
from config.background.workers import Situation, situation
from sessions.differences import Differences, differences
from sessions.history import COMMENT, RATING, ToldTurn, state, turns_of
from sessions.items import question_of
from sessions.models import RevisionSession, Turn
from sessions.options import options_of
from sessions.reading_matter import (
    CitedPaper,
    ShownPaper,
    TurnPassages,
    cited_papers,
    passages_of,
    shown_papers,
)
from sessions.rendering import Part, as_markdown, parts_of, unknown
from sessions.versions import Version, before, kept_of, versions_of
from sessions.workflow import BAD, Due, State

INSTRUCTION, KIND, EDIT, AT = "q-:instruction", "q-:kind", "q-:edit", "q-:at"
"""Fields of the page's own; the colon keeps them apart from those of the study's questions."""
OWN_FIELDS = (INSTRUCTION, KIND, EDIT, AT)
VIEWS = ("text", "changes", "sources")
DOCKS = {Due.WAIT: "writing", Due.RETRY: "failed", Due.RATE: "rate", Due.INSTRUCT: "instruct", Due.END: "send"}
EXPECTED = {
    "writing": "wait for the answer", "failed": "try again", "rate": "rate the answer", "edit": "edit the answer",
    "instruct": "write an instruction", "send": "look at it and send it", "over": "nothing more",
}  # fmt: skip
KINDS = {"information": "asked for more information", "style": "asked for another form"}


@dataclass(frozen=True)
class ShownAnswer:
    """An answer as it is read: in parts, or as `html` where the study has its answers formatted."""

    turn: int | None
    title: str
    note: str
    text: str
    parts: Sequence[Part] = ()
    html: SafeString | None = None
    unknown: Sequence[int] = ()


@dataclass(frozen=True)
class Changes:
    older: Version
    newer: Version
    found: Differences


@dataclass(frozen=True)
class Said:
    label: str
    text: str


@dataclass(frozen=True)
class Entry:
    """A turn in the list of turns."""

    number: int
    name: str
    instruction: str
    kind: str
    rating: str
    state: str
    edited: bool
    note: str
    said: Sequence[Said]
    has_answer: bool
    passages: bool
    before: str
    after: str


@dataclass(frozen=True)
class Writing:
    """How far an answer is that is being written."""

    is_over: bool
    step: str
    seconds: int
    elapsed: str
    text: str
    workers: Situation


def writing_of(session: RevisionSession, turn: Turn) -> Writing:
    seconds = max(0, int((timezone.now() - (turn.started_at or turn.created_at)).total_seconds()))
    elapsed = f"{seconds // 60}:{seconds % 60:02d}"
    return Writing(
        not turn.is_waiting, _writing_step(session, turn), seconds, elapsed, turn.partial, situation()
    )  # fmt: skip


def without_model(session: RevisionSession, reason: str) -> str:
    """A reason why there is no answer, without what would tell which model was asked."""
    endpoint, _, model = session.model.partition("/")
    for name in (session.model, model, endpoint):
        reason = reason.replace(name, "the model")
    return reason


def _writing_step(session: RevisionSession, turn: Turn) -> str:
    if turn.status == "queued":
        return without_model(session, turn.reason) or "Waiting for its turn …"
    if turn.partial:
        return "Writing …"
    if turn.kind != Turn.Kind.STYLE and turn.passages is None:
        return "Looking for passages in the papers …"
    if turn.kind == Turn.Kind.INFORMATION and turn.summary is None:
        return "Reading the passages …"
    return "Beginning to write …"


@dataclass
class SessionPage:
    """The page's facts, read when a template asks for them; `asked` is what the address asks to look at."""

    assignment: Assignment
    session: RevisionSession
    asked: Mapping[str, str] = field(default_factory=dict)
    form: Form | None = None
    errors: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.item, self.study = self.session.item, self.session.study
        self.options = options_of(self.study)
        self.turns: list[ToldTurn] = turns_of(self.session)
        self.state: State = state(self.session, self.turns)
        self.last = self.turns[-1]
        self.turn: Turn = self.last.turn
        self.client_key = uuid.uuid4()
        self.max_turns = self.options.max_turns
        self.number = self.state.number
        self.address = reverse("revision_sessions:session", args=[self.assignment.key])
        self.may_edit = self.state.editable is not None
        self.is_edited = self.turn.edited_answer is not None
        self.may_rate_again = self.state.ratable is not None and self.state.due in (Due.INSTRUCT, Due.END)
        self.is_last = self.state.due == Due.END
        self.may_send = self.state.may_end and self.state.due != Due.END
        self.question: str = question_of(self.item)

    @cached_property
    def due(self) -> str:
        """The step that is due, or the one that was asked for and can be taken."""
        name = DOCKS.get(self.state.due, "over")
        if "edit" in self.asked and self.may_edit and name in ("instruct", "send"):
            return "edit"
        if "rate" in self.asked and self.may_rate_again:
            return "rate"
        return "send" if "send" in self.asked and self.may_send and name == "instruct" else name

    @property
    def dock(self) -> str:
        return f"sessions/dock/{self.due}.html"

    @property
    def expected(self) -> str:
        return EXPECTED[self.due]

    @property
    def where(self) -> str:
        if self.number == 0:
            return f"First answer · up to {self.max_turns} turns"
        number = self.turn.number if self.due in ("rate", "edit") else self.number
        return f"Turn {number} of {self.max_turns}"

    @property
    def heading(self) -> str:
        return f"Turn {self.number} is being written" if self.number else "The first answer is being written"

    @property
    def at(self) -> str:
        return f"{self.turn.number}:{'rate' if self.due == 'rate' else 'after'}"

    @property
    def person_tag(self) -> str:
        return person_tag(self.session.rater)

    @property
    def language(self) -> str:
        return self.study.language

    @cached_property
    def guidelines_version(self) -> int | None:
        return Guideline.objects.filter(study=self.study).order_by("-number").values_list("number", flat=True).first()

    @property
    def reason(self) -> str:
        return without_model(self.session, self.turn.reason)

    # What was typed

    @cached_property
    def typed(self) -> Form:
        """What was just sent, else the draft if it is of this step."""
        if self.form is not None:
            return self.form
        draft = {_own(name): values for name, values in (self.assignment.draft or {}).items()}
        return draft if draft.get(AT, [self.at])[-1:] == [self.at] else {}

    @property
    def values(self) -> Mapping[str, str]:
        kept = self.turn.answer if self.turn.edited_answer is None else self.turn.edited_answer
        said = {name: (self.typed.get(name) or [""])[-1] for name in (INSTRUCTION, KIND, EDIT)}
        return {"instruction": said[INSTRUCTION], "kind": said[KIND], "edit": said[EDIT] or kept or ""}

    @property
    def carried(self) -> list[tuple[str, str]]:
        """What was typed for a step that this page does not show, so that its draft does not lose it."""
        shown = {"instruct": (INSTRUCTION, KIND), "edit": (EDIT,)}.get(self.due, ())
        return [(name, (self.typed.get(name) or [""])[-1]) for name in (INSTRUCTION, KIND, EDIT)
                if name not in shown and any(self.typed.get(name) or ())]  # fmt: skip

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The study's questions about the turn."""
        protocol, sheet, questions = protocols()[self.study.protocol], sheet_of(self.assignment), self._questions
        form = self.typed or protocol.form_of(self.last.answers, questions, sheet)
        fields = protocol.fields(form, questions, sheet, dict(self.errors))
        return [one | {"template": "sessions/_rating.html"} if one["question"].key == RATING else one for one in fields]

    # What is read

    @cached_property
    def versions(self) -> list[Version]:
        return versions_of(self.turns)

    @cached_property
    def version(self) -> Version | None:
        """The answer that is shown: the one asked for, that to be rated or edited, or the current one."""
        wanted = _number(self.asked.get("answer"))
        if wanted is not None and self.due not in ("edit", "send"):
            return kept_of(self.turns, wanted) or self._standing
        if self.due in ("rate", "edit"):
            return kept_of(self.turns, self.turn.number)
        return self._standing

    @property
    def _standing(self) -> Version | None:
        return kept_of(self.turns, self.state.current_of)

    @cached_property
    def shown(self) -> ShownAnswer:
        version = self.version
        if version is None:
            return ShownAnswer(None, "Answer", "", "")
        count = len(self.papers)
        html = as_markdown(version.text, count) if self.study.option("markdown", False) else None
        parts = [] if html else parts_of(version.text, count)
        title = version.label[:1].upper() + version.label[1:]
        return ShownAnswer(
            version.turn, title, self._note(version), version.text, parts, html, unknown(version.text, count)
        )

    def _note(self, version: Version) -> str:
        if self.due in ("rate", "edit") and version.turn == self.turn.number:
            return "to be rated" if self.due == "rate" else "being edited"
        if version == self._standing:
            return "the current answer" if self.due != "over" else "the final answer"
        return "not the current answer"

    @property
    def view(self) -> str:
        asked = self.asked.get("view", "")
        return asked if asked in VIEWS and self.due != "edit" else "text"

    @cached_property
    def changes(self) -> Changes | None:
        by_key = {version.key: version for version in self.versions}
        newer = by_key.get(self.asked.get("to", "")) or self.version
        older = by_key.get(self.asked.get("from", "")) or (newer and before(self.versions, self.turns, newer))
        return Changes(older, newer, differences(older.text, newer.text)) if older and newer else None

    @cached_property
    def passages(self) -> TurnPassages:
        upto = self.version.turn if self.version and "answer" in self.asked else None
        return passages_of(self.item, self.turns, _number(self.asked.get("passages")), upto)

    @cached_property
    def papers(self) -> list[ShownPaper]:
        return shown_papers(self.item, self.turns, self.passages.turn)

    @property
    def sources(self) -> list[CitedPaper]:
        return cited_papers(self.version.text, self.papers) if self.version else []

    @property
    def uncited(self) -> list[ShownPaper]:
        numbers = {source.number for source in self.sources}
        return [paper for paper in self.papers if paper.number not in numbers]

    @property
    def after(self) -> str:
        """What the last turn has come to, said above the next instruction."""
        number = self.turn.number
        if number == 0:
            return ""
        if self.state.current_of == number:
            return f"Turn {number} counts{' with your edit' if self.is_edited else ''}: its answer is the current one."
        return f"Turn {number} was rated bad, so the current answer is again the {self._standing_name}."

    @property
    def sending(self) -> str:
        """Which answer is sent."""
        dropped = self.last.rating == BAD and self.state.current_of != self.turn.number
        if dropped:
            return (
                f"Turn {self.turn.number} was rated bad and not edited: what is sent is the {self._standing_name}, "
                "shown above."
            )
        return f"What is sent is the {self._standing_name}, shown above."

    @property
    def _standing_name(self) -> str:
        return self._standing.label if self._standing else "answer"

    @property
    def writing(self) -> Writing:
        return writing_of(self.session, self.turn)

    @cached_property
    def entries(self) -> list[Entry]:
        return [self._entry(one) for one in self.turns]

    def _entry(self, told: ToldTurn) -> Entry:
        turn, mine = told.turn, kept_of(self.turns, told.turn.number)
        earlier = mine and before(self.versions, self.turns, Version(turn.number, False, turn.answer or ""))
        return Entry(
            number=turn.number, name=f"Turn {turn.number}" if turn.number else "First answer",
            instruction=turn.instruction, kind=KINDS.get(turn.kind, ""), rating=told.rating or "",
            state=_state_word(told), edited=turn.edited_answer is not None,
            note="Not used: the answer before it stayed." if _is_dropped(told) else "",
            said=self._said(told), has_answer=turn.answer is not None, passages=bool(turn.passages),
            before=earlier.key if earlier else "", after=mine.key if mine else "",
        )  # fmt: skip

    def _said(self, told: ToldTurn) -> list[Said]:
        """The comment, and the answers to the study's further questions."""
        given = [(question, told.answers.get(question.key)) for question in self._questions]
        return [
            Said("Your comment" if question.key == COMMENT else question.text, _words(value))
            for question, value in given
            if question.key != RATING and value not in (None, "")
        ]

    @cached_property
    def _questions(self) -> list[Any]:
        return list(self.study.questions.order_by("position"))


def _own(name: str) -> str:
    """The field that a draft made on the server means."""
    return name if name.startswith("q-") else f"q-:{name}"


def _is_dropped(told: ToldTurn) -> bool:
    return told.rating == BAD and told.turn.edited_answer is None


def _state_word(told: ToldTurn) -> str:
    if told.turn.is_waiting:
        return "being written"
    if told.turn.answer is None:
        return "no answer"
    return "" if told.turn.number == 0 or told.rating else "to be rated"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else None
