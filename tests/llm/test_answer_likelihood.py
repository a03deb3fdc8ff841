"""The likelihoods of allowed answers add up, from candidates for the first token and from echoed texts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.answer_likelihood import (
    NoLikelihoodError,
    likelihood_of_continuation,
    likelihoods_of_candidates,
    likelihoods_of_continuations,
)
from llm.requests import Candidate, TokenLogprob

YES_NO = ("Yes", "No")


def first(*candidates, token=None):
    """A first token with these (text, probability); the first one is the token itself."""
    top = tuple(Candidate(text, math.log(share)) for text, share in candidates)
    return TokenLogprob(token or top[0].token, top[0].logprob, top)


def tokens(*parts):
    """Tokens with these (text, log-probability)."""
    return tuple(TokenLogprob(text, logprob) for text, logprob in parts)


def test_candidates_that_are_the_same_answer_count_together():
    found = likelihoods_of_candidates(
        first(("Yes", 0.4), (" yes", 0.2), ("\u2581YES", 0.05), ("\u0120No", 0.1), ("Maybe", 0.15), ("Yes.", 0.05)),
        YES_NO,
    )
    assert found.probabilities == pytest.approx({"Yes": 0.65, "No": 0.1})
    assert found.missing == pytest.approx(0.25)
    assert found.normalised() == pytest.approx({"Yes": 0.65 / 0.75, "No": 0.1 / 0.75})


def test_an_allowed_answer_that_is_not_listed_counts_nothing():
    found = likelihoods_of_candidates(first(("4", 0.5), ("5", 0.25)), ("1", "2", "3", "4", "5"))
    assert found.probabilities == pytest.approx({"1": 0, "2": 0, "3": 0, "4": 0.5, "5": 0.25})
    assert found.missing == pytest.approx(0.25)


def test_the_token_itself_counts_once_whether_it_is_listed_or_not():
    listed = likelihoods_of_candidates(first(("Yes", 0.6), ("No", 0.3)), YES_NO)
    unlisted = TokenLogprob("No", math.log(0.3), (Candidate("Yes", math.log(0.6)),))
    assert likelihoods_of_candidates(unlisted, YES_NO) == listed
    assert likelihoods_of_candidates(TokenLogprob("No", 0.0), YES_NO).probabilities == {"Yes": 0, "No": 1}


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        (first(("Maybe", 0.9), ("\n", 0.1)), "none of the candidates"),
        (TokenLogprob("", -0.1), "none of the candidates"),
        (TokenLogprob("Yes", -9999.0, (Candidate("Yes", -9999.0),)), "so unlikely"),
        (first(("Yes", 0.9), ("No", 0.9)), r"add up to 1\.80"),
    ],
)
def test_candidates_without_an_answer_say_why(token, reason):
    with pytest.raises(NoLikelihoodError, match=reason):
        likelihoods_of_candidates(token, YES_NO)


@pytest.mark.parametrize("allowed", [(), ("Yes", " yes"), ("Yes", " ")])
def test_allowed_answers_must_differ(allowed):
    with pytest.raises(ValueError, match="must differ"):
        likelihoods_of_candidates(first(("Yes", 0.9)), allowed)


LETTERS = st.sampled_from("abcdefgh")


@given(
    st.lists(st.tuples(LETTERS, st.booleans(), st.floats(0.001, 1)), min_size=1, max_size=12),
    st.sets(LETTERS, min_size=1),
)
def test_probabilities_and_what_is_missing_add_up(candidates, allowed):
    whole = sum(weight for *_, weight in candidates) * 1.1
    token = first(*((f" {letter}" if blank else letter.upper(), one / whole) for letter, blank, one in candidates))
    answers = sorted(allowed)
    if not allowed & {letter for letter, *_ in candidates}:
        with pytest.raises(NoLikelihoodError):
            likelihoods_of_candidates(token, answers)
        return
    found = likelihoods_of_candidates(token, answers)
    assert math.fsum(found.probabilities.values()) + found.missing == pytest.approx(1)
    assert found.missing >= 0.09
    assert math.fsum(found.normalised().values()) == pytest.approx(1)
    assert all((found.probabilities[one] > 0) == (one in {letter for letter, *_ in candidates}) for one in answers)


BEFORE = tokens(("An", -1), ("swer", -2), (":", -0.5))


def test_continuations_are_compared_by_the_sums_of_their_tokens():
    replies = {"yes": (*BEFORE, *tokens((" Yes", -1.0))), "no": (*BEFORE, *tokens((" N", -1.5), ("o", -0.5)))}
    found = likelihoods_of_continuations(replies, {"yes": " Yes", "no": " No"})
    assert found.probabilities == pytest.approx({"yes": 1 / (1 + math.exp(-1)), "no": 1 / (1 + math.exp(1))})
    assert (found.missing, list(found.probabilities)) == (0, ["yes", "no"])


def test_one_continuation_has_a_probability_of_its_own_if_a_token_begins_with_it():
    assert likelihood_of_continuation((*BEFORE, *tokens((" Y", -1.0), ("es", -0.5))), " Yes") == math.exp(-1.5)
    assert likelihood_of_continuation(tokens((" Yes", -1.0)), " Yes") == math.exp(-1)
    for joined in (tokens(("Answer: Yes", -1.0)), tokens(("Answer", -1.0), (": Y", -1.0), ("es", -1.0)), ()):
        with pytest.raises(NoLikelihoodError, match="no token begins where the answer does"):
            likelihood_of_continuation(joined, " Yes")


def test_a_token_that_begins_in_the_prompt_counts_whole_for_every_answer():
    """`: ` and the answer may be one token: then the sums begin before it, where both have a token's beginning."""
    joined = (*BEFORE[:2], *tokens((":Yes", -3.0)))
    apart = (*BEFORE, *tokens(("No", -1.0)))
    found = likelihoods_of_continuations({"Yes": joined, "No": apart}, {"Yes": "Yes", "No": "No"})
    assert found.probabilities["No"] == pytest.approx(math.exp(-1.5) / (math.exp(-1.5) + math.exp(-3)))


def test_prompts_that_were_split_otherwise_count_from_where_they_differ():
    """Both have a token that begins with the answer, but what comes before it was not split alike."""
    one, other = tokens(("a", -1), ("b:", -3), ("Yes", -1)), tokens(("ab", -1), (":", -2), ("No", -1))
    found = likelihoods_of_continuations({"Yes": one, "No": other}, {"Yes": "Yes", "No": "No"})
    assert found.probabilities["Yes"] == pytest.approx(1 / (1 + math.exp(1)))


def test_answers_without_a_common_beginning_are_not_compared():
    replies = {"Yes": tokens((":Yes", -1.0)), "No": tokens(("No", -1.0))}
    with pytest.raises(NoLikelihoodError, match="different places of the prompt"):
        likelihoods_of_continuations(replies, {"Yes": "Yes", "No": "No"})


@given(st.dictionaries(st.sampled_from(["a", "bc", "d e", "fghi"]), st.floats(-800, 0), min_size=1), st.floats(-50, 0))
def test_what_all_answers_share_does_not_change_their_likelihoods(logprobs, shared):
    def found(prompt):
        replies = {answer: (*prompt, TokenLogprob(f" {answer}", one)) for answer, one in logprobs.items()}
        return likelihoods_of_continuations(replies, {answer: f" {answer}" for answer in logprobs}).probabilities

    one, other = found((TokenLogprob("Q:", shared),)), found((TokenLogprob("", shared), TokenLogprob("Q:", -1)))
    assert one == other
    assert math.fsum(one.values()) == pytest.approx(1)
    assert all(one[a] >= one[b] for a in logprobs for b in logprobs if logprobs[a] >= logprobs[b])
