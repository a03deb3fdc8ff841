"""A rank for each of an item's outputs, after an explanation (InstruSum, appendix A.2, prompt 1)."""

from collections.abc import Mapping
from typing import Any

from judges.prompt_texts import fenced, numbered
from judges.protocol import RANKING, Asker, Case, JudgeProtocol, Parameters, Reading, ReplyInvalidError
from judges.reply_forms import RANK_TIE, SCHEMA, Ranks, ReplyForm, schema_needs
from llm.capabilities import Needs

LONGEST_REPLY = 2048


class LlmRank(JudgeProtocol):
    """Explains and then ranks all outputs at once; 1 is best, and after a tie comes the next number.

    A reply without an explanation before its ranks is invalid, as are missing, surplus and gapped ranks.
    """

    key = "llm_rank"
    label = "Ranks after an explanation"
    source = "InstruSum, section 3.1 and appendix A.2 (1)"
    unit = "item"
    shape = RANKING
    prompts = ("llm_rank",)
    options = {"schema": SCHEMA}

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        count, question = len(case.outputs), case.asked
        most = min(count, question.ranks or count)
        if most < count and not question.takes_ties:
            raise ReplyInvalidError(RANK_TIE)  # no reply could be read: not asked
        form = ReplyForm(Ranks("Ranks", count, most, question.takes_ties), explained=True, as_json=options["schema"])
        values = {
            "question": question.said,
            "count": str(count),
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "outputs": numbered(case.outputs),
            "form": form.shown(),
        }
        parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
        ranks, explanation = form.read(asker.ask("llm_rank", values, parameters))
        return Reading({output.key: rank for output, rank in zip(case.outputs, ranks, strict=True)}, explanation)


JUDGE_PROTOCOL = LlmRank()
