"""Composes the replies of the scripted server from the request, whole or in pieces."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from llm.citations import CITATION
from llm.scripted.form_filling import filled_form
from llm.scripted.script import ScriptStep
from llm.scripted.token_logprobs import (
    chat_logprobs,
    completion_logprobs,
    echo_entries,
    entries_of,
    pieces,
    short_answers,
)

CREATED = 1_700_000_000
SECTION = re.compile(r"<([a-z]+)>\n(.*?)\n</\1>", re.DOTALL)
SENTENCE = re.compile(rf"[^.!?]*[.!?]+(?:\s*{CITATION})*\s*|.+\Z", re.DOTALL)
LONGEST_QUOTE = 300


def text_of(asked: dict[str, Any], step: ScriptStep) -> str:
    """Return the text of the reply: the step's, or one that depends on the prompt alone."""
    return "".join(pieces(_unlimited(asked, step))[: _limit(asked)])


def _unlimited(asked: dict[str, Any], step: ScriptStep) -> str:
    short = short_answers(_said(asked)) if _limit(asked) == 1 else {}
    text = step.text or (max(short, key=lambda one: short[one]) if short else _composed(_said(asked)))
    text = (text * (step.length // max(len(text), 1) + 1))[: step.length] if step.length else text
    stops = asked.get("stop") or []
    for stop in [stops] if isinstance(stops, str) else stops:
        text = text.partition(stop)[0]
    return text


def _limit(asked: dict[str, Any]) -> int | None:
    found = asked.get("max_tokens", asked.get("max_completion_tokens"))
    return found if type(found) is int and found >= 0 else None


def _finish(asked: dict[str, Any], step: ScriptStep) -> str | None:
    limit = _limit(asked)
    if step.finish == "stop" and limit is not None and len(pieces(_unlimited(asked, step))) >= limit:
        return "length"
    return step.finish or None


def completion(asked: dict[str, Any], step: ScriptStep, text: str) -> dict[str, Any]:
    """Return a complete reply in the form of the API that was asked."""
    if "prompt" in asked:
        prompt = asked["prompt"] if asked.get("echo") and isinstance(asked["prompt"], str) else ""
        choice: dict[str, Any] = {"index": 0, "text": prompt + text}
        if step.logprobs != "missing" and asked.get("logprobs") is not None:
            choice["logprobs"] = completion_logprobs(echo_entries(prompt, step) + entries(asked, step, text), step)
    else:
        message = {"role": "assistant", "content": None if step.refusal else text, "refusal": step.refusal or None}
        choice = {"index": 0, "message": message, "logprobs": None}
        if asked.get("logprobs") and step.logprobs != "missing":
            choice["logprobs"] = chat_logprobs(entries(asked, step, text), step)
    choice["finish_reason"] = _finish(asked, step)
    head = _head(asked, step, text, "text_completion" if "prompt" in asked else "chat.completion")
    body = head | {"choices": [choice]}
    if step.usage != "missing":
        body["usage"] = usage(asked, step, text)
    return body


def chunks(asked: dict[str, Any], step: ScriptStep, text: str) -> Iterator[dict[str, Any]]:
    """Yield the pieces of a streamed reply in the form of the API that was asked."""
    chat = "prompt" not in asked
    head = _head(asked, step, text, "chat.completion.chunk" if chat else "text_completion")
    if chat:
        yield head | {"choices": [_piece({"role": "assistant", "content": ""})]}
    wanted = bool(asked.get("logprobs")) and step.logprobs != "missing"
    found = entries(asked, step, text) if wanted else []
    for number, piece in enumerate([] if step.refusal else pieces(text)):
        part: dict[str, Any] = (
            _piece({"content": piece}) if chat else {"index": 0, "text": piece, "finish_reason": None}
        )
        if wanted:
            shape = chat_logprobs if chat else completion_logprobs
            part["logprobs"] = shape(found[number : number + 1], step)
        yield head | {"choices": [part]}
    if step.refusal:
        yield head | {"choices": [_piece({"refusal": step.refusal})]}
    last = _piece({}) if chat else _part("")
    yield head | {"choices": [last | {"finish_reason": _finish(asked, step)}]}
    if (asked.get("stream_options") or {}).get("include_usage") and step.usage != "missing":
        yield head | {"choices": [], "usage": usage(asked, step, text)}


def entries(asked: dict[str, Any], step: ScriptStep, text: str) -> list[dict[str, Any]]:
    """Return the tokens of a reply with their log-probabilities."""
    short = short_answers(_said(asked)) if _limit(asked) == 1 and not step.text else {}
    return entries_of(text, step, short)


def usage(asked: dict[str, Any], step: ScriptStep, text: str) -> Any:
    """Return the token counts (words are counted), or the malformed ones that the step demands."""
    if step.usage == "negative":
        return {"prompt_tokens": -5, "completion_tokens": -1, "total_tokens": -6}
    if step.usage == "text":
        return {"prompt_tokens": "many", "completion_tokens": "more"}
    if step.usage == "list":
        return [1, 2]
    counts = len(_said(asked).split()), len(text.split())
    return {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}


def _head(asked: dict[str, Any], step: ScriptStep, text: str, kind: str) -> dict[str, Any]:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
    return {"id": f"chatcmpl-{digest}", "object": kind, "created": CREATED, "model": step.model or asked.get("model")}


def _piece(delta: dict[str, Any]) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": None}


def _part(text: str) -> dict[str, Any]:
    return {"index": 0, "text": text, "finish_reason": None}


def _said(asked: dict[str, Any]) -> str:
    """Return the prompt, or the text of all messages."""
    if isinstance(asked.get("prompt"), str):
        return str(asked["prompt"])
    messages = asked.get("messages")
    contents = [one.get("content") for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return "\n".join(content for content in contents if isinstance(content, str))


def _composed(said: str) -> str:
    """Compose an answer: a form filled in, a revision of the answer in the messages, or their first sentences."""
    if (form := filled_form(said)) is not None:
        return form
    parts = dict(SECTION.findall(said))
    if "answer" in parts:
        request = _first_sentences(parts.get("request", ""), 1)
        return f"{parts['answer'].strip()}\n\nRevised as asked: {request}"
    material = parts.get("passages") or parts.get("question") or said.rpartition("\n\n")[2] or said
    quoted = json.dumps(_first_sentences(material, 2), ensure_ascii=False)
    return f"A scripted answer, which follows from the prompt alone [0]. The prompt says: {quoted}"


def _first_sentences(text: str, count: int) -> str:
    return " ".join("".join(SENTENCE.findall(text.strip())[:count]).split())[:LONGEST_QUOTE]
