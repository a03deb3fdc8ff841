"""The kind of a turn's instruction, one of nine (KIWI, section 4.2, appendix A.3 and table 11)."""

from collections.abc import Mapping
from typing import Any

from judges.label_parsing import read_label
from judges.prompt_texts import fenced
from judges.protocol import LABEL, Asker, Case, JudgeProtocol, Parameters, Reading
from sessions.turn_labels import VALUES, Kind

REPLY_LABEL = "Category"
LONGEST_REPLY = 32


class ClassifyInstruction(JudgeProtocol):
    """Labels each turn with the kind of change that its instruction asks for."""

    key = "classify_instruction"
    label = "Kind of instruction"
    source = "KIWI, section 4.2, appendix A.3 and table 11"
    unit = "turn"
    shape = LABEL
    prompts = ("classify_instruction",)
    label_kind = Kind.INSTRUCTION_TYPE.value

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        turn = case.judged_turn
        values = {
            "question": fenced("question", turn.question),
            "instruction": fenced("instruction", turn.instruction),
            "categories": " | ".join(VALUES[self.label_kind]),
        }
        reply = asker.ask("classify_instruction", values, Parameters(max_tokens=LONGEST_REPLY))
        return Reading(read_label(reply.text, REPLY_LABEL, VALUES[self.label_kind]), details={"reply": reply.text})


JUDGE_PROTOCOL = ClassifyInstruction()
