"""Shared by the tests of judge protocols: cases and an asker without database and network."""

from judges.options import read_options
from judges.protocol import (
    UNUSABLE,
    Abilities,
    Asker,
    Case,
    CaseOutput,
    CaseQuestion,
    ReplyInvalidError,
    judge_protocols,
)
from llm.call_errors import BadReplyError, CallError, FilteredError, RefusedError, TruncatedError
from llm.client.reply_reading import UnusableReplyError, structured
from llm.prompt_files import load_prompt
from llm.requests import Candidate, Reply, TokenLogprob, Usage

QUESTION = CaseQuestion("quality", "likert", "How good is it?", "Mind the facts.", 1, 5, choices=tuple("12345"))
YES_OR_NO = CaseQuestion(
    "follows", "binary", "Does it follow?", low=0, high=1, choices=("true", "false"), labels=("Yes", "No")
)
OUTPUTS = tuple(CaseOutput(key, f"Ferries sail at {hour}.") for key, hour in (("k-first", 8), ("k-second", 9)))
ENDINGS = {"refused": RefusedError, "filtered": FilteredError, "truncated": TruncatedError, "invalid": BadReplyError}


def case(outputs=OUTPUTS[:1], question=QUESTION, **more):
    texts = {"document": "The ferry sails at nine.", "instruction": "Say when it sails."}
    return Case(question, outputs=tuple(outputs), **{**texts, **more})


class ScriptedAsker(Asker):
    """Gives `replies` in turn, and the last again. A reply is a text, a `Reply`, or an error to raise.

    `sent` has (prompt text, parameters, name, sample, agent, round, retry) of each call.
    """

    def __init__(self, *replies, texts=None, **abilities):
        self.replies, self.sent, self.texts = list(replies), [], texts or {}
        self.abilities = Abilities(**{"candidates": 5, **abilities})

    def render(self, prompt, values):
        found = self.texts.get(prompt) or load_prompt("judges", prompt)
        return found.fill(values), found.reference

    def send(self, messages, prompt, parameters, name, sample=1, agent=0, round=1, retry=0):
        text = "\n\n".join(one.content for one in messages)
        self.sent.append((text, parameters, name, sample, agent, round, retry))
        reply = self.replies[min(len(self.sent), len(self.replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return replied(reply, schema=parameters.schema) if isinstance(reply, str) else reply

    @property
    def prompt(self):
        """The text of the last prompt."""
        return self.sent[-1][0]


def replied(text, logprobs=None, schema=None):
    """A reply as the client gives it: with a schema, its JSON is parsed, and what is no JSON is an error."""
    try:
        parsed = None if schema is None else structured(text)
    except UnusableReplyError as problem:
        raise BadReplyError(str(problem)) from None
    return Reply(text, "stop", "small-1", Usage(20, 5), logprobs, "", parsed, None)


def first_token(*candidates, text=None):
    """A reply of one token with (token, logprob) candidates."""
    top = tuple(Candidate(token, logprob) for token, logprob in candidates)
    token = text or top[0].token
    logprob = next((one.logprob for one in top if one.token == token), -9.0)
    return replied(token, (TokenLogprob(token, logprob, top),))


def echoed(before, *answer):
    """A reply that repeats a prompt, which ends with the token `before`, and an answer of (token, logprob)."""
    return replied("", tuple(TokenLogprob(token, logprob) for token, logprob in ((before, -1.0), *answer)))


def judged(key, asker, given=None, **options):
    """The reading of a case by a protocol."""
    protocol = judge_protocols()[key]
    return protocol.judge(given or case(), read_options(protocol.options, options), asker)


def outcome_of(key, reply, given=None, **options):
    """`valid` with the value, or the outcome and reason of a reply that cannot be read."""
    try:
        return "valid", judged(key, ScriptedAsker(reply), given, **options).value
    except ReplyInvalidError as problem:
        return "invalid", problem.reason
    except CallError as problem:
        return UNUSABLE[problem.kind], ""
