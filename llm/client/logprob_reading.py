"""Reads the log-probabilities of a reply strictly, in the forms of both APIs."""

import math
from typing import Any

from config.text_validation import with_escapes
from llm.answer_likelihood import plain
from llm.requests import Candidate, TokenLogprob

KEPT_BEFORE = 8
"""Tokens kept before a continuation: where tokens begin near its start may depend on it."""
ROUNDING = 1e-6
"""How far a logarithm may be above 0."""


class UnusableReplyError(ValueError):
    """The response is not a usable reply; the message says why."""


def expect(kind: type[Any], value: Any, place: str) -> Any:
    """Return `value` if it is of this type. Raises UnusableReplyError."""
    if not isinstance(value, kind):
        raise UnusableReplyError(f"{place} is of the wrong type or missing")
    return value


def optional(kind: type[Any], value: Any, place: str) -> Any:
    """Return None, or `value` if it is of this type. Raises UnusableReplyError."""
    return None if value is None else expect(kind, value, place)


def as_entries(given: Any) -> list[Any]:
    """Return log-probabilities as a list of entries as in chat replies. Raises UnusableReplyError.

    Completions have lists of tokens, of their log-probabilities and of mappings from candidates to theirs.
    """
    found = expect(dict, given, "the list of log-probabilities")
    if found.get("content") is not None:
        return expect(list, found["content"], "the list of log-probabilities")
    tokens = expect(list, found.get("tokens"), "the list of log-probabilities (`content` or `tokens`)")
    logprobs = expect(list, found.get("token_logprobs"), "the list `token_logprobs`")
    tops = optional(list, found.get("top_logprobs"), "the list `top_logprobs`") or [None] * len(tokens)
    if not len(tokens) == len(logprobs) == len(tops):
        raise UnusableReplyError("the lists of its log-probabilities differ in length")
    return [
        {"token": token, "logprob": logprob, "top_logprobs": _entries(top)}
        for token, logprob, top in zip(tokens, logprobs, tops, strict=True)
    ]


def _entries(top: Any) -> Any:
    """Return a mapping of candidates as a list of entries; a list, as some servers send, is left as it is."""
    return [{"token": token, "logprob": logprob} for token, logprob in top.items()] if isinstance(top, dict) else top


def generated(given: Any, *, candidates: bool) -> tuple[TokenLogprob, ...]:
    """Return the log-probabilities of generated tokens. Raises UnusableReplyError.

    With `candidates` the first token must have some.
    """
    tokens = tuple(_token(one) for one in as_entries(given))
    if not tokens:
        raise UnusableReplyError("the list of log-probabilities is empty")
    if candidates and not tokens[0].top:
        raise UnusableReplyError("its first token has no candidates with log-probabilities")
    return tokens


def tokens_of_answer(tokens: tuple[TokenLogprob, ...], answer: str) -> tuple[TokenLogprob, ...]:
    """Return the tokens from the answer's first one on: those before it are thinking. Raises UnusableReplyError."""
    start = "".join(one.token for one in tokens).rfind(answer)
    if start < 0:
        raise UnusableReplyError("its log-probabilities are not those of its answer")
    length = 0
    for place, one in enumerate(tokens):
        length += len(one.token)
        if answer and length > start:
            return tokens[place:]
    return ()


def last_tokens(given: Any, continuation: str) -> tuple[TokenLogprob, ...]:
    """Return the tokens at the end that spell `continuation`, and a few before them. Raises UnusableReplyError."""
    entries, length, count = as_entries(given), 0, 0
    while length < len(continuation) and count < len(entries):
        count += 1
        length += len(plain(_text(expect(dict, entries[-count], "a log-probability"))))
    kept = entries[-(count + KEPT_BEFORE) :]
    while len(kept) > count and isinstance(kept[0], dict) and kept[0].get("logprob") is None:
        kept = kept[1:]  # nothing comes before the first token of a text, so it has no log-probability
    tokens = tuple(TokenLogprob(*_candidate(one)) for one in kept)
    if not plain("".join(one.token for one in tokens[-count:])).endswith(plain(continuation)):
        raise UnusableReplyError("the tokens at its end do not spell the text that was appended")
    return tokens


def _token(given: Any) -> TokenLogprob:
    token, logprob = _candidate(given)
    others = optional(list, given.get("top_logprobs"), "the candidates for a token") or []
    return TokenLogprob(token, logprob, tuple(Candidate(*_candidate(one)) for one in others))


def _candidate(given: Any) -> tuple[str, float]:
    entry = expect(dict, given, "a log-probability")
    logprob = entry.get("logprob")
    if isinstance(logprob, bool) or not isinstance(logprob, int | float) or logprob > ROUNDING:
        raise UnusableReplyError("a log-probability is not a number, or is above 0")
    if logprob < -1e300 or not math.isfinite(logprob):
        raise UnusableReplyError("a log-probability is not finite")
    return with_escapes(_text(entry)), min(float(logprob), 0.0)


def _text(entry: dict[str, Any]) -> str:
    """Return the text of a token: of its bytes if they are a text, because names of tokens differ between servers."""
    token: str = expect(str, entry.get("token"), "a token")
    given = optional(list, entry.get("bytes"), "the bytes of a token")
    if not given:
        return token
    if not all(type(one) is int and 0 <= one <= 255 for one in given):
        raise UnusableReplyError("the bytes of a token are not bytes")
    try:
        return bytes(given).decode()
    except UnicodeDecodeError:
        return token
