"""Shared by the tests of judges: a client that fills in the forms of prompts, and runs to their end."""

import threading

from config.background.claiming import run_waiting
from judges.background.run_upkeep import settle_runs
from judges.configuration import checked_configuration
from judges.run_states import start_run
from llm.client.reply_reading import structured
from llm.scripted.form_filling import filled_form
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
            reply = filled_form(request.text()) or "No form."
        if not isinstance(reply, str):
            return reply
        return answered(reply, parsed=None if request.schema is None else structured(reply))


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
