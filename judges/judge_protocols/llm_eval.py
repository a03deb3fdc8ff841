"""A whole number for one output, asked for as a form (InstruSum, appendix A.2, prompt 3)."""

from collections.abc import Mapping
from typing import Any

from judges.options import Option
from judges.prompt_texts import fenced
from judges.protocol import SCORE, Asker, Case, CaseQuestion, JudgeProtocol, Parameters, Reading
from judges.reply_parsing import number_in_form

LABEL = "Score"
LONGEST_REPLY = 64


class LlmEval(JudgeProtocol):
    """Scores each output from `low` to `high` by completing a form."""

    key = "llm_eval"
    label = "Score from a form"
    source = "InstruSum, section 3.1 and appendix A.2 (3)"
    unit = "output"
    shape = SCORE
    prompts = ("llm_eval",)
    options = {
        "low": Option("whole", 1, "the lowest score", least=-1000, most=1000),
        "high": Option("whole", 5, "the highest score", least=-1000, most=1000),
    }

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return "" if options["low"] < options["high"] else "The lowest score must be below the highest."

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        low, high = options["low"], options["high"]
        values = {
            "question": case.asked.said,
            "low": str(low),
            "high": str(high),
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "output": fenced("output", case.outputs[0].text),
        }
        reply = asker.ask("llm_eval", values, Parameters(max_tokens=LONGEST_REPLY))
        return Reading(number_in_form(reply.text, LABEL, low, high))


JUDGE_PROTOCOL = LlmEval()
