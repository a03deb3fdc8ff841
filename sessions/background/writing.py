"""Writing a turn's answer: search, summary, answer, each kept as soon as it is there.

KIWI, appendix A.1. Whoever takes over from a worker that was killed goes on after what was kept, so that nothing is
searched or paid twice but the call that was cut.
"""

from collections.abc import Mapping

from django.conf import settings

from annotation.models import Study
from annotation.text import TextRefusedError, check_text
from config.background.claiming import Claim
from config.background.rows import Status
from config.background.work import GiveUpError, TryLaterError, Work
from llm.asking import Charge, Material, Reply, Request, Source, Step
from llm.calling import complete
from llm.errors import BudgetError, BusyError, CallError, CircuitOpenError, StoppedError
from llm.prompting import prompt_for
from retrieval.errors import IndexNotReadyError, SearchError
from retrieval.indexing import ensure_index
from retrieval.papers import papers_of
from retrieval.searching import search
from sessions.items import question_of
from sessions.models import RevisionSession, Turn
from sessions.options import Options, options_of
from sessions.sources import cited_passages

ATTEMPTS = 5
BUSY_WAIT, CIRCUIT_WAIT, INDEX_WAIT = 3.0, 10.0, 2.0
EMPTY = "The language model answered with nothing."
STRANGE = "The language model's answer holds characters that cannot be stored."
WRITTEN_AGAIN = 0xFFFD


def work_of(turn: Turn) -> str:
    """How the ledger names what a turn's calls are for."""
    return f"turn:{turn.pk}"


def write(claim: Claim) -> None:
    """Write the answer of a claimed turn."""
    turn: Turn = claim.row
    session = RevisionSession.objects.select_related("study", "item", "rater__person").get(pk=turn.session_id)
    try:
        _Writer(claim, session, options_of(session.study)).run()
    except (BusyError, CircuitOpenError) as problem:
        wait = problem.retry_after or (BUSY_WAIT if isinstance(problem, BusyError) else CIRCUIT_WAIT)
        raise TryLaterError(problem.reason, wait, counts=False) from None
    except StoppedError as problem:
        claim.renew()  # raises where somebody asked this turn to stop; otherwise all calls of the study were stopped
        raise GiveUpError(problem.reason, **_kept(problem)) from None
    except BudgetError:
        # Its own words name amounts: they are no rater's business, and tell a dear model from a cheap one.
        raise GiveUpError(BudgetError.sentence) from None
    except CallError as problem:
        # What came before the failure is kept and shown as a part, never taken for an answer.
        raise GiveUpError(problem.reason, **_kept(problem)) from problem
    except IndexNotReadyError as problem:
        raise _until_indexed(session.study, str(problem)) from None
    except SearchError as problem:
        raise GiveUpError(str(problem)) from None


def _until_indexed(study: Study, reason: str) -> TryLaterError | GiveUpError:
    """What becomes of a search whose index is missing: it waits for one that is being built."""
    build = ensure_index(study)
    if build is None or (build.status in (Status.FAILED, Status.STOPPED)):
        return GiveUpError(reason)
    return TryLaterError(reason, INDEX_WAIT, counts=not build.is_waiting)


def _kept(problem: CallError) -> dict[str, str]:
    return {"partial": storable(problem.partial)} if problem.partial else {}


class _Writer:
    """One turn's answer in the making."""

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
            pass

    def _search(self, query: str) -> None:
        found = search(self.session.item, query, self.options.passages)
        passages = [
            {"document": hit.document, "paragraph": hit.paragraph, "rank": hit.rank, "score": hit.score,
             "text": hit.text}
            for hit in found.hits
        ]  # fmt: skip
        self.claim.update(passages=passages, searcher=found.searcher, index=found.index)

    def _ask(self, step: Step, shown: bool = False) -> Reply:
        """Call the model for a step; the text is `shown` while it is written."""
        material = self._material(step)
        prompt = prompt_for(self.session.study, "sessions", step)
        request = Request(
            model=self.session.model,
            messages=prompt.fill(values_of(material)),
            prompt=prompt.mark,
            temperature=self.options.temperature,
            material=material,
        )
        charge = Charge(study=self.session.study, person=self.session.rater.person, work=work_of(self.turn), step=step)
        return complete(request, charge, on_text=self._show if shown else None, stopped=self.claim.stop_asked)

    def _show(self, text: str) -> None:
        self.claim.update(partial=storable(text))

    def _material(self, step: Step) -> Material:
        """What a step is given, and nothing else."""
        turn, language = self.turn, self.session.study.language
        if step == "first":
            return Material("first", self.question, self._sources(), language=language)
        revised = {"previous_answer": turn.previous_answer, "instruction": turn.instruction, "language": language}
        if step == "summary":
            return Material("summary", "", self._sources(), **revised)
        if step == "information":
            return Material("information", self.question, summary=turn.summary, **revised)
        return Material("style", self.question, **revised)

    def _sources(self) -> tuple[Source, ...]:
        """The turn's passages in the order of their rank, numbered by their papers."""
        papers = papers_of(self.session.item)
        numbers = {paper.id: number for number, paper in enumerate(papers)}
        return tuple(
            Source(numbers[passage["document"]], papers[numbers[passage["document"]]].title, passage["text"])
            for passage in self.turn.passages
        )


def values_of(material: Material) -> Mapping[str, str]:
    """The values for a prompt's placeholders; a prompt takes those that its step is given."""
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
    """The text of a reply; raises GiveUpError where there is none that can be kept."""
    if not reply.text.strip():
        raise GiveUpError(EMPTY)
    try:
        return check_text(reply.text)
    except TextRefusedError:
        raise GiveUpError(STRANGE, partial=storable(reply.text)) from None


def storable(text: str) -> str:
    """The text with a mark for each character that cannot be stored: for what is shown, never for answers."""
    return text.replace("\x00", chr(WRITTEN_AGAIN)).encode("utf-8", "replace").decode()


WORK = Work(key="sessions.writing", model=Turn, run=write, queue="calls", lease=settings.CALL_LEASE, attempts=ATTEMPTS)
