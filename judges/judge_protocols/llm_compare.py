"""The better of two outputs, or a tie, after an explanation (InstruSum, appendix A.2, prompt 2)."""

from collections.abc import Mapping
from typing import Any

from judges.choice_words import choice_words, chosen_key
from judges.prompt_texts import fenced, numbered
from judges.protocol import CHOICE, Asker, Case, JudgeProtocol, Parameters, Reading
from judges.reply_forms import SCHEMA, OneOf, ReplyForm, schema_needs
from llm.capabilities import Needs

LONGEST_REPLY = 1024


class LlmCompare(JudgeProtocol):
    """Explains and then chooses between two outputs; the explanation is kept.

    A reply without an explanation before its decision is invalid: the method is to decide after explaining.
    """

    key = "llm_compare"
    label = "Choice after an explanation"
    source = "InstruSum, section 3.1 and appendix A.2 (2)"
    unit = "pair"
    shape = CHOICE
    prompts = ("llm_compare",)
    options = {"schema": SCHEMA}

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        form = ReplyForm(OneOf("Decision", choice_words(case.asked)), explained=True, as_json=options["schema"])
        values = {
            "question": case.asked.said,
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "outputs": numbered(case.outputs),
            "form": form.shown(),
        }
        parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
        word, explanation = form.read(asker.ask("llm_compare", values, parameters))
        return Reading(chosen_key(case.outputs, word), explanation)


JUDGE_PROTOCOL = LlmCompare()
