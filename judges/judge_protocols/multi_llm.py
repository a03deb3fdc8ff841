"""Several instances of a model rate an output, read each other's reasons and rate again (riSum, section 3.3, figure 8).

What the source leaves open is decided here. An agent whose reply cannot be read has no rating in that round; the others
are told so, and the rounds go on. A repeat ends early only when all agents have the same rating. Its outcome and value
come from its last round: `unanimous` if all agents gave the same rating; `majority` if more than half did, whose rating
is the value; otherwise `disagreement`, and the value is the mean of the round's ratings. A repeat counts if more than
half of the agents gave a rating in its last round. The judgment's value is the mean of the repeats that count, its
outcome the one that most of them have, and of equally frequent ones the one with less agreement.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from judges.options import Option
from judges.prompt_texts import described_answers, fenced
from judges.protocol import (
    SCORE,
    Asker,
    Case,
    CaseQuestion,
    JudgeProtocol,
    Parameters,
    Reading,
    ReplyInvalidError,
)
from judges.reply_parsing import reasoned_number
from llm.requests import Reply

LABEL = "Rating"
LONGEST_REPLY = 256
"""Tokens of a reply."""
DISAGREEMENT, MAJORITY, UNANIMOUS = OUTCOMES = ("disagreement", "majority", "unanimous")
"""From the least agreement to the most."""
NO_REPEAT = "no repeat with ratings of most agents; most often: {}"
UNREADABLE = "This agent gave no rating that could be read."


@dataclass(frozen=True)
class Statement:
    """An agent's reply in a round: its rating with the rationale, or the outcome and reason of an unusable reply."""

    agent: int
    rating: int | None = None
    rationale: str = ""
    outcome: str = "valid"
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.rating is not None:
            return {"agent": self.agent, "rating": self.rating, "rationale": self.rationale}
        return {"agent": self.agent, "outcome": self.outcome, **({"reason": self.reason} if self.reason else {})}

    def for_others(self) -> str:
        said = UNREADABLE if self.rating is None else f"{self.rationale}\n{LABEL}: {self.rating}"
        return fenced(f"agent {self.agent}", said)


Round = Sequence[Statement]


class MultiLlm(JudgeProtocol):
    """Scores each output by what several agents agree on, or nearly so, in up to `rounds` rounds."""

    key = "multi_llm"
    label = "Several agents in rounds"
    source = "riSum, section 3.3 and figure 8"
    unit = "output"
    shape = SCORE
    prompts = ("multi_llm", "multi_llm_later")
    options = {
        "agents": Option("whole", 3, "how many agents rate", least=2, most=9),
        "rounds": Option("whole", 3, "how many rounds there are at most", least=1, most=9),
        "repeats": Option("whole", 3, "how often the whole is repeated for one judgment", least=1, most=20),
        "temperature": Option("number", 0.1, "the temperature of the replies", most=2),
        "low": Option("whole", 1, "the lowest rating", least=-1000, most=1000),
        "high": Option("whole", 5, "the highest rating", least=-1000, most=1000),
    }

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return "" if options["low"] < options["high"] else "The lowest rating must be below the highest."

    def most_calls(self, options: Mapping[str, Any]) -> int:
        return int(options["agents"] * options["rounds"] * options["repeats"])

    def more_tokens_in(self, options: Mapping[str, Any]) -> int:
        """Return what the longest replies of all earlier rounds add to the prompts of the later ones."""
        agents, rounds = options["agents"], options["rounds"]
        return options["repeats"] * sum(agents * earlier * agents * LONGEST_REPLY for earlier in range(1, rounds))

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        values = _values(case, options)
        repeats = [_rounds(asker, values, options, number) for number in range(1, options["repeats"] + 1)]
        results = [_result(rounds[-1]) for rounds in repeats]
        counted = [one for one in results if one is not None]
        if not counted:
            raise ReplyInvalidError(NO_REPEAT.format(_frequent_failure(repeats)))
        return Reading(
            fmean(value for value, _ in counted), outcome=_frequent_outcome([outcome for _, outcome in counted]),
            details={"repeats": [_kept(*one) for one in zip(repeats, results, strict=True)]},
        )  # fmt: skip


def _values(case: Case, options: Mapping[str, Any]) -> dict[str, str]:
    same_scale = (case.asked.low, case.asked.high) == (options["low"], options["high"])
    return {
        "question": case.asked.said,
        "meanings": described_answers(case.asked) if same_scale else "",
        "agents": str(options["agents"]),
        "rounds": str(options["rounds"]),
        "low": str(options["low"]),
        "high": str(options["high"]),
        "document": fenced("document", case.document),
        "instruction": fenced("instruction", case.instruction),
        "output": fenced("output", case.outputs[0].text),
    }


def _rounds(asker: Asker, values: Mapping[str, str], options: Mapping[str, Any], repeat: int) -> list[Round]:
    """Return the rounds of one repeat: at most `rounds`, fewer if all agents agree before."""
    found: list[Round] = []
    parameters = Parameters(options["temperature"], max_tokens=LONGEST_REPLY)
    for number in range(1, options["rounds"] + 1):
        prompt = "multi_llm_later" if found else "multi_llm"
        said = {**values, "round": str(number), "discussion": _discussion(found)}
        found.append([
            _statement(agent, asker.ask_for_sample(
                prompt, {**said, "agent": str(agent)}, parameters, sample=repeat, agent=agent, round=number
            ), options)
            for agent in range(1, options["agents"] + 1)
        ])  # fmt: skip
        if _result(found[-1], whole=True) is not None:
            break
    return found


def _discussion(rounds: Sequence[Round]) -> str:
    """Return all ratings and rationales so far, round by round."""
    return "\n\n".join(
        "\n\n".join([f"Round {number}:", *(one.for_others() for one in statements)])
        for number, statements in enumerate(rounds, start=1)
    )


def _statement(agent: int, reply: Reply | str, options: Mapping[str, Any]) -> Statement:
    if isinstance(reply, str):
        return Statement(agent, outcome=reply)
    try:
        rationale, rating = reasoned_number(reply.text, LABEL, options["low"], options["high"])
    except ReplyInvalidError as problem:
        return Statement(agent, outcome="invalid", reason=problem.reason)
    return Statement(agent, rating, rationale)


def _result(statements: Round, *, whole: bool = False) -> tuple[float, str] | None:
    """Return a round's value and outcome, or None if half of the agents or more gave no rating.

    With `whole` return None unless the outcome is unanimous.
    """
    ratings = [one.rating for one in statements if one.rating is not None]
    if 2 * len(ratings) <= len(statements):
        return None
    _, count = Counter(ratings).most_common(1)[0]
    if count == len(statements):
        return ratings[0], UNANIMOUS
    if whole:
        return None
    return fmean(ratings), MAJORITY if 2 * count > len(statements) else DISAGREEMENT


def _frequent_outcome(outcomes: Sequence[str]) -> str:
    """Return the most frequent outcome, of equally frequent ones the one with less agreement."""
    return max(OUTCOMES, key=outcomes.count)


def _frequent_failure(repeats: Sequence[Sequence[Round]]) -> str:
    failed = [one for rounds in repeats for one in rounds[-1] if one.rating is None]
    return Counter(one.reason or one.outcome for one in failed).most_common(1)[0][0]


def _kept(rounds: Sequence[Round], result: tuple[float, str] | None) -> dict[str, Any]:
    said = {} if result is None else {"value": result[0], "outcome": result[1]}
    return {**said, "rounds": [[one.as_json() for one in statements] for statements in rounds]}


JUDGE_PROTOCOL = MultiLlm()
