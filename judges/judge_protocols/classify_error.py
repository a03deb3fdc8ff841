"""What went wrong in a turn, one of five categories, read from its user's comment (KIWI, section 4.3, table 12)."""

from collections.abc import Mapping
from typing import Any

from judges.label_parsing import read_label
from judges.prompt_texts import fenced
from judges.protocol import LABEL, Asker, Case, JudgeProtocol, Parameters, Reading, ReplyInvalidError
from sessions.turn_labels import VALUES, Kind

REPLY_LABEL = "Category"
LONGEST_REPLY = 32
NO_COMMENT = "the turn has no comment"


class ClassifyError(JudgeProtocol):
    """Labels each turn rated neutral or bad with the error that its comment tells of.

    Turns without a comment, and turns rated good, are no units of a run; if a comment is gone when it is needed, no
    call is made.
    """

    key = "classify_error"
    label = "Category of an error"
    source = "KIWI, section 4.3, appendix A.4 and table 12"
    unit = "turn"
    shape = LABEL
    prompts = ("classify_error",)
    label_kind = Kind.ERROR_CATEGORY.value

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        turn = case.judged_turn
        if not turn.comment.strip():
            raise ReplyInvalidError(NO_COMMENT)
        values = {
            "instruction": fenced("instruction", turn.instruction),
            "comment": fenced("comment", turn.comment),
            "categories": " | ".join(VALUES[self.label_kind]),
        }
        reply = asker.ask("classify_error", values, Parameters(max_tokens=LONGEST_REPLY))
        return Reading(read_label(reply.text, REPLY_LABEL, VALUES[self.label_kind]), details={"reply": reply.text})


JUDGE_PROTOCOL = ClassifyError()
