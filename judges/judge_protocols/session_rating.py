"""A rating of a turn: did the new answer follow the instruction (KIWI, section 5 and appendix A.5)?"""

from collections.abc import Mapping, Sequence
from typing import Any

from judges.label_parsing import read_label
from judges.options import Option
from judges.prompt_texts import fenced
from judges.protocol import (
    LABEL,
    Asker,
    Case,
    CaseQuestion,
    CaseTurn,
    Example,
    ExampleChoice,
    JudgeProtocol,
    Parameters,
    Reading,
)
from judges.turn_ratings import LABELS, THREE_WAY, TWO_WAY, rating_among
from judges.turn_split import SPLIT_OPTIONS, TurnSplit

REPLY_LABEL = "Rating"
LONGEST_REPLY = 32
MOST_EXAMPLES = 50
PROMPTS: Mapping[str, str] = {TWO_WAY: "session_rating", THREE_WAY: "session_rating_three"}


class SessionRating(JudgeProtocol):
    """Rates each turn as good or bad, or as good, neutral or bad, perhaps after similar turns with their ratings."""

    key = "session_rating"
    label = "Rating of a turn"
    source = "KIWI, section 5 and appendix A.5"
    unit = "turn"
    shape = LABEL
    prompts = tuple(PROMPTS.values())
    options = {
        "ratings": Option(
            "choice", TWO_WAY, "good or bad, where neutral counts as bad, or all three", choices=tuple(PROMPTS)
        ),
        "examples": Option("whole", 0, "how many similar training turns the prompt shows", most=MOST_EXAMPLES),
        "test_only": Option("yes", False, "without examples, judge only the test part, as with examples"),
        **SPLIT_OPTIONS,
    }

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        if not set(LABELS[options["ratings"]]) <= set(question.choices):
            return f"The question must have {', '.join(LABELS[options['ratings']])} among its choices."
        if options["training"] + options["validation"] >= 1:
            return "The shares for training and validation must leave something for the test part."
        return ""

    def prompt_names(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        return (PROMPTS[options["ratings"]],)

    def examples(self, options: Mapping[str, Any]) -> ExampleChoice | None:
        if not options["examples"] and not options["test_only"]:
            return None
        return ExampleChoice("turns", options["examples"], TurnSplit.of(options))

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        labels = LABELS[options["ratings"]]
        shown = [_example(place, one, labels) for place, one in enumerate(case.examples, start=1)]
        values = {**_texts(case.judged_turn), "examples": "\n\n".join(shown)}
        reply = asker.ask(PROMPTS[options["ratings"]], values, Parameters(max_tokens=LONGEST_REPLY))
        return Reading(read_label(reply.text, REPLY_LABEL, labels))


def _texts(turn: CaseTurn) -> dict[str, str]:
    return {
        "question": fenced("question", turn.question),
        "previous_answer": fenced("previous answer", turn.previous_answer),
        "instruction": fenced("instruction", turn.instruction),
        "answer": fenced("updated answer", turn.answer),
    }


def _example(place: int, example: Example, labels: Sequence[str]) -> str:
    """Return an example for the prompt; where there are two ratings, a neutral turn is a bad one."""
    if example.turn is None:
        raise TypeError("An example of this protocol is a turn.")
    rating = rating_among(example.value, labels)
    return "\n\n".join((f"Example {place}:", *_texts(example.turn).values(), f"Its rating is {rating}."))


JUDGE_PROTOCOL = SessionRating()
