"""How likely a model finds each of the allowed answers, from the log-probabilities in its replies."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llm.requests import Candidate, TokenLogprob

MARKS = {"\u2581": " ", "\u0120": " ", "\u010a": "\n"}
"""How some servers write the blanks in tokens."""
TRANSLATED = str.maketrans(MARKS)
TOO_MUCH = 1.01
"""A sum of probabilities above this is no rounding."""


class NoLikelihoodError(ValueError):
    """The log-probabilities say nothing about the allowed answers; the message says why."""


@dataclass(frozen=True)
class AnswerLikelihoods:
    """The probability of each allowed answer, and of everything else (`missing`)."""

    probabilities: Mapping[str, float]
    missing: float = 0.0

    def normalised(self) -> dict[str, float]:
        """Return the probabilities of the allowed answers, divided by their sum."""
        whole = math.fsum(self.probabilities.values())
        return {answer: probability / whole for answer, probability in self.probabilities.items()}


def plain(token: str) -> str:
    """Return a token's text with ordinary blanks."""
    return token.translate(TRANSLATED)


def likelihoods_of_candidates(first: TokenLogprob, allowed: Sequence[str]) -> AnswerLikelihoods:
    """Return the likelihoods from the candidates for the first token of an answer.

    Candidates that are the same answer without blanks around it and without regard to case count together. An allowed
    answer that is not among the candidates counts 0. Raises NoLikelihoodError if none is.
    """
    answers = _keys(allowed)
    found: dict[str, list[float]] = {answer: [] for answer in allowed}
    for candidate in candidates_of(first):
        answer = answers.get(_key(candidate.token))
        if answer is not None:
            found[answer].append(math.exp(candidate.logprob))
    probabilities = {answer: math.fsum(parts) for answer, parts in found.items()}
    whole = math.fsum(probabilities.values())
    if not any(found.values()):
        raise NoLikelihoodError(f"none of the candidates for the first token is one of {', '.join(allowed)}")
    if not whole:
        raise NoLikelihoodError("the allowed answers are so unlikely that their probabilities are 0")
    if whole > TOO_MUCH:
        raise NoLikelihoodError(f"the probabilities of the candidates add up to {whole:.2f}")
    return AnswerLikelihoods(probabilities, max(0.0, 1.0 - whole))


def candidates_of(first: TokenLogprob) -> tuple[Candidate, ...]:
    """Return the candidates for a token, among them the token itself, which need not be one of the most likely."""
    if any(one.token == first.token for one in first.top):
        return first.top
    return (*first.top, Candidate(first.token, first.logprob))


def likelihoods_of_continuations(
    replies: Mapping[str, Sequence[TokenLogprob]], continuations: Mapping[str, str]
) -> AnswerLikelihoods:
    """Return the likelihoods from the last tokens of each answer's echo; `continuations` are the texts appended.

    A prompt's last letters and an answer's first may be one token. Then the sums of all answers begin with the token
    at the same place of the prompt, so that they stay comparable. Raises NoLikelihoodError if there is no such place.
    """
    _keys(list(replies))
    starts = {answer: _starts(tokens, len(continuations[answer])) for answer, tokens in replies.items()}
    common = sorted(set.intersection(*(set(one) for one in starts.values())))
    place = next((one for one in common if _same_before(replies, starts, one)), None)
    if place is None:
        raise NoLikelihoodError("the tokens of the answers begin at different places of the prompt")
    sums = {
        answer: math.fsum(one.logprob for one in tokens[starts[answer][place] :]) for answer, tokens in replies.items()
    }
    highest = max(sums.values())
    weights = {answer: math.exp(logprob - highest) for answer, logprob in sums.items()}
    whole = math.fsum(weights.values())
    return AnswerLikelihoods({answer: weight / whole for answer, weight in weights.items()})


def likelihood_of_continuation(tokens: Sequence[TokenLogprob], continuation: str) -> float:
    """Return the probability of a text after a prompt, from the last tokens of its echo.

    Raises NoLikelihoodError if no token begins where the text does: then the sum would count some of the prompt.
    """
    place = _starts(tokens, len(continuation)).get(0)
    if place is None:
        raise NoLikelihoodError("no token begins where the answer does")
    return math.exp(math.fsum(one.logprob for one in tokens[place:]))


def _same_before(
    replies: Mapping[str, Sequence[TokenLogprob]], starts: Mapping[str, Mapping[int, int]], place: int
) -> bool:
    """Return whether the known tokens before a place are the same for all answers."""
    before = [[one.token for one in tokens[: starts[answer][place]]] for answer, tokens in replies.items()]
    known = min(len(one) for one in before)
    return len({tuple(one[len(one) - known :]) for one in before}) == 1


def _starts(tokens: Sequence[TokenLogprob], length: int) -> dict[int, int]:
    """Return the index of each token that begins in the prompt or where it ends, by its letters before that end."""
    found, left = {}, sum(len(plain(one.token)) for one in tokens) - length
    for index, one in enumerate(tokens):
        if left < 0:
            break
        found[left] = index
        left -= len(plain(one.token))
    return found


def _keys(allowed: Sequence[str]) -> dict[str, str]:
    """Return the allowed answers by what tells them apart. Raises ValueError if two are the same, or there is none."""
    keys = {_key(answer): answer for answer in allowed}
    if not keys or len(keys) < len(allowed) or "" in keys:
        raise ValueError("Allowed answers must differ in more than blanks and case, and none may be blank.")
    return keys


def _key(text: str) -> str:
    return plain(text).strip().casefold()
