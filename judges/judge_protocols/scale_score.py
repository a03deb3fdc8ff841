"""A number on the question's own scale for one output, for sliders and other scales. The prompt is our own."""

from collections.abc import Mapping
from typing import Any

from judges.prompt_texts import fenced
from judges.protocol import SCORE, Asker, Case, CaseQuestion, JudgeProtocol, Parameters, Reading
from judges.reply_forms import SCHEMA, NumberOnScale, ReplyForm, schema_needs
from llm.capabilities import Needs

LONGEST_REPLY = 64
NO_SCALE = "This protocol scores on the question's own scale, and the question has none."


class ScaleScore(JudgeProtocol):
    """Scores each output by any number between the ends of the question's scale, decimals included."""

    key = "scale_score"
    label = "Score on the question's own scale"
    source = "own prompt, in the form of InstruSum, appendix A.2 (3)"
    unit = "output"
    shape = SCORE
    prompts = ("scale_score",)
    options = {"schema": SCHEMA}

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return NO_SCALE if question.low is None or question.high is None else ""

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        low, high = case.asked.low, case.asked.high
        assert low is not None  # `refuses` has said so
        assert high is not None
        answer = NumberOnScale("Score", low, high)
        form = ReplyForm(answer, as_json=options["schema"])
        values = {
            "question": case.asked.said,
            "low": f"{low:g}",
            "high": f"{high:g}",
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "output": fenced("output", case.outputs[0].text),
            "form": form.shown(),
        }
        parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
        score, _ = form.read(asker.ask("scale_score", values, parameters))
        return Reading(score)


JUDGE_PROTOCOL = ScaleScore()
