"""The expected answer under the model's own distribution over the allowed answers (riSum, section 3.3, figure 9)."""

from collections.abc import Mapping
from math import fsum
from typing import Any

from judges.allowed_answers import (
    WAY,
    YES,
    allowed_answers,
    asks_yes_or_no,
    by_candidates,
    by_echo,
    likelihood_needs,
    way_of,
)
from judges.options import Option
from judges.prompt_texts import described_answers, fenced, rated_examples, shown_rating
from judges.protocol import SCORE, Asker, Case, CaseQuestion, ExampleChoice, JudgeProtocol, Reading
from llm.capabilities import Needs

TEMPERATURE = 1.0
"""The source's: the distribution is the model's own."""
MOST_ANSWERS = 10
UNFIT = (
    "Only yes-or-no questions and scales with 2 to 10 steps of one digit have answers of one token, whose likelihoods "
    "this protocol compares."
)


class ConstrainedSoftmax(JudgeProtocol):
    """Scores each output by the expectation over Yes (1) and No (0), or over the steps of the question's scale."""

    key = "constrained_softmax"
    label = "Expected answer from likelihoods"
    source = "riSum, section 3.3 and figure 9"
    unit = "output"
    shape = SCORE
    prompts = ("constrained_softmax",)
    options = {
        "way": WAY,
        "shots": Option("whole", 0, "how many examples the prompt gets", most=20),
        "examples": Option("choice", "written", "where examples come from", ("written", "random")),
    }

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return "" if allowed_answers(question) else UNFIT

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return likelihood_needs(options)

    def most_calls(self, options: Mapping[str, Any]) -> int:
        return 1 if options["way"] == "candidates" else MOST_ANSWERS

    def examples(self, options: Mapping[str, Any]) -> ExampleChoice | None:
        return ExampleChoice(options["examples"], options["shots"]) if options["shots"] else None

    def best_answer(self, case: Case, options: Mapping[str, Any], place: int) -> str:
        return YES if asks_yes_or_no(case.asked) else super().best_answer(case, options, place)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        numbers, way = allowed_answers(case.asked), way_of(options, asker)
        values = {
            "question": case.asked.said,
            "answers": " | ".join(numbers),
            "meanings": described_answers(case.asked),
            "examples": rated_examples(case.examples, lambda one: f"Answer: {shown_rating(one.value, case.asked)}"),
            "document": fenced("document", case.document),
            "instruction": fenced("instruction", case.instruction),
            "output": fenced("output", case.outputs[0].text),
        }
        ask = by_echo if way == "echo" else by_candidates
        found = ask(asker, "constrained_softmax", values, tuple(numbers), TEMPERATURE)
        shares = found.normalised()
        return Reading(
            fsum(number * shares[answer] for answer, number in numbers.items()), distribution=shares,
            missing=None if way == "echo" else found.missing, details={"way": way},
        )  # fmt: skip


JUDGE_PROTOCOL = ConstrainedSoftmax()
