"""Composes the replies of the scripted server from the request, whole or in pieces."""

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from llm.citations import CITATION
from llm.scripted.script import ScriptStep

CREATED = 1_700_000_000
SECTION = re.compile(r"<([a-z]+)>\n(.*?)\n</\1>", re.DOTALL)
SENTENCE = re.compile(rf"[^.!?]*[.!?]+(?:\s*{CITATION})*\s*|.+\Z", re.DOTALL)
LONGEST_QUOTE = 300


def text_of(asked: dict[str, Any], step: ScriptStep) -> str:
    """Return the text of the reply: the step's, or one that depends on the messages alone."""
    text = step.text or _composed(_said(asked))
    return (text * (step.length // max(len(text), 1) + 1))[: step.length] if step.length else text


def completion(asked: dict[str, Any], step: ScriptStep, text: str) -> dict[str, Any]:
    """Return a complete reply."""
    message = {"role": "assistant", "content": None if step.refusal else text, "refusal": step.refusal or None}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": step.finish or None, "logprobs": None}
    if asked.get("logprobs") and step.logprobs != "missing":
        choice["logprobs"] = {"content": [_logprob(piece, step) for piece in pieces(text)]}
    body = _head(asked, step, text, "chat.completion") | {"choices": [choice]}
    if step.usage != "missing":
        body["usage"] = usage(asked, step, text)
    return body


def chunks(asked: dict[str, Any], step: ScriptStep, text: str) -> Iterator[dict[str, Any]]:
    """Yield the pieces of a streamed reply."""
    head = _head(asked, step, text, "chat.completion.chunk")
    yield head | {"choices": [_piece({"role": "assistant", "content": ""})]}
    for piece in [] if step.refusal else pieces(text):
        part = _piece({"content": piece})
        if asked.get("logprobs") and step.logprobs != "missing":
            part["logprobs"] = {"content": [_logprob(piece, step)]}
        yield head | {"choices": [part]}
    if step.refusal:
        yield head | {"choices": [_piece({"refusal": step.refusal})]}
    yield head | {"choices": [_piece({}) | {"finish_reason": step.finish or None}]}
    if (asked.get("stream_options") or {}).get("include_usage") and step.usage != "missing":
        yield head | {"choices": [], "usage": usage(asked, step, text)}


def pieces(text: str) -> list[str]:
    """Return the words of a text, each with the spaces before it."""
    return re.findall(r"\s*\S+|\s+\Z", text)


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


def _logprob(token: str, step: ScriptStep) -> dict[str, Any]:
    if step.logprobs == "positive":
        return {"token": token, "logprob": 0.5, "top_logprobs": []}
    if step.logprobs == "text":
        return {"token": token, "logprob": "high", "top_logprobs": []}
    others = [{"token": token, "logprob": -0.25}, {"token": token.lower() + "?", "logprob": -1.5}]
    return {"token": token, "logprob": -0.25, "top_logprobs": others}


def _said(asked: dict[str, Any]) -> str:
    """Return the text of all messages."""
    messages = asked.get("messages")
    contents = [one.get("content") for one in messages if isinstance(one, dict)] if isinstance(messages, list) else []
    return "\n".join(content for content in contents if isinstance(content, str))


def _composed(said: str) -> str:
    """Compose an answer: a revision of the answer in the messages if there is one, else their first sentences."""
    parts = dict(SECTION.findall(said))
    if "answer" in parts:
        request = _first_sentences(parts.get("request", ""), 1)
        return f"{parts['answer'].strip()}\n\nRevised as asked: {request}"
    material = parts.get("passages") or parts.get("question") or said.rpartition("\n\n")[2] or said
    quoted = json.dumps(_first_sentences(material, 2), ensure_ascii=False)
    return f"A scripted answer, which follows from the prompt alone [0]. The prompt says: {quoted}"


def _first_sentences(text: str, count: int) -> str:
    return " ".join("".join(SENTENCE.findall(text.strip())[:count]).split())[:LONGEST_QUOTE]
