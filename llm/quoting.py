"""Calls of the built-in extractive model: the same row in the ledger, the same streaming, nothing sent anywhere."""

import time
from collections.abc import Callable
from dataclasses import replace

from django.utils import timezone

from llm.asking import Attempt, Outcome, Request, Usage
from llm.endpoints import BUILT_IN
from llm.errors import CannotError, StoppedError, UnsupportedError
from llm.extractive import answer

PIECES = 4
BETWEEN_PIECES = 0.15
NO_MATERIAL = "The extractive model only composes answers from passages: it is no language model, and cannot judge."


def quote(request: Request, on_text: Callable[[str], None] | None, stopped: Callable[[], bool]) -> Outcome:
    """Compose the answer to the request's material. Raises UnsupportedError, CannotError and StoppedError."""
    if request.material is None:
        raise UnsupportedError(NO_MATERIAL)
    began, started_at = time.monotonic(), timezone.now().isoformat()
    try:
        text = answer(request.material)
    except CannotError as problem:
        said = _outcome("", began, started_at, "cannot")
        raise CannotError(problem.reason, outcome=replace(said, refusal=problem.reason)) from None
    if on_text is not None:
        _in_pieces(text, on_text, stopped)
    return _outcome(text, began, started_at, "answered")


def _outcome(text: str, began: float, started_at: str, ended: str) -> Outcome:
    attempt = Attempt(1, started_at, time.monotonic() - began, 0, ended, billable=False)
    return Outcome(
        text=text, finish_reason="stop" if text else "", model_returned=BUILT_IN, usage=Usage(0, 0), raw=text,
        attempts=(attempt,),
    )  # fmt: skip


def _in_pieces(text: str, on_text: Callable[[str], None], stopped: Callable[[], bool]) -> None:
    for piece in range(1, PIECES):
        on_text(text[: len(text) * piece // PIECES])
        if stopped():
            raise StoppedError(partial=text[: len(text) * piece // PIECES])
        time.sleep(BETWEEN_PIECES)
    on_text(text)
