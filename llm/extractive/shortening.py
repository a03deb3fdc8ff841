"""Rules that take something out of an answer: sentences, paragraphs, citations, repetitions, or all but the best."""

import re
from collections.abc import Callable

from llm.errors import CannotError
from llm.extractive.choosing import ALONE, LEANS_BACK, Candidate, size, worth
from llm.extractive.composing import MARKED
from llm.extractive.finding import Asked, located, on
from llm.extractive.sentences import MARK
from llm.extractive.structure import Blocks, Place, at, changed, kept, places, without
from llm.extractive.terms import VERY_ALIKE, likeness, terms
from llm.extractive.wording import ANSWER, CARDINAL, HELD, cardinal

Act = Callable[[Blocks, re.Match[str], Asked], Blocks]
REMOVE = r"(?:remove|delete|drop|omit|cut(?: out)?|get rid of|take out|exclude|leave out|erase|eliminate)"
SHORTEN = r"(?:shorten|condense|compress|summari[sz]e|abridge|trim|cut|reduce|limit|make|keep|bring|rewrite|give|write)"
PLAINLY = r"(?:shorten|condense|compress|abridge|trim|summari[sz]e)"
SHORTER = (
    r"(?:shorter|briefer|brief|concise|more concise|more compact|more succinct|succinct|less verbose|less wordy"
    r"|less long|short)"
)
SLIGHTLY, USUALLY = 0.75, 0.6
FRACTIONS = {"half": 0.5, "a half": 0.5, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3, "a quarter": 0.25}
FRACTION = rf"(?:{'|'.join(FRACTIONS)}|\d{{1,2}} ?(?:%|percent|per cent))"
EARLY = 0.1


def to_number(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """At most so many words, sentences or paragraphs, the most telling ones in their order."""
    what = match["what"]
    scope = located(what, blocks, asked) if what and not re.fullmatch(ANSWER, what, re.IGNORECASE) else places(blocks)
    number, unit = cardinal(match["number"]), match["unit"].lower()
    if unit.startswith("word"):
        return _to_words(blocks, scope, number - bool(match["less"]), asked)
    by_paragraph = unit.startswith("paragraph")
    number -= bool(match["less"])
    units = [[place for place in scope if place[0] == block] for block in sorted({place[0] for place in scope})]
    if not by_paragraph:
        units = [[place] for place in scope]
    if number < 1 or len(units) <= number:
        raise CannotError(f"The answer has no more than {number} {unit} there already.")
    value = _worth(blocks, asked)
    ranked = sorted(units, key=lambda unit: -max(value[place] for place in unit))
    chosen = {place for unit in ranked[:number] for place in unit}
    return without(blocks, [place for place in scope if place not in chosen])


def to_fraction(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    share = re.sub(r"\s", " ", match["share"].lower())
    part = FRACTIONS.get(share) or int(re.sub(r"\D", "", share)) / 100
    return _to_share(blocks, 1 - part if match["by"].lower() == "by" else part, match["what"], asked)


def shorter(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    slightly = re.search(r"\b(?:bit|little|slightly|somewhat)\b", match[0], re.IGNORECASE)
    return _to_share(blocks, SLIGHTLY if slightly else USUALLY, match.groupdict().get("what"), asked)


def _to_share(blocks: Blocks, share: float, what: str | None, asked: Asked) -> Blocks:
    whole = not what or re.fullmatch(ANSWER, what, re.IGNORECASE)
    scope = places(blocks) if whole else located(what or "", blocks, asked)
    words = sum(length(at(blocks, place)) for place in scope)
    return _to_words(blocks, scope, int(words * share), asked)


def _to_words(blocks: Blocks, scope: list[Place], words: int, asked: Asked) -> Blocks:
    if sum(length(at(blocks, place)) for place in scope) <= words:
        raise CannotError(f"The answer has no more than {words} words there already.")
    value, left, chosen = _worth(blocks, asked), words, set()
    for place in sorted(scope, key=lambda place: (-value[place], place)):
        if (needed := length(at(blocks, place))) <= left:
            chosen.add(place)
            left -= needed
    if not chosen:
        raise CannotError(
            f"No sentence there fits into {words} words, and sentences can only be left out, not written anew."
        )
    return without(blocks, [place for place in scope if place not in chosen])


def length(text: str) -> int:
    """Words of a sentence without its citations."""
    return size(MARK.sub("", text))


def _worth(blocks: Blocks, asked: Asked) -> dict[Place, float]:
    """How much each sentence says on the question, those that come early a little more."""
    found = places(blocks)
    given = [
        Candidate(0, 0, 2 * number, text, terms(text, asked.language))
        for number, text in enumerate(MARK.sub("", at(blocks, place)) for place in found)
    ]
    value = worth(given, terms(asked.question, asked.language))
    early = [EARLY if place[1] == 0 else 0.0 for place in found]
    leaning = [ALONE if LEANS_BACK.match(one.text) else 1.0 for one in given]
    return {place: one * less + more for place, one, less, more in zip(found, value, leaning, early, strict=True)}


def only(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    return kept(blocks, located(match["what"], blocks, asked))


def remove(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    return _some_left(without(blocks, located(match["what"], blocks, asked)))


def remove_topic(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    topic = asked.plain(match["what"])
    if not (found := on(topic, blocks, asked)):
        raise CannotError(f"No sentence of the answer speaks of \u201c{topic}\u201d.")
    return _some_left(without(blocks, found))


def remove_string(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    """Every instance of the quoted words, and nothing around them but the space before."""
    words = asked.quoted[int(match["quoted"])]
    left, right = (r"\b" if edge.isalnum() else "" for edge in (words[:1], words[-1:]))
    pattern = re.compile(rf"\s?{left}{re.escape(words)}{right}")
    if not any(pattern.search(at(blocks, place)) for place in places(blocks)):
        raise CannotError(f"The answer does not have the words \u201c{words}\u201d.")
    return _some_left(changed(blocks, lambda part: pattern.sub("", part)))


def remove_citations(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    numbers = {int(number) for number in re.findall(r"\d+", match.groupdict().get("numbers") or "")}

    def strip(mark: re.Match[str]) -> str:
        inside = MARKED.search(mark[0])
        left = [one for one in re.findall(r"\d+", inside[1] if inside else "") if int(one) not in numbers]
        return f"{mark[0][: mark[0].index('[')]}[{', '.join(left)}]" if numbers and left else ""

    new = changed(blocks, lambda part: MARK.sub(strip, part))
    if new == blocks:
        raise CannotError("The answer has no such citation.")
    return new


def remove_repeated(blocks: Blocks, match: re.Match[str], asked: Asked) -> Blocks:
    said: list[frozenset[str]] = []
    gone = []
    for place in places(blocks):
        found = terms(MARK.sub("", at(blocks, place)), asked.language)
        if any(likeness(found, other) >= VERY_ALIKE for other in said):
            gone.append(place)
        said.append(found)
    if not gone:
        raise CannotError("No sentence of the answer says nearly the same as one before it.")
    return without(blocks, gone)


def _some_left(blocks: Blocks) -> Blocks:
    if not blocks:
        raise CannotError("Nothing would be left of the answer.")
    return blocks


UNIT = r"(?P<unit>words?|sentences?|paragraphs?|bullet points?|bullets|points|items)"
LIMIT = (
    r"(?:(?P<less>fewer than|less than|under|below)|a (?:maximum|total) of|max(?:imum)?|at most|no more"
    r" than|not more than"
    r"|up to|about|around|approximately|roughly|exactly|only|just|within|the (?:most important|best|main))"
)
PART = (
    r"(?:sentence|paragraph|bullet|point|item|part|bit|discussion|mention|description|explanation|information|content"
    r"|detail|everything|anything|definition|example)"
)
RULES: tuple[tuple[str, Act], ...] = (
    (
        rf"(?:{SHORTEN}(?: down)?(?: (?P<what>{ANSWER}|.+?))??|use|answer|be|it should (?:have|be))"
        rf"(?: (?:to|into|in|with|down to))?(?: (?:a|the))?(?: {LIMIT})* (?P<number>{CARDINAL})[ -]{UNIT}"
        rf"(?: (?:or (?:less|fewer)|at most|max(?:imum)?|in (?:length|total)|long|only|version|answer|summary))*",
        to_number,
    ),
    (
        rf"{SHORTEN}(?: down)?(?: (?P<what>{ANSWER}|.+?))?? (?P<by>by|to|in|into)(?: about| around|"
        rf" roughly)? (?P<share>{FRACTION})"
        r"(?: (?:of )?(?:its|the)(?: (?:current|present|original))? (?:length|size))?",
        to_fraction,
    ),
    (
        rf"make (?P<what>{ANSWER}|.+?) (?P<by>)(?:about |around |roughly )?(?P<share>{FRACTION})"
        r" (?:as|the) (?:long|length|size)",
        to_fraction,
    ),
    (
        rf"(?:make|keep|write) (?P<what>{ANSWER}|.+?) (?:(?:a"
        rf" (?:bit|little)|slightly|somewhat|much|very|significantly) )?{SHORTER}",
        shorter,
    ),
    (rf"be (?:(?:a bit|a little|slightly) )?{SHORTER}", shorter),
    (rf"{ANSWER} is (?:too long|too verbose|too wordy)", shorter),
    (
        rf"{PLAINLY}(?: down)?(?: (?P<what>{ANSWER}))?(?: (?:a"
        rf" (?:bit|little)|slightly|somewhat|considerably|more))?",
        shorter,
    ),
    (rf"(?:{PLAINLY}|reduce)(?: down)? (?P<what>.+)", shorter),
    (
        rf"{REMOVE} (?:all |the |any |every )*(?:citations?|references?|reference numbers|citation marks)(?:"
        rf" from {ANSWER}| in {ANSWER})?",
        remove_citations,
    ),
    (
        rf"{REMOVE} (?:all |the |any |every )*(?:citations?|references?)(?: (?:to|of|from|for))?(?: papers?)?"
        r" (?P<numbers>\[?\d+\]?(?:(?:, and |, | and )\[?\d+\]?)*)",
        remove_citations,
    ),
    (
        rf"{REMOVE} (?:all |the |any |every )*(?:repeated|redundant|duplicated?|repetitive|repeating)(?: or"
        rf" redundant)?"
        r"(?: (?:sentences?|information|content|parts?|statements?|points?|text|ones))?(?: (?:in|from)"
        r" (?:the |this )?(?:answer|text))?",
        remove_repeated,
    ),
    (
        rf"{REMOVE} (?:all )?(?:the )?(?:repetitions?|redundanc(?:y|ies)|duplicates?)(?: (?:in|from)"
        rf" {ANSWER})?",
        remove_repeated,
    ),
    (
        rf"{REMOVE} (?:(?:all|every|each|any|the|instances?|occurrences?|of|string|words?|phrase|text|expression) )*"
        rf"{HELD}(?P<quoted>\d+){HELD}(?: (?:from|in|wherever|everywhere).*)?",
        remove_string,
    ),
    (rf"{REMOVE} (?:everything|all)(?: (?:but|except)(?: for)?) (?P<what>.+)", only),
    (r"(?:keep|give(?: me)?|show|leave|return|use|i want|retain)(?: only| just) (?P<what>.+)", only),
    (r"only (?:keep|give(?: me)?|show|leave|return|retain)? ?(?P<what>.+)", only),
    (
        rf"{REMOVE} (?P<what>(?:(?:the|all|any|every|this|that) )*(?:.+"
        rf" )?{PART}s?\b.*?)(?: from {ANSWER})?",
        remove,
    ),
    (rf"{REMOVE} (?:the )?(?P<what>[^{HELD}]+?)(?: (?:from|in) {ANSWER})?", remove_topic),
)
