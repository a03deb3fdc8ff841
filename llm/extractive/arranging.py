"""Rules that change the form or the order of an answer: lists, paragraphs, moves, and sentences given word for word."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from llm.errors import CannotError
from llm.extractive.finding import Asked, located
from llm.extractive.sentences import MARK
from llm.extractive.structure import (
    BULLET,
    NUMBERED,
    Block,
    Blocks,
    Place,
    as_list,
    as_paragraph,
    at,
    changed,
    places,
)
from llm.extractive.terms import rarity, terms, weight
from llm.extractive.wording import ANSWER, CARDINAL, HELD, cardinal

Act = Callable[[Blocks, re.Match[str], Asked], Blocks]


def listed(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """Each sentence an item: of the whole answer one list, of a part a list in the place of its paragraphs."""
    mark = NUMBERED if re.search(r"\bnumber|\benumerat|\bordered", match[0], re.IGNORECASE) else BULLET
    what = match.groupdict().get("what")
    if not what or re.fullmatch(ANSWER, what, re.IGNORECASE):
        new: Blocks = (as_list(as_paragraph(blocks), mark),)
        if len(blocks) == 1 and blocks[0].mark == mark:
            raise CannotError("The answer is such a list already.")
        return new
    meant = {place[0] for place in located(what, blocks, asked)}
    return tuple(as_list(block, mark) if number in meant else block for number, block in enumerate(blocks))


def as_prose(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """Lists become paragraphs."""
    if not any(block.mark for block in blocks):
        raise CannotError("The answer has no list.")
    return tuple(as_paragraph([block]) if block.mark else replace(block, gap="\n\n") for block in blocks)


def one_paragraph(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    if len(blocks) == 1 and not blocks[0].mark:
        raise CannotError("The answer is one paragraph already.")
    return (as_paragraph(blocks),)


def merged(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """Paragraphs that stand beside each other become one."""
    meant = sorted({place[0] for place in located(match["what"], blocks, asked)})
    if len(meant) < 2 or meant != list(range(meant[0], meant[-1] + 1)):
        raise CannotError("Only paragraphs that follow each other can be joined.")
    return (*blocks[: meant[0]], as_paragraph(blocks[meant[0] : meant[-1] + 1]), *blocks[meant[-1] + 1 :])


def split(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """So many paragraphs, as even in sentences as can be; without a number, paragraphs of about three sentences."""
    parts = [at(blocks, place) for place in places(blocks)]
    number = cardinal(match["number"]) if match["number"] else max(2, round(len(parts) / 3))
    if not 1 < number <= len(parts):
        raise CannotError(f"The answer cannot be split into {number} paragraphs: it has {len(parts)} sentences.")
    ends = [round(len(parts) * step / number) for step in range(number + 1)]
    return tuple(Block(tuple(parts[start:end])) for start, end in pairwise(ends))


def reverse(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    if "paragraph" in match[0].lower() and len(blocks) > 1:
        return blocks[::-1]
    if "sentence" in match[0].lower() or len(blocks) == 1:
        return tuple(block.with_parts(block.parts[::-1]) for block in blocks[::-1])
    return blocks[::-1]


def swap(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    found = located(match["what"], blocks, asked)
    meant = sorted({place[0] for place in found})
    order = list(blocks)
    if len(meant) == 2 and set(found) == {place for place in places(blocks) if place[0] in meant}:
        order[meant[0]], order[meant[1]] = order[meant[1]], order[meant[0]]
        return tuple(order)
    if len(found) != 2:
        raise CannotError("Exactly two sentences or paragraphs can be swapped.")
    texts = {found[0]: at(blocks, found[1]), found[1]: at(blocks, found[0])}
    return tuple(
        block.with_parts(texts.get((number, part), text) for part, text in enumerate(block.parts))
        for number, block in enumerate(blocks)
    )


def move(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """Sentences or whole paragraphs to the start, to the end, or beside others."""
    groups = match.groupdict()
    found = located(match["what"], blocks, asked)
    if groups.get("side"):
        return placed(blocks, found, groups["side"].lower(), located(match["beside"], blocks, asked))
    return placed(blocks, found, "before" if _is_start(groups.get("place") or match[0]) else "after", None)


def placed(blocks: Blocks, moved: Sequence[Place], side: str, beside: Sequence[Place] | None) -> Blocks:
    """The answer with `moved` before or after `beside`, None being the whole answer."""
    stay = [place for place in places(blocks) if place not in moved]
    goal = [place for place in (beside or stay) if place not in moved]
    if not goal or set(goal) != set(beside or stay):
        raise CannotError("A part cannot be moved beside itself.")
    target = goal[0] if side == "before" else goal[-1]
    whole = {place[0] for place in moved} - {place[0] for place in stay}
    if all(place[0] in whole for place in moved):
        taken = [blocks[number] for number in sorted(whole)]
        order = [number for number in range(len(blocks)) if number not in whole]
        where = order.index(target[0]) + (side == "after")
        return (*[blocks[number] for number in order[:where]], *taken, *[blocks[number] for number in order[where:]])
    texts = [at(blocks, place) for place in moved]
    return tuple(
        new
        for number, block in enumerate(blocks)
        if (new := block.with_parts(_with_moved(number, block, set(moved), texts, side, target))).parts
    )


def _with_moved(number: int, block: Block, moved: set[Place], texts: list[str], side: str, target: Place) -> list[str]:
    parts: list[str] = []
    for part, text in enumerate(block.parts):
        here = (number, part)
        if here == target and side == "before":
            parts += texts
        if here not in moved:
            parts.append(text)
        if here == target and side == "after":
            parts += texts
    return parts


def answer_first(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """The sentence that covers most of the question comes first."""
    found = places(blocks)
    said = {place: terms(MARK.sub("", at(blocks, place)), asked.language) for place in found}
    wanted, idf = terms(asked.question, asked.language), rarity(said[place] for place in found)
    value = {place: weight(said[place] & wanted, idf) / (len(said[place]) + 8) for place in found}
    best = max(found, key=lambda place: (value[place], [-number for number in place]))
    if not value[best]:
        raise CannotError("No sentence of the answer has a word of the question.")
    if best == found[0]:
        raise CannotError("The sentence that answers the question most directly is the first one already.")
    return placed(blocks, [best], "before", None)


def add_verbatim(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """The quoted words, unchanged, at the named place; at the end where none is named."""
    groups = match.groupdict()
    text, place = asked.quoted[int(match["quoted"])], groups.get("place") or ""
    alone = "paragraph" in (groups.get("kind") or "").lower() or bool(
        re.search(r"paragraph$|title|heading", place, re.I)
    )
    if groups.get("side"):
        target = located(match["beside"], blocks, asked)
        return inserted(blocks, text, groups["side"].lower(), target, alone="paragraph" in match["beside"] and alone)
    scope = groups.get("scope")
    target = (
        places(blocks) if not scope or re.fullmatch(ANSWER, scope, re.IGNORECASE) else located(scope, blocks, asked)
    )
    return inserted(blocks, text, "before" if _is_start(place) else "after", target, alone=alone)


def begin_verbatim(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    return inserted(blocks, asked.quoted[int(match["quoted"])], "before", places(blocks), alone=False)


def end_verbatim(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    return inserted(blocks, asked.quoted[int(match["quoted"])], "after", places(blocks), alone=False)


def inserted(blocks: Blocks, text: str, side: str, target: Sequence[Place], *, alone: bool) -> Blocks:
    if not target:
        return (Block((text,)),)
    number, part = target[0] if side == "before" else target[-1]
    if alone:
        where = number + (side == "after")
        return (*blocks[:where], Block((text,)), *blocks[where:])
    where = part + (side == "after")
    parts = blocks[number].parts
    block = blocks[number].with_parts((*parts[:where], text, *parts[where:]))
    return (*blocks[:number], block, *blocks[number + 1 :])


def replaced(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    old, new = asked.quoted[int(match["old"])], asked.quoted[int(match["new"])]
    if not any(old in at(blocks, place) for place in places(blocks)):
        raise CannotError(f"The answer does not have the words \u201c{old}\u201d.")
    return changed(blocks, lambda part: part.replace(old, new))


def headed(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    quoted = match.groupdict().get("quoted")
    return (Block((asked.quoted[int(quoted)] if quoted else asked.question,)), *blocks)


def unchanged(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    return tuple(replace(block) for block in blocks)


def _is_start(place: str) -> bool:
    return bool(re.search(r"\b(?:beginning|start|top|front|first|begin|opening)\b", place, re.IGNORECASE))


MAKE = (
    r"(?:turn|convert|change|make|format|reformat|rewrite|put|present|write|give|structure|restructure|organi[sz]e"
    r"|transform|list|use|show|have|render|display)"
)
LIST = (
    r"(?:(?:a|an|the) )?(?:(?:bullet(?:ed|[- ]point(?:ed|s)?)?|numbered|ordered|unordered|enumerated)(?:"
    r" points?)?(?: lists?| form| points?)?|bullets"
    r"|lists?|list form|enumeration)"
)
MOVE = r"(?:move|put|place|bring|shift|relocate)"
END = r"(?P<place>(?:(?:at|to|in) the (?:very )?(?:beginning|start|top|front|end|bottom)|first|last|up front))"
BESIDE = r"(?:(?:immediately|right|directly|just) )?(?:to )?(?P<side>before|after)(?: this sentence:?)? "
ADD = r"(?:add|insert|append|prepend|put|include|write|place)"
GIVEN = (
    rf"(?:(?:the|this|a|an|following|short|new|closing|final|concluding|exact)"
    rf" )*(?:(?P<kind>sentence|text|paragraph|phrase|line|words"
    rf"|statement)s?:? )?{HELD}(?P<quoted>\d+){HELD}(?: verbatim| word for word)?"
)
WHERE = (
    r"(?P<place>(?:at|to|in|as) the (?:very"
    r" )?(?:beginning|start|top|front|end|bottom|(?:first|last|final|opening|closing) (?:sentence|paragraph))"
    rf"|as a (?:new )?(?:first|last|final) (?:sentence|paragraph))(?: (?:of|in) (?P<scope>{ANSWER}|.+?))?"
)
RULES: tuple[tuple[str, Act], ...] = (
    (r"(?:copy|return|repeat|leave|keep) .*\b(?:as[- ]is|unchanged|as it is|verbatim)", unchanged),
    (
        r"(?:(?:do not|don't) (?:change|modify|alter) (?:anything|it)|change nothing|make no changes?)(?:"
        r" .*)?",
        unchanged,
    ),
    (
        rf"(?:replace|change|substitute) (?:the (?:words?|phrase|sentence|text) )?{HELD}(?P<old>\d+){HELD}"
        rf" (?:with|by|to|into|for) (?:the (?:words?|phrase|sentence|text) )?{HELD}(?P<new>\d+){HELD}",
        replaced,
    ),
    (
        r"(?:add|insert|use|put) (?:the question as )?(?:a |the )?(?:title|heading|header)(?: at the"
        r" (?:top|beginning|start))?",
        headed,
    ),
    (
        rf"(?:add|insert|use|put) (?:a |the )?(?:title|heading|header):? {HELD}(?P<quoted>\d+){HELD}(?: at the"
        rf" (?:top|beginning|start))?",
        headed,
    ),
    (rf"{ADD} {GIVEN} {BESIDE}(?P<beside>.+)", add_verbatim),
    (rf"{BESIDE}(?P<beside>.+?),? {ADD} {GIVEN}", add_verbatim),
    (rf"{ADD} {GIVEN}(?: {WHERE})?", add_verbatim),
    (rf"{WHERE},? {ADD} {GIVEN}", add_verbatim),
    (rf"(?:start|begin) (?:{ANSWER} )?with {GIVEN}", begin_verbatim),
    (rf"(?:end|finish|conclude) (?:{ANSWER} )?with {GIVEN}", end_verbatim),
    (
        rf"{MAKE} (?:{ANSWER} )?(?:in|into|as|to|with|using)? ?(?:a |one )?(?:continuous"
        rf" (?:text|prose)|(?:flowing |plain )?(?:prose|text)|(?:normal )?paragraphs)(?: instead of .*)?",
        as_prose,
    ),
    (
        r"(?:remove|delete|do not use|don't use|no|without|get rid of|avoid) (?:the |all |any"
        r" )*(?:bullets?|bullet points|bullet list|numbering|list formatting|lists?|enumeration)",
        as_prose,
    ),
    (
        rf"(?:{MAKE}|merge|join|combine|shorten) (?:{ANSWER} |all (?:the )?(?:paragraphs|sentences) |(?:the"
        rf" )?paragraphs )?(?:in|into|as|to)?(?: just| only)? ?(?:a |one )(?:single |coherent |continuous"
        rf" )?paragraph(?: only)?",
        one_paragraph,
    ),
    (r"(?:remove|delete) (?:all |the )*(?:line|paragraph) breaks", one_paragraph),
    (
        r"(?:merge|join|combine) (?P<what>.*paragraph.*?)(?: (?:together|into (?:one|a single)(?:"
        r" paragraph)?))?",
        merged,
    ),
    (
        rf"(?:split|break|divide|separate)(?: up)? (?:{ANSWER} )?(?:up )?(?:into|in) (?:(?P<number>{CARDINAL})"
        rf" )?(?:shorter |smaller |separate |several |multiple |more )*paragraphs",
        split,
    ),
    (
        rf"{MAKE} (?:{ANSWER}|(?P<what>.*(?:paragraph|sentence)s?.*?)) (?:(?:in|into|as|to|with|using|in the"
        rf" form of) )?{LIST}(?: (?:points?|items?|list|format|form))*",
        listed,
    ),
    (rf"(?:use|add|make|create|write|list|give me|with) {LIST}(?: instead.*)?", listed),
    (rf"(?:bullet|enumerate|number|itemi[sz]e|list) (?:{ANSWER}|(?:all |the )*(?:sentences|points|items))", listed),
    (
        rf"(?:reverse|invert|flip) (?:the )?(?:order(?: of)? ?)?(?:(?:all )?(?:the"
        rf" )?(?:sentences|paragraphs|points|items)|{ANSWER})?",
        reverse,
    ),
    (r"(?:swap|switch|exchange|interchange) (?:the order of |the positions? of )?(?P<what>.+?)", swap),
    (rf"{MOVE} (?P<what>.+?) {END}(?: (?:of|in) {ANSWER})?", move),
    (rf"{MOVE} (?P<what>.+?) {BESIDE}(?P<beside>.+)", move),
    (
        r"(?:let )?(?P<what>.+?) (?:should|must) (?:come|go|be) (?:(?:at|in) the"
        r" )?(?P<place>first|last|beginning|start|end)",
        move,
    ),
    (
        r"(?:make|let|have) (?:the )?first sentence (?:be )?(?:a |the )?(?:more )?(?:direct(?:ly)?"
        r" )?(?:answer|reply)(?:s)?(?: .*)?",
        answer_first,
    ),
    (
        rf"(?:start|begin) (?:{ANSWER} )?(?:with|by) (?:a |the )?direct(?:ly)? (?:answer|reply|answering).*",
        answer_first,
    ),
    (r"answer the question (?:directly )?(?:in|with) the first sentence", answer_first),
    (rf"(?:start|begin|open) (?:{ANSWER} )?with (?P<what>.+)", move),
    (rf"(?P<place>end|finish|close|conclude) (?:{ANSWER} )?with (?P<what>.+)", move),
)
