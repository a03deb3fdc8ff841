"""Calls of the built-in extractive model: recorded and streamed like others, but nothing is sent."""

import time
from collections.abc import Callable
from dataclasses import replace

from django.utils import timezone

from llm.call_errors import InstructionUnsupportedError, StoppedError, UnsupportedError
from llm.capabilities import NOT_A_LANGUAGE_MODEL
from llm.endpoints import BUILT_IN, is_dry_run_model
from llm.extractive import answer, made_up
from llm.requests import Attempt, Outcome, Request, Usage

PIECES = 4
SECONDS_PER_PIECE = 0.15


def ask_extractive(request: Request, on_text: Callable[[str], None] | None, stopped: Callable[[], bool]) -> Outcome:
    """Compose the answer from the request's material.

    Raises UnsupportedError, InstructionUnsupportedError and StoppedError.
    """
    if request.material is None:
        raise UnsupportedError(NOT_A_LANGUAGE_MODEL)
    began, started_at = time.monotonic(), timezone.now().isoformat()
    if is_dry_run_model(request.model):
        return _outcome(made_up(request.material), began, started_at, "answered")
    try:
        text = answer(request.material)
    except InstructionUnsupportedError as problem:
        refusal = _outcome("", began, started_at, "cannot")
        raise InstructionUnsupportedError(problem.reason, outcome=replace(refusal, refusal=problem.reason)) from None
    if on_text is not None:
        _stream(text, on_text, stopped)
    return _outcome(text, began, started_at, "answered")


def _outcome(text: str, began: float, started_at: str, ended: str) -> Outcome:
    attempt = Attempt(1, started_at, time.monotonic() - began, 0, ended, billable=False)
    return Outcome(
        text=text, finish_reason="stop" if text else "", model_returned=BUILT_IN, usage=Usage(0, 0), raw=text,
        attempts=(attempt,),
    )  # fmt: skip


def _stream(text: str, on_text: Callable[[str], None], stopped: Callable[[], bool]) -> None:
    for piece in range(1, PIECES):
        on_text(text[: len(text) * piece // PIECES])
        if stopped():
            raise StoppedError(partial=text[: len(text) * piece // PIECES])
        time.sleep(SECONDS_PER_PIECE)
    on_text(text)
