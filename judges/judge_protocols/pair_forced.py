"""The better of two outputs in both orders, without ties and reasons (InstruSum, appendix I.1)."""

from collections.abc import Mapping
from typing import Any

from judges.options import Option
from judges.prompt_texts import fenced
from judges.protocol import CHOICE, Asker, Case, JudgeProtocol, Parameters, Reading
from judges.reply_forms import SCHEMA, OneOf, ReplyForm, schema_needs
from llm.capabilities import Needs

NAMES = ("Output (a)", "Output (b)")
LONGEST_REPLY = 64


class PairForced(JudgeProtocol):
    """Chooses one of two outputs, once in each order. Document and instruction are one text, as one instruction.

    The paper's prompt names no dimension, so ours names the question only if the option `aspect` says so.
    """

    key = "pair_forced"
    label = "Forced choice in both orders"
    source = "InstruSum, appendix I.1"
    unit = "pair"
    shape = CHOICE
    prompts = ("pair_forced",)
    options = {
        "aspect": Option("yes", False, "whether the prompt names the question, which the source's does not"),
        "schema": SCHEMA,
    }

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def both_orders(self, options: Mapping[str, Any]) -> bool:
        return True

    def best_answer(self, case: Case, options: Mapping[str, Any], place: int) -> str:
        """Return what a reply says if the output at `place` of those shown, from 0, is the better one."""
        return NAMES[place]

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        form = ReplyForm(OneOf("", NAMES), as_json=options["schema"])
        parts = [case.document, case.instruction]
        first, second = case.outputs
        values = {
            "instruction": fenced("instruction", "\n\n".join(part for part in parts if part.strip())),
            "output_a": fenced(NAMES[0], first.text),
            "output_b": fenced(NAMES[1], second.text),
            "aspect": case.asked.said if options["aspect"] else "",
            "form": form.shown(),
        }
        parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
        name, _ = form.read(asker.ask("pair_forced", values, parameters))
        return Reading(case.outputs[NAMES.index(name)].key)


JUDGE_PROTOCOL = PairForced()
