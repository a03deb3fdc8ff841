"""Shared by the tests of calls: an endpoint, requests, and replies without a network."""

import threading
import time

from django.db import connections
from django.utils import timezone

from llm.budgets import highest_call_price
from llm.models import Budget, Call, Completion, Reservation, Stop, StudyPrompt
from llm.requests import Attempt, Message, Outcome, PromptReference, Request, Usage

ENDPOINTS = """
endpoints:
  campus:
    base_url: http://127.0.0.1:9/v1
    in_flight: {in_flight}
    deadline: {deadline}
    connect_timeout: 0.5
    read_timeout: 0.5
    longest_wait: 0.5
    {more}
    models:
      small:
        asked: small-1
        context: {context}
        price_in: 1
        price_out: 2
      free: {{price_in: 0, price_out: 0}}
      unpriced: {{}}
      able: {{context: {context}, price_in: 1, price_out: 2, logprobs: 5, supports: [seed, json_schema]}}
      base: {{api: completions, context: {context}, price_in: 1, price_out: 2, logprobs: 5, supports: [echo]}}
"""


def write_endpoints(settings, folder, *, in_flight=4, deadline=5, context=1000, more=""):
    path = folder / f"endpoints-{time.monotonic_ns()}.yaml"
    path.write_text(ENDPOINTS.format(in_flight=in_flight, deadline=deadline, context=context, more=more))
    settings.ENDPOINTS_FILE = path
    return path


def asked(text="When does the ferry sail?", *, model="campus/small", max_tokens=100, **more):
    mark = PromptReference("sessions/first", "1", "d" * 64)
    return Request(model, (Message("system", "Be brief."), Message("user", text)), mark, max_tokens=max_tokens, **more)


def attempt(number=1, ended="answered", status=200, billable=True):
    return Attempt(number, "2026-11-20T10:00:00+00:00", 0.2, status, ended, billable)


def answered(text="At nine.", *, tokens=(20, 5), **more):
    usage = Usage(*tokens) if tokens else None
    fields = {"finish_reason": "stop", "model_returned": "small-1", "raw": '{"raw": true}', "attempts": (attempt(),)}
    return Outcome(text=text, usage=usage, **{**fields, **more})


def highest_price(requests):
    """The most that these calls may cost together."""
    return sum(highest_call_price(request) for request in requests)


class Scripted:
    """Replaces the client: returns or raises scripted replies, and counts simultaneous calls."""

    def __init__(self, *replies, seconds=0.0):
        self.replies, self.seconds = list(replies), seconds
        self.asked, self.now, self.most = [], 0, 0
        self.lock = threading.Lock()

    def __call__(self, endpoint, model, request, *, on_text=None, stopped=None, **_):
        with self.lock:
            self.asked.append(request)
            self.now += 1
            self.most = max(self.most, self.now)
            reply = self.replies[min(len(self.asked), len(self.replies)) - 1] if self.replies else answered()
        try:
            time.sleep(self.seconds)
            reply = reply(on_text, stopped) if callable(reply) else reply
            if isinstance(reply, BaseException):
                raise reply
            return reply
        finally:
            with self.lock:
                self.now -= 1


def add_rows(study, run="CANARY-RUN"):
    """Add one row of each model that belongs to a study."""
    now = timezone.now()
    call = Call.objects.create(
        study=study, run=run, endpoint="campus", model="small", model_asked="CANARY-MODEL", messages=[],
        text="CANARY-TEXT", messages_digest="d", request_digest="d", status="answered", price_charged=0, started_at=now,
        ended_at=now,
    )  # fmt: skip
    Budget.objects.create(study=study, run=run)
    Reservation.objects.create(study=study, run=run, amount=0, left=0, lease_until=now)
    Stop.objects.create(study=study, run=run)
    StudyPrompt.objects.create(study=study, key="CANARY-KEY", number=1, user="CANARY-PROMPT", digest="d")
    Completion.objects.create(study=study, run=run, model="campus/small", request={}, call=call, text="CANARY-TEXT")


def together(count, act):
    """Call `act(number)` in that many threads at once and return what each returned or raised."""
    results, barrier = [None] * count, threading.Barrier(count)

    def run(number):
        try:
            barrier.wait(timeout=20)
            results[number] = act(number)
        except Exception as problem:  # noqa: BLE001 - told by the caller
            results[number] = problem
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results
