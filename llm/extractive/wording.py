"""The words of instructions: numbers, places, and what an instruction says beside what it asks for."""

import re

QUOTED = re.compile(r'"([^"]+)"|\u201c([^\u201d]+)\u201d|\u00ab\s?([^\u00bb]+?)\s?\u00bb|(?<!\w)\'([^\']{3,})\'(?!\w)')
HELD = "\u2063"
"""Stands around the number of a quotation while the words around it are read."""
CARDINALS = {
    "a": 1, "one": 1, "a single": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
ORDINALS = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8,
    "tenth": 9, "last": -1, "final": -1, "opening": 0, "closing": -1, "penultimate": -2, "second last": -2,
    "second to last": -2,
}  # fmt: skip
CARDINAL = rf"(?:{'|'.join(sorted(CARDINALS, key=len, reverse=True))}|\d+)"
ORDINAL = rf"(?:{'|'.join(sorted(ORDINALS, key=len, reverse=True))}|\d+(?:st|nd|rd|th))"
THING = r"(?:sentence|paragraph|bullet point|list item|bullet|point|item)"
ANSWER = (
    r"(?:the |this |your |that )?(?:whole |entire |full |current |previous |complete |above )*"
    r"(?:answer|text|response|reply|content|passage|summary|it|this|everything|all of it)"
)
POLITE = re.compile(
    r"^(?:(?:please|kindly|now|then|next|also|ok(?:ay)?|great(?: answer)?|good|thanks?(?:"
    r" you)?|just|simply|finally|first of all"
    r"|(?:can|could|would|will) you(?: please)?|i(?: would|'d) like you to|i want you to|you should|try"
    r" to|let's|and|but)"
    r"[\s,!.:]*\b)+",
    re.IGNORECASE,
)
KEEPING = re.compile(
    r"[,;.]?\s*(?:\b(?:and|but)\b\s*)?(?:\bplease\b\s*)?(?:\bwithout"
    r" (?:changing|modifying|altering|touching) (?:anything|any)"
    r"(?: else)?(?: in the (?:answer|text))?"
    r"|\b(?:keep|leave) (?:all |everything|the) ?(?:the )?(?:rest|else|other \w+|remaining \w+)?(?: of"
    r" (?:the )?(?:answer|text|it))?"
    r"(?: exactly)? (?:as (?:it|they) (?:is|are)|as is|unchanged|the same|untouched)"
    r"|\b(?:do not|don't) (?:change|modify|alter|touch) (?:anything|any) ?(?:thing)? ?else(?: in the"
    r" (?:answer|text))?)",
    re.IGNORECASE,
)


def held(instruction: str) -> tuple[str, list[str]]:
    """The instruction with numbers in the place of what it quotes, and the quotations."""
    quoted: list[str] = []

    def hold(match: re.Match[str]) -> str:
        quoted.append(next(group for group in match.groups() if group is not None).strip())
        return f"{HELD}{len(quoted) - 1}{HELD}"

    return QUOTED.sub(hold, instruction), quoted


def clauses(instruction: str) -> list[str]:
    """What an instruction asks for, one after another, without politeness and without "keep the rest as it is"."""
    text = KEEPING.sub("", " ".join(instruction.split()))
    parts = re.split(
        rf"(?<=[\w\]{HELD}])\s*[.;!]\s+(?=\w)|,?\s+(?:and\s+)?then\s+|[,;]\s+and\s+(?=[a-z]+"
        rf" )",
        text,
        flags=re.IGNORECASE,
    )
    return [clean for part in parts if (clean := POLITE.sub("", part.strip()).strip(" .!?;,"))]


def cardinal(word: str) -> int:
    return CARDINALS.get(word.lower()) or int(word)


def ordinal(word: str) -> int:
    """The place that an ordinal names, from 0, or from -1 backwards."""
    lower = word.lower()
    return ORDINALS[lower] if lower in ORDINALS else int(re.sub(r"\D", "", lower)) - 1
