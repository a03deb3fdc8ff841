"""Separates what a model thinks from what it answers, in whole replies and while they are streamed.

Models mark their thinking in many ways: by marks in the text, in fields of their own, or as parts of the content.
What they think never belongs to the answer. Known forms are listed here; the endpoints file adds others for a model.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from llm.requests import ThinkingMark

QUOTES = frozenset("`'\"\u2018\u2019\u201c\u201d\u00b4")
"""A mark between two of them is spoken about and marks nothing."""


class PartUnknownError(ValueError):
    """A part of the content is neither text nor thinking; the message says of which type it is."""


@dataclass(frozen=True)
class ThinkingForm:
    """How a model marks its thinking: by the texts before and after it.

    Without a text before it, every reply begins with thinking. A form that is `first` counts only at the beginning of a
    reply. One that `ends_alone` also ends thinking whose beginning is in the prompt instead of the reply. The beginning
    of a `joined` one runs into a capital letter: servers that drop the marks of channels leave their names.
    """

    ends: str
    begins: str = ""
    first: bool = False
    ends_alone: bool = True
    joined: bool = False


@dataclass(frozen=True)
class ThinkingRules:
    """What the endpoints file says of a model beside the known forms: its own forms, and its own fields."""

    forms: tuple[ThinkingForm, ...] = ()
    fields: tuple[str, ...] = ()

    def as_json(self) -> list[dict[str, str]]:
        """Return them as the file has them."""
        forms = [{"begins": form.begins, "ends": form.ends} for form in self.forms]
        own = [{name: text for name, text in form.items() if text} for form in forms]
        return own + [{"field": name} for name in self.fields]


@dataclass(frozen=True)
class Separated:
    """A reply taken apart.

    `marks` says whether thinking is marked in it, and whether the mark of an end has none of a beginning.
    """

    answer: str
    thinking: str = ""
    marks: ThinkingMark = ""


def _tags(opening: str, closing: str, ending: str, *names: str) -> list[ThinkingForm]:
    return [ThinkingForm(f"{closing}{name}{ending}", f"{opening}{name}{ending}") for name in names]


NAMES = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "reflection",
    "scratchpad",
    "antThinking",
    "seed:think",
    "longcat_think",
    "mm:think",
    "analysis",
    "other-thinking",
)
BRACKETED = ("think", "thinking", "thought", "reasoning")
"""The names that other brackets hold; more of them occur in answers."""
OTHER = "other-thinking"
"""The name under which tags are read whose own names are unknown, but say that they hold thinking."""
KNOWN = (
    *_tags("<", "</", ">", *NAMES),
    *_tags("[", "[/", "]", *BRACKETED),
    *_tags("\u25c1", "\u25c1/", "\u25b7", *BRACKETED),
    *_tags("<|", "<|/", "|>", *BRACKETED),
    *_tags("<|begin_of_", "<|end_of_", "|>", *BRACKETED),
    *_tags("<|start_", "<|end_", "|>", *BRACKETED),
    *(ThinkingForm(f"<|{name}_end|>", f"<|{name}_start|>") for name in BRACKETED),
    ThinkingForm("<|end_think|>", "<|assistant_think|>"),
    ThinkingForm("</details>", '<details type="reasoning">', ends_alone=False),
    ThinkingForm("<|inner_suffix|>", "<|inner_prefix|>"),
    ThinkingForm("<channel|>", "<|channel>thought"),
    ThinkingForm("<unused95>", "<unused94>"),
    *(ThinkingForm("<|channel|>final<|message|>", f"<|channel|>{name}") for name in ("analysis", "commentary")),
    ThinkingForm("assistantfinal", "analysis", first=True, joined=True),
    ThinkingForm("[BEGIN FINAL RESPONSE]", "Here are my reasoning steps:", first=True),
    *(
        ThinkingForm(f"Here{be} my response:", f"Here{be} my thought process:", first=True, ends_alone=False)
        for be in (" is", "'s", "\u2019s")
    ),
)
"""The forms of known families of models; marks are found without regard to case."""
AROUND_ANSWERS = (
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
    "<|start_response|>",
    "<|end_response|>",
    "<|begin_of_box|>",
    "<|end_of_box|>",
    "[BEGIN FINAL RESPONSE]",
    "[END FINAL RESPONSE]",
    "<|start|>assistant",
    "<|message|>",
    "<|return|>",
    "<|end|>",
)
AROUND_AFTER_THINKING = ("<answer>", "</answer>", "<response>", "</response>", "<output>", "</output>")
"""Marks around answers: the first are dropped in every reply, the others only in one that has thinking."""
FIELDS = (
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "thinking",
    "thinking_content",
    "thinking_blocks",
    "reasoning_details",
    "thoughts",
)
"""Fields of a message that hold thinking; some servers send the same in two of them."""
TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "value")
TEXT_TYPES = frozenset(("text", "output_text", "input_text"))
THINKING_TYPES = re.compile(r"think|thought|reason")
NAME = (
    r"(?:[\w:.-]{0,40}(?:think|thought|reason|reflect|scratchpad|monologue)[\w:.-]{0,40}|analysis|(?:[\w.-]{1,20}:)?cot"
    r"|chain[_-]of[_-]thoughts?)"
)
FINAL = r"<\|channel\|>\s?final[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?"
LOOSE = re.compile(
    rf"<\s{{0,3}}(?P<slash>/?)\s{{0,3}}(?P<name>{NAME})(?:\s[^<>\n]{{0,200}}?)?\s{{0,3}}(?P<empty>/?)>"
    r"|(?P<details><details\s[^<>\n]{0,200}\b(?:reasoning|thinking|thought)\b[^<>\n]{0,200}>)"
    rf"|(?P<final>{FINAL}<\|message\|>)",
    re.IGNORECASE,
)
"""Marks in other writings: with blanks, attributes, or names that are not listed."""
HALF = re.compile(
    rf"<\s{{0,3}}/?\s{{0,3}}(?:[\w:.-]{{0,90}}\s{{0,3}}/?|(?:{NAME}|details)\s[^<>\n]{{0,400}})\Z|{FINAL}(?:<[|\w]*)?\Z",
    re.IGNORECASE,
)
"""The end of an incomplete text that could be the beginning of one."""


class ThinkingMarks:
    """The marks of thinking in the replies of a model."""

    def __init__(self, own: tuple[ThinkingForm, ...]) -> None:
        forms = (*own, *KNOWN)
        self.always = next((form for form in own if not form.begins), None)
        anywhere = [form for form in forms if form.begins and not form.first]
        firsts = [form for form in forms if form.begins and form.first]
        self.by_beginning = {form.begins.lower(): form for form in reversed((*anywhere, *firsts))}
        ends = [form.ends for form in forms if form.ends_alone]
        self.mark = re.compile(_either([*(form.begins for form in anywhere), *ends]), re.IGNORECASE)
        joined = [form.begins for form in firsts if form.joined]
        others = [form.begins for form in firsts if not form.joined]
        self.first_mark = re.compile(rf"\s*(?:((?i:{_either(others)}))|({_either(joined)})(?=[A-Z]))")
        self.first_marks = tuple(form.begins.lower() for form in firsts)
        marks = {*ends, *(form.begins for form in anywhere), *AROUND_ANSWERS, *AROUND_AFTER_THINKING}
        self.marks = tuple(mark.lower() for mark in marks)
        self.longest = max(len(mark) for mark in self.marks)

    def separate(self, text: str, *, complete: bool = True) -> Separated:
        """Return the answer and the thinking in a text.

        If the text is not `complete`, its end is held back as long as it could be the beginning of a mark.
        """
        text = LOOSE.sub(self._plain, text)
        answer, form, unopened = "", self.always, False
        thoughts: list[str] = []
        first = self._first(text)
        position = first.end() if first is not None else 0
        if form is None and first is not None:
            form = self.by_beginning[first[0].strip().lower()]
        marked = form is not None
        while True:
            if form is not None:
                closing = _closing(form, text, position, nested=not complete)
                if closing is None:
                    return _separated(answer, [*thoughts, text[position:]], marked, unopened)
                thoughts.append(text[position : closing.start()])
                position = closing.end()
            mark = self._next(text, position)
            if mark is None:
                break
            answer = _appended(answer, text[position : mark.start()])
            form, position, marked = self.by_beginning.get(mark[0].lower()), mark.end(), True
            if form is None:
                thoughts.append(answer)
                answer, unopened = "", unopened or bool(_unwrapped(answer, marked))
        rest = text[position : None if complete else self._settled(text, position)]
        rest = rest if complete or rest.strip() else ""
        answer = _appended(answer, rest) if marked else rest
        return _separated(answer, thoughts, marked, unopened)

    def _plain(self, found: re.Match[str]) -> str:
        """Return a mark as it is listed, so that no other way of writing it passes for an answer."""
        if found[0].lower() in self.marks or _is_spoken_about(found):
            return found[0]
        if found["final"]:
            return "<|channel|>final<|message|>"
        if found["details"]:
            return '<details type="reasoning">'
        plain = f"<{found['slash']}{found['name']}>"
        return "" if found["empty"] else plain if plain.lower() in self.marks else f"<{found['slash']}{OTHER}>"

    def _first(self, text: str) -> re.Match[str] | None:
        """Return the mark with which a reply begins, if it counts only there, or is written though it need not be."""
        if self.always is None:
            return self.first_mark.match(text)
        found = self.mark.match(text, len(text) - len(text.lstrip()))
        return found if found is not None and found[0].lower() in self.by_beginning else None

    def _next(self, text: str, position: int) -> re.Match[str] | None:
        """Return the next mark that is not merely spoken about."""
        return next((found for found in self.mark.finditer(text, position) if not _is_spoken_about(found)), None)

    def _settled(self, text: str, position: int) -> int:
        """Return where the end of an incomplete text begins that could be the beginning of a mark."""
        start = text.lstrip().lower()
        if any(mark.startswith(start) for mark in self.first_marks):
            return position
        half = HALF.search(text, position)
        end = len(text) if half is None else half.start()
        rest = text[position:].lower()
        for size in range(min(self.longest, len(rest)), 0, -1):
            if any(mark.startswith(rest[-size:]) for mark in self.marks):
                return min(len(text) - size, end)
        return end


@lru_cache(maxsize=64)
def marks_of(own: tuple[ThinkingForm, ...]) -> ThinkingMarks:
    """Return the marks of a model with these forms of its own."""
    return ThinkingMarks(own)


def content_of(given: Any) -> tuple[str, str]:
    """Return the text and the thinking of a message's content, which may have parts. Raises PartUnknownError."""
    if given is None:
        return "", ""
    if isinstance(given, str):
        return given, ""
    text, thinking = "", ""
    for part in given if isinstance(given, list) else [given]:
        if isinstance(part, str):
            text += part
            continue
        if not isinstance(part, dict):
            raise PartUnknownError("of the wrong type")
        kind = part.get("type", "text")
        if (isinstance(kind, str) and THINKING_TYPES.search(kind)) or part.get("thought") is True:
            thinking += _inner_text(part)
        elif kind in TEXT_TYPES and isinstance(inner := part.get("text"), str | dict):
            text += _inner_text(inner)
        else:
            raise PartUnknownError(f"of the type {str(kind)[:40]!r}")
    return text, thinking


def field_thinking(message: Mapping[str, Any], own: Iterable[str] = ()) -> dict[str, str]:
    """Return the thinking in fields of a message or of a streamed piece of it, by field."""
    found = {name: _inner_text(message[name]) for name in (*own, *FIELDS) if message.get(name)}
    return {name: text for name, text in found.items() if text}


def all_thinking(*texts: str) -> str:
    """Return thinking from several places as one text, each once."""
    return "\n\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _inner_text(given: Any) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, list):
        return "".join(_inner_text(one) for one in given)
    if isinstance(given, dict):
        return next((text for name in TEXT_KEYS if (text := _inner_text(given.get(name)))), "")
    return ""


def _closing(form: ThinkingForm, text: str, position: int, *, nested: bool) -> re.Match[str] | None:
    """Return the end of thinking; if it may be `nested`, the one that ends all that has begun."""
    begun = 1
    for found in re.compile(_either(filter(None, (form.begins, form.ends))), re.IGNORECASE).finditer(text, position):
        if _is_spoken_about(found):
            continue
        begun += -1 if found[0].lower() == form.ends.lower() else nested
        if not begun:
            return found
    return None


def _is_spoken_about(mark: re.Match[str]) -> bool:
    text = mark.string
    return all(sign in QUOTES for sign in (text[max(mark.start() - 1, 0) : mark.start()], text[mark.end() :][:1]))


def _either(marks: Iterable[str]) -> str:
    """Return an expression that matches any of the marks, the longest first; without marks it matches nothing."""
    return "|".join(re.escape(mark) for mark in sorted(set(marks), key=len, reverse=True)) or "(?!)"


def _appended(answer: str, more: str) -> str:
    """Return a text with what follows it after thinking; the blanks around the gap are kept once."""
    return answer + (more.lstrip() if not answer or answer[-1].isspace() else more)


def _separated(answer: str, thoughts: list[str], marked: bool, unopened: bool) -> Separated:
    thinking = all_thinking(*(_unwrapped(piece, marked=True) for piece in thoughts))
    return Separated(_unwrapped(answer, marked), thinking, "unopened" if unopened else "marked" if marked else "")


def _unwrapped(answer: str, marked: bool) -> str:
    """Return an answer without the marks around it; one without any stays as it is."""
    marks, found = (*AROUND_ANSWERS, *AROUND_AFTER_THINKING) if marked else AROUND_ANSWERS, answer
    while True:
        plain, low = found.strip(), found.strip().lower()
        mark = next((one for one in marks if low.startswith(one.lower()) or low.endswith(one.lower())), None)
        if mark is None:
            return plain if marked or len(found) < len(answer) else answer
        found = plain[len(mark) :] if low.startswith(mark.lower()) else plain[: -len(mark)]
