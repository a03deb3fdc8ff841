"""The best and the worst of an item's outputs, after an explanation. The prompt is our own."""

from collections.abc import Mapping
from typing import Any

from judges.prompt_texts import fenced, numbered
from judges.protocol import EXTREMES, Asker, Case, CaseQuestion, JudgeProtocol, Parameters, Reading, ReplyInvalidError
from judges.reply_forms import SCHEMA, ReplyForm, TwoPlaces, schema_needs
from llm.capabilities import Needs

LONGEST_REPLY = 1024
ONE_OUTPUT = "fewer than two outputs"
OTHER_QUESTION = "This protocol answers questions for the best and the worst output alone."


class LlmExtremes(JudgeProtocol):
    """Explains, and then names the best and the worst of all outputs by their numbers.

    A reply without an explanation before its answer is invalid, and so is one output as best and as worst.
    """

    key = "llm_extremes"
    label = "Best and worst after an explanation"
    source = "own prompt, in the form of InstruSum, appendix A.2 (1)"
    unit = "item"
    shape = EXTREMES
    prompts = ("llm_extremes",)
    options = {"schema": SCHEMA}

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return "" if question.level == EXTREMES else OTHER_QUESTION

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        count = len(case.outputs)
        if count < 2:
            raise ReplyInvalidError(ONE_OUTPUT)  # no reply could be read: not asked
        form = ReplyForm(TwoPlaces("Best and worst", count), explained=True, as_json=options["schema"])
        values = {
            "question": case.asked.said,
            "count": str(count),
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "outputs": numbered(case.outputs),
            "form": form.shown(),
        }
        parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
        (best, worst), explanation = form.read(asker.ask("llm_extremes", values, parameters))
        keys = [output.key for output in case.outputs]
        return Reading({"best": keys[best - 1], "worst": keys[worst - 1]}, explanation)


JUDGE_PROTOCOL = LlmExtremes()
