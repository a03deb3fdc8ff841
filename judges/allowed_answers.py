"""The answers of one token that a question allows, and how likely a model finds each of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from judges.options import Option
from judges.protocol import Asker, CaseQuestion, Parameters, ReplyInvalidError
from llm.answer_likelihood import (
    AnswerLikelihoods,
    NoLikelihoodError,
    likelihood_of_continuation,
    likelihoods_of_candidates,
    likelihoods_of_continuations,
)
from llm.capabilities import Needs
from llm.requests import TokenLogprob

YES, NO = "Yes", "No"
YES_OR_NO = frozenset({"true", "false"})
ONE_TOKEN = range(10)
"""Numbers of one digit, which are one token for every model; the first token of 10 may be that of 1."""
LEAST_CANDIDATES, MOST_CANDIDATES = 2, 20
NO_LOGPROBS = "no log-probabilities"
WAY = Option(
    "choice", "auto",
    "how likelihoods are read: by echo of each answer, or from the candidates for the first token; auto takes echo if "
    "the model can",
    ("auto", "echo", "candidates"),
)  # fmt: skip


def asks_yes_or_no(question: CaseQuestion) -> bool:
    """Return whether people answer a question by yes or no."""
    return set(question.choices) == YES_OR_NO


def allowed_answers(question: CaseQuestion) -> dict[str, float]:
    """Return {answer: its number}: Yes and No as 1 and 0, or each step of a scale of 2 to 10 steps of one digit.

    The dictionary is empty if the question has neither.
    """
    if asks_yes_or_no(question):
        return {YES: 1.0, NO: 0.0}
    if question.low is None or question.high is None or len(question.choices) < LEAST_CANDIDATES:
        return {}
    steps = range(int(question.low), int(question.high) + 1)
    if list(question.choices) != [str(step) for step in steps] or not all(step in ONE_TOKEN for step in steps):
        return {}
    return {str(step): float(step) for step in steps}


def way_of(options: Mapping[str, Any], asker: Asker) -> str:
    """Return how likelihoods are read, `echo` or `candidates`, from the option WAY and what the model can do."""
    if options["way"] != "auto":
        return str(options["way"])
    return "echo" if asker.abilities.echo else "candidates"


def likelihood_needs(options: Mapping[str, Any]) -> Needs:
    """Return what a model must be able to do for the option WAY."""
    if options["way"] == "echo":
        return Needs(echo=True)
    if options["way"] == "candidates":
        return Needs(logprobs=LEAST_CANDIDATES)
    return Needs(logprobs_or_echo=LEAST_CANDIDATES)


def by_candidates(
    asker: Asker, prompt: str, values: Mapping[str, str], allowed: Sequence[str], temperature: float
) -> AnswerLikelihoods:
    """Ask for one token and return the likelihoods that its candidates give. Raises ReplyInvalidError and CallError.

    As many candidates are requested as the model names, because an answer may be spelled in several ways.
    """
    count = min(max(asker.abilities.candidates, LEAST_CANDIDATES), MOST_CANDIDATES)
    parameters = Parameters(temperature=temperature, max_tokens=1, top_logprobs=count)
    reply = asker.ask(prompt, values, parameters)
    try:
        return likelihoods_of_candidates(_tokens(reply.logprobs)[0], allowed)
    except NoLikelihoodError as problem:
        raise ReplyInvalidError(str(problem)) from None


def by_echo(
    asker: Asker, prompt: str, values: Mapping[str, str], allowed: Sequence[str], temperature: float
) -> AnswerLikelihoods:
    """Return the likelihoods of the allowed answers, each appended to the prompt in a call of its own.

    They add up to 1. Raises ReplyInvalidError and CallError.
    """
    echoed = {one: _echo(asker, prompt, values, one, temperature) for one in allowed}
    try:
        return likelihoods_of_continuations(echoed, {one: _continued(one) for one in allowed})
    except NoLikelihoodError as problem:
        raise ReplyInvalidError(str(problem)) from None


def probability_by_echo(asker: Asker, prompt: str, values: Mapping[str, str], answer: str, temperature: float) -> float:
    """Return the probability of one answer after the prompt, in one call. Raises ReplyInvalidError and CallError."""
    try:
        return likelihood_of_continuation(_echo(asker, prompt, values, answer, temperature), _continued(answer))
    except NoLikelihoodError as problem:
        raise ReplyInvalidError(str(problem)) from None


def _echo(
    asker: Asker, prompt: str, values: Mapping[str, str], answer: str, temperature: float
) -> tuple[TokenLogprob, ...]:
    messages, reference = asker.render(prompt, values)
    parameters = Parameters(temperature=temperature, continuation=_continued(answer))
    return _tokens(asker.send(messages, reference, parameters, f"{prompt}_{answer}").logprobs)


def _continued(answer: str) -> str:
    """Return an answer as it follows `Answer:` at the end of a prompt."""
    return f" {answer}"


def _tokens(logprobs: tuple[TokenLogprob, ...] | None) -> tuple[TokenLogprob, ...]:
    if not logprobs:
        raise ReplyInvalidError(NO_LOGPROBS)
    return logprobs
