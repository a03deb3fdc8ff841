"""An answer as paragraphs and lists of sentences, which can be taken out, moved and put together again."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from llm.extractive.composing import joined
from llm.extractive.sentences import LIST_MARK, sentences

BULLET, NUMBERED = "-", "1."


@dataclass(frozen=True)
class Block:
    """A paragraph of sentences, or a list of items where `mark` is `-` or `1.`.

    `raw` is the text as it was, while nothing in it has changed; `gap` stands between it and the block before.
    """

    parts: tuple[str, ...]
    mark: str = ""
    raw: str | None = None
    gap: str = "\n\n"

    @property
    def text(self) -> str:
        if self.raw is not None:
            return self.raw
        if not self.mark:
            return joined(self.parts)
        signs = (f"{number}." if self.mark == NUMBERED else self.mark for number in range(1, len(self.parts) + 1))
        return "\n".join(f"{sign} {part}" for sign, part in zip(signs, self.parts, strict=True))

    def with_parts(self, parts: Iterable[str]) -> "Block":
        """The block with other parts; the same block where they are the same."""
        kept = tuple(parts)
        return self if kept == self.parts else replace(self, parts=kept, raw=None)


Blocks = tuple[Block, ...]
Place = tuple[int, int]
"""A part by the number of its block and its own in it, both from 0."""


def blocks_of(answer: str) -> Blocks:
    """The paragraphs and lists of an answer."""
    found: list[Block] = []
    for chunk in re.split(r"\n\s*\n", answer.strip()):
        lines: list[str] = []
        gap = "\n\n"
        for line in chunk.split("\n"):
            if lines and bool(LIST_MARK.match(lines[-1].lstrip())) != bool(LIST_MARK.match(line.lstrip())):
                found.append(_block(lines, gap))
                lines, gap = [], "\n"
            lines.append(line)
        found.append(_block(lines, gap))
    return tuple(block for block in found if block.parts)


def _block(lines: Sequence[str], gap: str) -> Block:
    raw = "\n".join(lines)
    stripped = [line.strip() for line in lines if line.strip()]
    if not stripped or not LIST_MARK.match(stripped[0]):
        return Block(tuple(sentences(raw)), raw=raw, gap=gap)
    mark = NUMBERED if stripped[0].lstrip("(")[0].isdecimal() else BULLET
    return Block(tuple(LIST_MARK.sub("", line, count=1) for line in stripped), mark, raw, gap)


def written(blocks: Iterable[Block]) -> str:
    """The answer's text."""
    text = ""
    for block in blocks:
        text += (block.gap if text else "") + block.text
    return text


def places(blocks: Blocks) -> list[Place]:
    """The places of all sentences and items, in order."""
    return [(number, part) for number, block in enumerate(blocks) for part in range(len(block.parts))]


def at(blocks: Blocks, place: Place) -> str:
    return blocks[place[0]].parts[place[1]]


def kept(blocks: Blocks, keep: Iterable[Place]) -> Blocks:
    """The answer with these parts only."""
    wanted = set(keep)
    return _full(
        block.with_parts(part for number, part in enumerate(block.parts) if (place, number) in wanted)
        for place, block in enumerate(blocks)
    )


def without(blocks: Blocks, gone: Iterable[Place]) -> Blocks:
    """The answer without these parts."""
    left_out = set(gone)
    return kept(blocks, (place for place in places(blocks) if place not in left_out))


def changed(blocks: Blocks, change: Callable[[str], str]) -> Blocks:
    """The answer with each part changed; parts that become empty go."""
    return _full(block.with_parts(new for part in block.parts if (new := change(part).strip())) for block in blocks)


def as_list(block: Block, mark: str) -> Block:
    return block if block.mark == mark else Block(block.parts, mark)


def as_paragraph(blocks: Iterable[Block]) -> Block:
    """All parts as one paragraph."""
    return Block(tuple(part for block in blocks for part in block.parts))


def _full(blocks: Iterable[Block]) -> Blocks:
    return tuple(block for block in blocks if block.parts)
