"""Steps in which a model writes a list of texts for each document, from which a person picks.

A list has one text per line, numbered from 1.
"""

import re
from collections.abc import Iterator

from annotation.models import Study
from judges.protocol import ReplyInvalidError
from judges.reply_normalising import plain_reply
from parts.preparing.models import InstructionTrial
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

LINE = re.compile(r"[ \t]*(?P<mark>\*\*|__|)(?P<number>[0-9]{1,2})[.)](?P=mark)[ \t]+(?P<text>\S.*)")
FEWER, MORE = "fewer texts than asked for", "more texts than asked for"
NOT_NUMBERED, NOT_IN_ORDER, TWICE = "a line without a number", "numbers out of order", "the same text twice"
TOO_LONG = "a text that is too long"
LONGEST = 2_000


def list_form(blank: str, count: int) -> str:
    """Return the lines of a form with that many blanks, such as `1. {instruction}`."""
    return "\n".join(f"{number}. {{{blank}}}" for number in range(1, count + 1))


def read_list(text: str, count: int) -> list[str]:
    """Return the `count` texts of a reply. Raises ReplyInvalidError."""
    found: list[str] = []
    for line in plain_reply(text).splitlines():
        if not line.strip():
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise ReplyInvalidError(NOT_NUMBERED)
        if int(match["number"]) != len(found) + 1:
            raise ReplyInvalidError(NOT_IN_ORDER)
        one = " ".join(match["text"].split())
        if len(one) > LONGEST:
            raise ReplyInvalidError(TOO_LONG)
        if one.casefold() in (other.casefold() for other in found):
            raise ReplyInvalidError(TWICE)
        found.append(one)
    if len(found) != count:
        raise ReplyInvalidError(FEWER if len(found) < count else MORE)
    return found


class ListStep(StepKind):
    """A step whose prompt is called like its kind; `stage` names its calls in the ledger."""

    stage: str

    def prompts(self, configuration: StepConfiguration) -> tuple[str, ...]:
        return (self.key,)

    def cases(
        self, study: Study, configuration: StepConfiguration, trial: InstructionTrial | None = None
    ) -> Iterator[StepCase]:
        return (StepCase(document) for document in undecided_documents(study, trial, self.suggests))

    def ask(self, case: StepCase, configuration: StepConfiguration, asker: StepAsker) -> StepResult:
        form = list_form("instruction", configuration.count)
        reply = asker.ask(self.key, {"document": document_fence(case.document), "form": form}, self.stage)
        return StepResult(tuple(NewSuggestion(text) for text in read_list(reply.text, configuration.count)))
