"""Answers of one system, or references, for every accepted instruction (riSum 2.1, InstruSum A.1, HREF 4.1)."""

from collections.abc import Iterator

from annotation.models import Study
from judges.prompt_texts import fenced
from judges.reply_normalising import not_empty
from parts.preparing.models import InstructionTrial, PreparedText, Suggestion
from parts.preparing.step_configuration import StepConfiguration
from parts.preparing.step_kind import INSTRUCTION, StepAsker, StepCase, StepKind, StepResult, document_fence

GENERIC, SPECIFIC = "answer", "answer_specific"


class Answers(StepKind):
    key, label, title = "answers", "Answers", "Write answers"
    about = INSTRUCTION
    source = "riSum, section 2.1; InstruSum, appendix A.1; HREF, section 4.1"

    def prompts(self, configuration: StepConfiguration) -> tuple[str, ...]:
        return (GENERIC if configuration.generic else SPECIFIC,)

    def cases(
        self, study: Study, configuration: StepConfiguration, trial: InstructionTrial | None = None
    ) -> Iterator[StepCase]:
        """Yield accepted instructions that have no text of this system; an item never gets more references."""
        written = PreparedText.objects.filter(study=study, role=configuration.role, key=configuration.system)
        found = Suggestion.objects.filter(study=study, state=Suggestion.State.ACCEPTED).exclude(
            pk__in=written.values("suggestion")
        )
        if configuration.role == PreparedText.Role.REFERENCE:
            found = found.filter(item=None)
        found = found.select_related("document").defer("document__text", "document__content")
        for one in found.order_by("pk").iterator(chunk_size=500):
            yield StepCase(one.document, one)

    def ask(self, case: StepCase, configuration: StepConfiguration, asker: StepAsker) -> StepResult:
        if case.suggestion is None:
            raise TypeError("An answer needs an instruction.")
        instruction = case.suggestion.text
        if configuration.generic:
            values = {"document": case.document.text, "instruction": instruction}
            reply = asker.ask(GENERIC, values, "answer")
        else:
            values = {"document": document_fence(case.document), "instruction": fenced("requirement", instruction)}
            reply = asker.ask(SPECIFIC, values, "answer")
        return StepResult(text=not_empty(reply.text))


STEP_KIND = Answers()
