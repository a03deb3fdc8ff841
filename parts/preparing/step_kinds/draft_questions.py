"""Questions that a paragraph answers, filtered by keywords and by a model (KIWI A.6)."""

from collections.abc import Iterator

from annotation.models import Study
from judges.prompt_texts import fenced
from judges.protocol import UNUSABLE, ReplyInvalidError
from judges.reply_forms import OneOf, ReplyForm
from llm.call_errors import CallError
from parts.preparing.list_step import list_form, read_list
from parts.preparing.models import InstructionTrial, Suggestion
from parts.preparing.step_configuration import StepConfiguration
from parts.preparing.step_kind import (
    NewSuggestion,
    StepAsker,
    StepCase,
    StepKind,
    StepResult,
    document_fence,
    undecided_documents,
)

YES = "Yes"
ANSWERED = ReplyForm(OneOf("Answered", (YES, "Partially", "No")))
BY_KEYWORD, NOT_ANSWERED, NOT_CHECKED = "keyword: {}", "answered by the paragraph: {}", "could not be checked: {}"


class Questions(StepKind):
    key, label, title = "questions", "Questions", "Draft questions"
    suggests = Suggestion.Kind.QUESTION.value
    source = "KIWI, appendix A.6"

    def prompts(self, configuration: StepConfiguration) -> tuple[str, ...]:
        return ("questions", "answerable")

    def cases(
        self, study: Study, configuration: StepConfiguration, trial: InstructionTrial | None = None
    ) -> Iterator[StepCase]:
        return (StepCase(document) for document in undecided_documents(study, None, self.suggests))

    def most_calls(self, configuration: StepConfiguration) -> int:
        return 1 + configuration.count

    def ask(self, case: StepCase, configuration: StepConfiguration, asker: StepAsker) -> StepResult:
        """Ask for questions, then about each that no keyword drops whether the paragraph answers it."""
        values = {
            "title": fenced("title", case.document.title), "passage": document_fence(case.document, "paragraph"),
            "form": list_form("question", configuration.count),
        }  # fmt: skip
        reply = asker.ask("questions", values, "write")
        found, by_keyword = [], 0
        for number, text in enumerate(read_list(reply.text, configuration.count), start=1):
            word = dropping_keyword(text, configuration.keywords)
            by_keyword += bool(word)
            dropped = BY_KEYWORD.format(word) if word else self._check(case, text, number, asker)
            found.append(NewSuggestion(text, dropped))
        not_answered = sum(bool(one.dropped) for one in found) - by_keyword
        counts = {"written": len(found), "by_keyword": by_keyword, "not_answered": not_answered}
        return StepResult(tuple(found), counts=counts)

    def _check(self, case: StepCase, question: str, number: int, asker: StepAsker) -> str:
        """Return why a question is dropped, or ""."""
        values = {"question": fenced("question", question), "passage": document_fence(case.document, "paragraph")}
        try:
            answer, _ = ANSWERED.read(asker.ask("answerable", values, f"check {number}", greedy=True))
        except ReplyInvalidError as problem:
            return NOT_CHECKED.format(problem.reason)
        except CallError as problem:
            if problem.kind not in UNUSABLE:
                raise
            return NOT_CHECKED.format(UNUSABLE[problem.kind])
        return "" if answer == YES else NOT_ANSWERED.format(answer)


def dropping_keyword(text: str, keywords: tuple[str, ...]) -> str:
    """Return the first keyword that a question contains, without regard to case, or ""."""
    return next((word for word in keywords if word.casefold() in text.casefold()), "")


STEP_KIND = Questions()
