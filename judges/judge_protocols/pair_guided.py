"""The better of two outputs by guidelines, with worked examples and a reference (HREF, sections 2.2, 3.2, 5.2 and B.2).

The four prompts of section 5.2 are A: own guidelines, own examples; B: own, other; C: own, none; D: other, other.
"""

from collections.abc import Mapping
from typing import Any

from annotation.questions.preference import TIE
from judges.choice_words import choice_words, chosen_key, word_for
from judges.options import Option
from judges.prompt_texts import fenced, numbered
from judges.protocol import (
    CHOICE,
    Asker,
    Case,
    CaseOutput,
    CaseQuestion,
    Example,
    ExampleChoice,
    JudgeProtocol,
    Parameters,
    Reading,
    ReplyInvalidError,
)
from judges.reply_forms import SCHEMA, OneOf, ReplyForm, schema_needs
from llm.capabilities import Needs

LONGEST_REPLY = 64
WIN, EQUAL, LOSS = "win", "tie", "loss"
POINTS = {WIN: 2, EQUAL: 1, LOSS: 0}
NO_REFERENCE = "the item has no reference"
EXAMPLE_UNUSABLE = "a worked example has no choice between two outputs"
TIES_NEEDED = "Two outputs can do equally well against the reference, so this question must allow ties."


VARIANTS = {("own", "own"): "A", ("own", "other"): "B", ("own", "none"): "C", ("other", "other"): "D"}
"""The prompts of section 5.2 by their guidelines and worked examples."""


class PairGuided(JudgeProtocol):
    """Chooses one of two outputs, or a tie, as guidelines say.

    A reference is context, or it is a candidate: then each output is compared with it, and the output that does better
    against it is chosen; if both do equally well, the choice is a tie. The reference is shown second to both outputs if
    the order shown is that of their keys, and first otherwise: its place favours neither, and varies with the order.
    """

    key = "pair_guided"
    label = "Choice by the annotators' guidelines"
    source = "HREF, sections 2.2, 3.2, 5.2 and appendix B.2"
    unit = "pair"
    shape = CHOICE
    prompts = ("pair_guided", "pair_guided_general", "pair_guided_examples", "pair_guided_reference")
    options = {
        "guidelines": Option("choice", "own", "the guidelines shown: the annotators' or other ones", ("own", "other")),
        "examples": Option(
            "choice", "own", "worked examples: written ones of the study, other ones, or none", ("own", "other", "none")
        ),
        "k": Option("whole", 2, "how many of the study's worked examples are shown", least=1, most=20),
        "reference": Option(
            "choice", "none", "how references are used: not at all, as context, or as a candidate that each output is "
            "compared with", ("none", "context", "candidate"),
        ),
        "both_orders": Option("yes", False, "whether each pair is judged in both orders"),
        "schema": SCHEMA,
    }  # fmt: skip

    def refuses(self, question: CaseQuestion, options: Mapping[str, Any]) -> str:
        return TIES_NEEDED if options["reference"] == "candidate" and not question.takes_ties else ""

    def needs(self, options: Mapping[str, Any]) -> Needs:
        return schema_needs(options)

    def most_calls(self, options: Mapping[str, Any]) -> int:
        return 2 if options["reference"] == "candidate" else 1

    def both_orders(self, options: Mapping[str, Any]) -> bool:
        return bool(options["both_orders"])

    def examples(self, options: Mapping[str, Any]) -> ExampleChoice | None:
        return ExampleChoice("written", options["k"]) if options["examples"] == "own" else None

    def shows_guidelines(self, options: Mapping[str, Any]) -> bool:
        return bool(options["guidelines"] == "own")

    def needs_references(self, options: Mapping[str, Any]) -> bool:
        return bool(options["reference"] != "none")

    def prompt_names(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return those of its prompt files that it uses with these options."""
        used = {
            "pair_guided_general": options["guidelines"] == "other",
            "pair_guided_examples": options["examples"] == "other",
            "pair_guided_reference": options["reference"] == "context",
        }
        return tuple(name for name in self.prompts if used.get(name, True))

    def variant(self, options: Mapping[str, Any]) -> str:
        guidelines, examples = str(options.get("guidelines")), str(options.get("examples"))
        return VARIANTS.get((guidelines, examples), f"{guidelines} guidelines, {examples} examples")

    def best_answer(self, case: Case, options: Mapping[str, Any], place: int) -> str:
        """Return what a reply says if the output at `place` of those shown, from 0, is the better one."""
        if options["reference"] == "candidate":
            return "1" if _reference_second(case) else "2"
        return str(place + 1)

    def judge(self, case: Case, options: Mapping[str, Any], asker: Asker) -> Reading:
        if self.needs_references(options) and not case.references:
            raise ReplyInvalidError(NO_REFERENCE)
        form = ReplyForm(OneOf("Better", choice_words(case.asked)), as_json=options["schema"])
        common = _common_values(case, options, asker, form)
        if options["reference"] == "candidate":
            return _through_reference(case, asker, form, common)
        found = Reading(chosen_key(case.outputs, _asked(asker, form, common, case.outputs)))
        if options["reference"] == "context":
            return Reading(found.value, details={"references": [one.key for one in case.references]})
        return found


def _common_values(case: Case, options: Mapping[str, Any], asker: Asker, form: ReplyForm) -> dict[str, str]:
    """Return the values of the prompt without its outputs."""
    own = options["guidelines"] == "own"
    reference = ""
    if options["reference"] == "context":
        texts = "\n\n".join(fenced("reference", one.text) for one in case.references)
        reference = _part(asker, "pair_guided_reference", {"references": texts})
    return {
        "guidelines": fenced("guidelines", case.guidelines) if own else _part(asker, "pair_guided_general", {}),
        "examples": _examples(case, options, asker, form),
        "question": case.asked.said,
        "document": fenced("document", case.document),
        "instruction": fenced("instruction", case.instruction),
        "reference": reference,
        "form": form.shown(),
    }


def _examples(case: Case, options: Mapping[str, Any], asker: Asker, form: ReplyForm) -> str:
    if options["examples"] == "none":
        return ""
    if options["examples"] == "other":
        return _part(asker, "pair_guided_examples", {"first": form.filled("1"), "second": form.filled("2")})
    return "\n\n".join(fenced(f"example {n}", _example(one, form)) for n, one in enumerate(case.examples, start=1))


def _example(example: Example, form: ReplyForm) -> str:
    word = word_for(example.outputs, example.value)
    if word is None:
        raise ReplyInvalidError(EXAMPLE_UNUSABLE)
    named = (("document", example.document), ("instruction", example.instruction))
    texts = [fenced(name, text) for name, text in named if text.strip()]
    return "\n\n".join([*texts, numbered(example.outputs), *filter(None, [example.rationale]), form.filled(word)])


def _part(asker: Asker, prompt: str, values: Mapping[str, str]) -> str:
    """Return the text of a prompt that is a part of another one."""
    messages, _ = asker.render(prompt, values)
    return "\n\n".join(message.content for message in messages)


def _asked(
    asker: Asker, form: ReplyForm, common: Mapping[str, str], outputs: tuple[CaseOutput, ...], sample: int = 1
) -> str:
    parameters = Parameters(max_tokens=LONGEST_REPLY, schema=form.schema())
    reply = asker.ask("pair_guided", {**common, "outputs": numbered(outputs)}, parameters, sample=sample)
    word, _ = form.read(reply)
    return str(word)


def _reference_second(case: Case) -> bool:
    return case.outputs[0].key < case.outputs[1].key


def _through_reference(case: Case, asker: Asker, form: ReplyForm, common: Mapping[str, str]) -> Reading:
    """Compare each output with the first reference, and choose the output that does better against it."""
    given, comes_second = case.references[0], _reference_second(case)
    reference, results = CaseOutput("", given.text), {}
    for sample, output in enumerate(case.outputs, start=1):
        shown = (output, reference) if comes_second else (reference, output)
        word = _asked(asker, form, common, shown, sample)
        results[output.key] = EQUAL if word == TIE else WIN if chosen_key(shown, word) == output.key else LOSS
    points = [POINTS[results[output.key]] for output in case.outputs]
    value = TIE if points[0] == points[1] else case.outputs[0 if points[0] > points[1] else 1].key
    details = {"reference": given.key, "reference_shown": 2 if comes_second else 1, "against_reference": results}
    return Reading(value, details=details)


JUDGE_PROTOCOL = PairGuided()
