"""The mean of several samples of a rating (riSum, section 3.3 and figure 7)."""

from collections import Counter
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from judges.allowed_answers import asks_yes_or_no
from judges.options import Option
from judges.prompt_texts import described_answers, fenced, rated_examples, shown_rating
from judges.protocol import (
    SCORE,
    Asker,
    Case,
    CaseQuestion,
    Example,
    ExampleChoice,
    JudgeProtocol,
    Parameters,
    Reading,
    ReplyInvalidError,
)
from judges.reply_parsing import number_in_form, reasoned_number
from llm.requests import Reply

LABEL = "Rating"
LONGEST_RATING, LONGEST_RATIONALE = 64, 512
"""Tokens of a reply."""
NO_VALID_SAMPLE = "no valid sample; most often: {}"
NOTHING_SHOWN = "Without its introduction the prompt needs examples: choose written or random ones."
OTHER_SCALE = "Its examples would be ratings from {:g} to {:g}. Choose this scale for the judge too, or no examples."
NO_SCALE = "It has no scale on which examples could be rated. Choose no examples."


class SelfAgreement(JudgeProtocol):
    """Scores each output by the mean of `n` samples of a whole number from `low` to `high`."""

    key = "self_agreement"
    label = "Mean of several samples"
    source = "riSum, section 3.3 and figure 7"
    unit = "output"
    shape = SCORE
    prompts = ("self_agreement", "self_agreement_why", "self_agreement_no_intro", "self_agreement_no_intro_why")
    options = {
        "n": Option("whole", 7, "how many samples are drawn", least=1, most=50),
        "temperature": Option("number", 0.1, "the temperature of the samples", most=2),
        "intro": Option("yes", True, "whether the prompt describes the task; otherwise it has only the examples"),
        "rationale": Option("yes", False, "whether a rationale is requested before the rating"),
        "examples": Option("choice", "written", "where examples come from", ("written", "random", "none")),
        "shots": Option("whole", 3, "how many examples the prompt gets", least=1, most=20),
        "low": Option("whole", 1, "the lowest rating", least=-1000, most=1000),
        "high": Option("whole", 5, "the highest rating", least=-1000, most=1000),
    }

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        low, high = options["low"], options["high"]
        if low >= high:
            return "The lowest rating must be below the highest."
        if options["examples"] == "none":
            return "" if options["intro"] else NOTHING_SHOWN
        if question.low is None or question.high is None or asks_yes_or_no(question):
            return NO_SCALE
        return "" if (question.low, question.high) == (low, high) else OTHER_SCALE.format(question.low, question.high)

    def most_calls(self, options: Mapping[str, Any]) -> int:
        return int(options["n"])

    def examples(self, options: Mapping[str, Any]) -> ExampleChoice | None:
        return None if options["examples"] == "none" else ExampleChoice(options["examples"], options["shots"])

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        prompt = f"self_agreement{'' if options['intro'] else '_no_intro'}{'_why' if options['rationale'] else ''}"
        parameters = Parameters(
            options["temperature"], max_tokens=LONGEST_RATIONALE if options["rationale"] else LONGEST_RATING
        )
        values = _values(case, options)
        samples = [
            _sample(asker.ask_for_sample(prompt, values, parameters, sample=number), options)
            for number in range(1, options["n"] + 1)
        ]
        valid = [one for one in samples if one["outcome"] == "valid"]
        if not valid:
            reasons = Counter(one.get("reason", one["outcome"]) for one in samples)
            raise ReplyInvalidError(NO_VALID_SAMPLE.format(reasons.most_common(1)[0][0]))
        return Reading(
            fmean(one["value"] for one in valid), valid[0].get("rationale", ""), details={"samples": samples}
        )


def _values(case: Case, options: Mapping[str, Any]) -> dict[str, str]:
    def answer(example: Example) -> str:
        rating = f"{LABEL}: {shown_rating(example.value, case.asked)}"
        return f"Rationale: {example.rationale}\n{rating}" if options["rationale"] and example.rationale else rating

    same_scale = (case.asked.low, case.asked.high) == (options["low"], options["high"])
    return {
        "question": case.asked.said,
        "meanings": described_answers(case.asked) if same_scale else "",
        "low": str(options["low"]),
        "high": str(options["high"]),
        "examples": rated_examples(case.examples, answer),
        "document": fenced("document", case.document),
        "instruction": fenced("instruction", case.instruction),
        "output": fenced("output", case.outputs[0].text),
    }


def _sample(reply: Reply | str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a sample: its outcome, with the value and rationale or the reason."""
    if isinstance(reply, str):
        return {"outcome": reply}
    try:
        if not options["rationale"]:
            return {"outcome": "valid", "value": number_in_form(reply.text, LABEL, options["low"], options["high"])}
        rationale, value = reasoned_number(reply.text, LABEL, options["low"], options["high"])
    except ReplyInvalidError as problem:
        return {"outcome": "invalid", "reason": problem.reason}
    return {"outcome": "valid", "value": value, "rationale": rationale}


JUDGE_PROTOCOL = SelfAgreement()
