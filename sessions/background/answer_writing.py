"""Writes a turn's answer: search, summary, answer. Each result is saved as soon as it is complete.

KIWI, appendix A.1. If a worker is killed, the next one continues after the last saved result, so only the call that
was interrupted is repeated.
"""

from collections.abc import Mapping

from django.conf import settings

from accounts.auditing import record
from annotation.models import Study
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.background.rows import Status
from config.text_validation import TextRefusedError, check_text, with_marks
from llm.call_errors import BudgetError, CallError, EndpointBusyError, StoppedError
from llm.call_work import PATIENCE, wait_after, wait_for_budget
from llm.door import complete
from llm.prompt_files import prompt_for
from llm.requests import AnswerMaterial, Charge, Reply, Request, SourcePassage, Step
from retrieval.index_builds import ensure_index
from retrieval.papers import papers_of
from retrieval.search_errors import IndexNotReadyError, SearchError
from retrieval.searching import search
from sessions.models import RevisionSession, Turn
from sessions.prompt_passages import cited_passages
from sessions.question_content import question_of
from sessions.study_options import Options, options_of

ATTEMPTS = 5
INDEX_WAIT = 2.0
EMPTY = "The language model returned an empty answer."
STRANGE = "The language model's answer contains characters that cannot be stored."


def work_of(turn: int) -> str:
    """Return the ledger's name for the work of a turn, by its primary key."""
    return f"turn:{turn}"


def write(claim: Claim) -> None:
    """Write the answer of a claimed turn."""
    turn: Turn = claim.row
    session = RevisionSession.objects.select_related("study", "item", "rater__person").get(pk=turn.session_id)
    try:
        _Writer(claim, session, options_of(session.study)).run()
    except StoppedError as problem:
        claim.renew()  # raises if somebody stopped this turn; otherwise all calls of the study were stopped
        raise GiveUpError(problem.reason, **_kept(problem)) from None
    except BudgetError as problem:
        if (wait := wait_for_budget(problem, claim)) is not None:
            raise TryLaterError(EndpointBusyError.sentence, wait) from None
        # Raters must not see the amounts in its message, which would reveal whether the model is expensive.
        raise GiveUpError(BudgetError.sentence) from None
    except CallError as problem:
        if (wait := wait_after(problem, PATIENCE)) is not None:
            raise TryLaterError(problem.reason, wait, counts=problem.put_off is not None) from None
        # The text received before the failure is shown as a partial answer and never counts as an answer.
        raise GiveUpError(problem.reason, **_kept(problem)) from problem
    except IndexNotReadyError as problem:
        raise _until_indexed(session.study, str(problem)) from None
    except SearchError as problem:
        raise GiveUpError(str(problem)) from None


def _until_indexed(study: Study, reason: str) -> TryLaterError | GiveUpError:
    """Return the error that ends a search without an index: retry if one is being built, otherwise give up."""
    build = ensure_index(study)
    if build is None or (build.status in (Status.FAILED, Status.STOPPED)):
        return GiveUpError(reason)
    return TryLaterError(reason, INDEX_WAIT, counts=not build.is_waiting)


def _kept(problem: CallError) -> dict[str, str]:
    return {"partial": with_marks(problem.partial)} if problem.partial else {}


class _Writer:
    """Writes the answer of one turn."""

    def __init__(self, claim: Claim, session: RevisionSession, options: Options) -> None:
        self.claim, self.turn, self.session, self.options = claim, claim.row, session, options
        self.question = question_of(session.item)

    def run(self) -> None:
        turn = self.turn
        if turn.kind != Turn.Kind.STYLE and turn.passages is None:
            self._search(self.question if turn.kind == Turn.Kind.FIRST else turn.instruction)
        if turn.kind == Turn.Kind.INFORMATION and turn.summary is None:
            self.claim.update(summary=_text_of(self._ask("summary")))
        answer = _text_of(self._ask(turn.kind, shown=True))
        with self.claim.finish(answer=answer, partial=""):
            subject = f"{self.session.key} turn {turn.number}"
            record("turn answered", subject, actor=None, study=self.session.study.slug)

    def _search(self, query: str) -> None:
        found = search(self.session.item, query, self.options.passages)
        passages = [
            {"document": hit.document, "paragraph": hit.paragraph, "rank": hit.rank, "score": hit.score,
             "text": hit.text}
            for hit in found.hits
        ]  # fmt: skip
        self.claim.update(passages=passages, searcher=found.searcher, index=found.index)

    def _ask(self, step: Step, shown: bool = False) -> Reply:
        """Call the model for a step. If `shown`, the page shows the text while it is written."""
        material = self._material(step)
        prompt = prompt_for(self.session.study, "sessions", step)
        request = Request(
            model=self.session.model,
            messages=prompt.fill(values_of(material)),
            prompt=prompt.reference,
            temperature=self.options.temperature,
            material=material,
        )
        charge = Charge(
            study=self.session.study, person=self.session.rater.person, work=work_of(self.turn.pk), step=step
        )
        try:
            return complete(request, charge, on_text=self._show if shown else None, stopped=self.claim.stop_asked)
        except CallError as problem:
            if not shown:
                problem.partial = ""  # no part of an answer, and perhaps thinking that nothing has marked yet
            raise

    def _show(self, text: str) -> None:
        self.claim.update(partial=with_marks(text))

    def _material(self, step: Step) -> AnswerMaterial:
        """Return what a step gets, and nothing else."""
        turn, language = self.turn, self.session.study.language
        if step == "first":
            return AnswerMaterial("first", self.question, self._sources(), language=language)
        revised = {"previous_answer": turn.previous_answer, "instruction": turn.instruction, "language": language}
        if step == "summary":
            return AnswerMaterial("summary", "", self._sources(), **revised)
        if step == "information":
            return AnswerMaterial("information", self.question, summary=turn.summary, **revised)
        return AnswerMaterial("style", self.question, **revised)

    def _sources(self) -> tuple[SourcePassage, ...]:
        """Return the turn's passages by rank, each with the number of its paper."""
        papers = papers_of(self.session.item)
        numbers = {paper.id: number for number, paper in enumerate(papers)}
        return tuple(
            SourcePassage(numbers[passage["document"]], papers[numbers[passage["document"]]].title, passage["text"])
            for passage in self.turn.passages
        )


def values_of(material: AnswerMaterial) -> Mapping[str, str]:
    """Return the values for the placeholders of a step's prompt."""
    values = {
        "first": {"question": material.question, "passages": cited_passages(material.passages)},
        "summary": {
            "passages": cited_passages(material.passages),
            "previous_answer": material.previous_answer,
            "instruction": material.instruction,
        },
        "information": {
            "question": material.question,
            "previous_answer": material.previous_answer,
            "instruction": material.instruction,
            "summary": material.summary,
        },
        "style": {
            "question": material.question,
            "previous_answer": material.previous_answer,
            "instruction": material.instruction,
        },
    }
    return values[material.task]


def _text_of(reply: Reply) -> str:
    """Return the text of a reply. Raises GiveUpError if it is empty or cannot be stored."""
    if not reply.text.strip():
        raise GiveUpError(EMPTY)
    try:
        return check_text(reply.text)
    except TextRefusedError:
        raise GiveUpError(STRANGE, partial=with_marks(reply.text)) from None


WORK = Work(
    key="sessions.writing",
    model=Turn,
    run=write,
    queue="calls",
    lease=settings.CALL_LEASE,
    attempts=ATTEMPTS,
    study="session__study",
)
