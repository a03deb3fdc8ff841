"""Shared by the tests of judges: a client that fills in the forms of prompts, and runs to their end."""

import threading

from config.background.claiming import run_waiting
from judges.background.run_upkeep import settle_runs
from judges.configuration import checked_configuration
from judges.run_states import start_run
from llm.client.reply_reading import structured
from llm.requests import Candidate, TokenLogprob
from llm.scripted.form_filling import filled_form
from llm.scripted.script import ScriptStep
from llm.scripted.token_logprobs import echo_entries, short_answers
from tests.llm.calls import answered


class PromptReplies:
    """Replaces the client of the door. `replies` come first, one a call; each is a text, an outcome or an error."""

    def __init__(self):
        self.replies, self.asked, self.lock = [], [], threading.Lock()

    def __call__(self, endpoint, model, request, **_):
        with self.lock:
            self.asked.append(request)
            reply = self.replies.pop(0) if self.replies else None
        if isinstance(reply, BaseException):
            raise reply
        if reply is None:
            reply = _likelihoods(request) or filled_form(request.text()) or "No form."
        if not isinstance(reply, str):
            return reply
        return answered(reply, parsed=None if request.schema is None else structured(reply))


def _likelihoods(request):
    """A reply with the log-probabilities that the scripted server makes up, if a request asks for some."""
    if request.continuation:
        made = echo_entries(request.text() + request.continuation, ScriptStep())
        return answered("", logprobs=tuple(TokenLogprob(one["token"], one["logprob"]) for one in made[-4:]))
    if request.top_logprobs is None:
        return None
    short = short_answers(request.text())
    top = tuple(Candidate(token, logprob) for token, logprob in short.items())
    best = max(top, key=lambda one: one.logprob)
    return answered(best.token, logprobs=(TokenLogprob(best.token, best.logprob, top),))


def configured(study, protocol="llm_eval", questions=("how_well",), model="campus/small", **given):
    return checked_configuration(study, {"protocol": protocol, "model": model, "questions": questions, **given})


def run_to_end(study, actor=None, **given):
    """Start a run and let this thread work until it is over."""
    run = start_run(study, configured(study, **given), actor)
    work_off(run)
    return run


def work_off(run):
    while run_waiting():
        settle_runs()
    settle_runs()
    run.refresh_from_db()
