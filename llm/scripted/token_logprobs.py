"""Log-probabilities of the scripted server: made up from the text, scripted, or with the fault that a step names."""

import hashlib
import json
import math
import re
from typing import Any

from llm.scripted.script import ScriptInvalidError, ScriptStep

SCALE = 0x1000000
LISTED = re.compile(r"\bone of: ([^|\n{}]+(?:\|[^|\n{}]+)+)$", re.M)


def pieces(text: str) -> list[str]:
    """Return the words of a text, each with the spaces before it."""
    return re.findall(r"\s*\S+|\s+\Z", text)


def short_answers(said: str) -> dict[str, float]:
    """Return answers of one token with their log-probabilities.

    They are those that the prompt lists last, as in `one of: 1 | 2 | 3`; without a list they are Yes and No if the
    prompt has a Yes, else 1 to 5.
    """
    listed = LISTED.findall(said)
    if listed:
        answers = tuple(one.strip() for one in listed[-1].split("|"))
    else:
        answers = ("Yes", "No") if "Yes" in said else ("1", "2", "3", "4", "5")
    weights = [0.05 + _share(f"{answer} {said}") for answer in answers]
    return {answer: math.log(0.9 * one / sum(weights)) for answer, one in zip(answers, weights, strict=True)}


def entries_of(text: str, step: ScriptStep, short: dict[str, float]) -> list[dict[str, Any]]:
    """Return the tokens of a text in the form of chat replies; `short` are the candidates for a reply of one token."""
    candidates = scripted_candidates(step) or short
    found = []
    for token in pieces(text):
        known = candidates or {token: -0.25, token.lower() + "?": -1.5}
        found.append(_entry(token, known.get(token, -0.25), known, step))
    return found


def echo_entries(prompt: str, step: ScriptStep) -> list[dict[str, Any]]:
    """Return the tokens of a prompt. The last one has the log-probability that the step scripts for it, if it does."""
    found, before, candidates = [], hashlib.sha256(), scripted_candidates(step)
    for token in pieces(prompt):
        before.update(token.encode())
        logprob = -6 * int(before.hexdigest()[:6], 16) / SCALE
        found.append(_entry(token, logprob, {token: logprob}, step))
    if found and found[-1]["token"].strip() in candidates:
        found[-1]["logprob"] = candidates[found[-1]["token"].strip()]
    if found:
        found[0] |= {"logprob": None, "top_logprobs": None}
    return found


def chat_logprobs(found: list[dict[str, Any]], step: ScriptStep) -> dict[str, Any]:
    """Return entries as chat replies have them."""
    return {"token_list": found} if step.logprobs == "renamed" else {"content": found}


def completion_logprobs(found: list[dict[str, Any]], step: ScriptStep) -> dict[str, Any]:
    """Return entries as lists, as completions have them."""
    names = ("words", "scores") if step.logprobs == "renamed" else ("tokens", "token_logprobs")
    logprobs = [one["logprob"] for one in found]
    tops = [one["top_logprobs"] and {top["token"]: top.get("logprob") for top in one["top_logprobs"]} for one in found]
    return {
        names[0]: [one["token"] for one in found],
        names[1]: logprobs[:-1] if step.logprobs == "partial" else logprobs,
        "top_logprobs": tops,
    }


def scripted_candidates(step: ScriptStep) -> dict[str, float]:
    """Return the candidates of a step, written as JSON or, in a mark, as `Yes:-0.2,No:-2`."""
    try:
        if step.candidates.startswith("{"):
            given = json.loads(step.candidates)
        else:
            given = dict(one.rsplit(":", 1) for one in step.candidates.split(",") if one)
        return {token: float(logprob) for token, logprob in given.items()}
    except (ValueError, TypeError):
        raise ScriptInvalidError(f"candidates cannot be {step.candidates!r}") from None


def _entry(token: str, logprob: float, candidates: dict[str, float], step: ScriptStep) -> dict[str, Any]:
    fault = step.logprobs
    if fault in ("positive", "text"):
        return {"token": token, "logprob": 0.5 if fault == "positive" else "high", "top_logprobs": []}
    tops: list[dict[str, Any]] = [{"token": one, "logprob": value} for one, value in candidates.items()]
    if fault == "other":
        token, tops = f"<{token}>", [{"token": f"<{top['token']}>", "logprob": top["logprob"]} for top in tops]
    if fault == "partial":
        tops[-1].pop("logprob")
    if fault == "no_candidates":
        tops = []
    if fault in ("bytes", "wrong_bytes"):
        for number, top in enumerate(tops):
            top |= {"bytes": list(top["token"].encode()) if fault == "bytes" else [300], "token": f"token {number}"}
    return {"token": token, "logprob": logprob, "top_logprobs": tops}


def _share(text: str) -> float:
    return int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:6], 16) / SCALE
