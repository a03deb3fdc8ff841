"""The probability of Yes to a yes-or-no question about one output (InstruSum, section 3.1 and appendix A.2, prompt 4).

It is not divided by that of Yes and No together.
"""

from collections.abc import Mapping
from typing import Any

from judges.allowed_answers import (
    NO,
    WAY,
    YES,
    asks_yes_or_no,
    by_candidates,
    likelihood_needs,
    probability_by_echo,
    way_of,
)
from judges.prompt_texts import fenced
from judges.protocol import SCORE, Asker, Case, JudgeProtocol, Reading
from llm.capabilities import Needs

TEMPERATURE = 1.0
"""The distribution is the model's own, also on servers that apply the temperature to the log-probabilities."""


class LlmScore(JudgeProtocol):
    """Scores each output from 0 to 1 by p(Yes)."""

    key = "llm_score"
    label = "Probability of Yes"
    source = "InstruSum, section 3.1 and appendix A.2 (4)"
    unit = "output"
    shape = SCORE
    prompts = ("llm_score", "llm_score_aspect")
    options = {"way": WAY}

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return likelihood_needs(options)

    def best_answer(self, case: Case, options: Mapping[str, Any], place: int) -> str:
        return YES

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        question, way = case.asked, way_of(options, asker)
        prompt = "llm_score" if question.judge_text or asks_yes_or_no(question) else "llm_score_aspect"
        values = {
            "question": question.said,
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "output": fenced("output", case.outputs[0].text),
        }
        details = {"way": way, "prompt": prompt}
        if way == "echo":
            probability = probability_by_echo(asker, prompt, values, YES, TEMPERATURE)
            return Reading(probability, distribution={YES: probability}, details=details)
        found = by_candidates(asker, prompt, values, (YES, NO), TEMPERATURE)
        return Reading(
            found.probabilities[YES], distribution=found.probabilities, missing=found.missing, details=details
        )


JUDGE_PROTOCOL = LlmScore()
