"""First answers and summaries, from quoted sentences."""

import re
from collections.abc import Sequence

from llm.asking import Material, Source
from llm.errors import CannotError
from llm.extractive.choosing import Candidate, Wanted, candidates, choose
from llm.extractive.sentences import CLOSERS, TERMINAL, WIDE, sentences
from llm.extractive.terms import rarity, repeats, terms, topic, weight

FIRST = Wanted(least=4, most=7, words=190)
SUMMARY = Wanted(least=1, most=3, words=100)
PARAGRAPHS = 3
NUMBERS = {"one": 1, "a single": 1, "two": 2, "three": 3, "four": 4, "five": 5}
COUNTED = re.compile(
    rf"\b({'|'.join(NUMBERS)}|[1-5])(?:[- ](?:very|short|brief|more|concise))*"
    rf" ?-?sentences?\b",
    re.IGNORECASE,
)
PAPERS = re.compile(
    r"\bpapers?\s+((?:\[?\d{1,3}\]?)(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s*&\s*)\[?\d{1,3}\]?)*)", re.IGNORECASE
)
MARKED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")


def first_answer(material: Material) -> str:
    """An answer to the question from the passages, a paragraph a paper where that reads."""
    given = candidates(material.passages, material.language)
    if not given:
        raise CannotError("The passages found for the question hold no sentence that could be quoted.")
    chosen = choose(given, terms(material.question, material.language), FIRST)
    return "\n\n".join(joined([cited(one.text, one.paper) for one in group]) for group in grouped(chosen))


def summary(material: Material) -> str:
    """What the passages say on the instruction and the previous answer does not."""
    wanted, about = SUMMARY, topic(material.instruction, material.language)
    if number := COUNTED.search(material.instruction):
        count = NUMBERS.get(number[1].lower()) or int(number[1])
        wanted = Wanted(least=count, most=count, words=max(100, 40 * count))
    said = [terms(sentence, material.language) for sentence in sentences(material.previous_answer)]
    given = [
        one
        for one in candidates(named_papers(material), material.language)
        if one.terms & about and not repeats(one.terms, said)
    ]
    if not given:
        raise CannotError(
            "The passages found for this instruction say nothing on it that the answer does not say already."
        )
    chosen = in_order(choose(bearing(given, about), about, wanted))
    return joined([cited(one.text, one.paper) for one in chosen])


def bearing(given: Sequence[Candidate], about: frozenset[str]) -> list[Candidate]:
    """The sentences that cover at least half as much of what is asked about as the one that covers most."""
    idf = rarity(one.terms for one in given)
    covered = [weight(one.terms & about, idf) for one in given]
    return [one for one, share in zip(given, covered, strict=True) if share >= max(covered) / 2]


def named_papers(material: Material) -> Sequence[Source]:
    """The passages of the papers that the instruction names by number; all where it names none that was found."""
    named: set[int] = set()
    for match in (*PAPERS.finditer(material.instruction), *MARKED.finditer(material.instruction)):
        named.update(int(number) for number in re.findall(r"\d+", match[1]))
    return [passage for passage in material.passages if passage.number in named] or material.passages


def cited(sentence: str, paper: int) -> str:
    """The sentence with its citation, before its end where nothing closes after that."""
    end = sentence.rstrip(CLOSERS)
    if end != sentence:
        return f"{sentence} [{paper}]"
    stop = TERMINAL.search(sentence, max(len(sentence) - 3, 0))
    at = stop.start() if stop else len(sentence)
    return f"{sentence[:at]} [{paper}]{sentence[at:]}"


def joined(parts: Sequence[str]) -> str:
    """Sentences as one paragraph, without a space where the script has none."""
    text = ""
    for part in parts:
        text += part if not text or text[-1] in WIDE else f" {part}"
    return text


def in_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Sentences by passage and place, the passages in the order of their first choice."""
    first = {one.rank: number for number, one in reversed(list(enumerate(chosen)))}
    return sorted(chosen, key=lambda one: (first[one.rank], one.place))


def grouped(chosen: Sequence[Candidate]) -> list[list[Candidate]]:
    """Sentences by paper, in the order of choice; papers with one sentence share the last paragraph."""
    groups: dict[int, list[Candidate]] = {}
    for one in chosen:
        groups.setdefault(one.paper, []).append(one)
    ordered = [in_order(group) for group in groups.values()]
    long = [group for group in ordered if len(group) > 1]
    kept = long[: PARAGRAPHS - 1] if len(long) < len(ordered) else long[:PARAGRAPHS]
    rest = [one for group in ordered if group not in kept for one in group]
    return [*kept, rest] if rest else kept
