r"""Formulas in Markdown: `\(…\)`, `\[…\]`, `$$…$$`, `$…$` and bare environments such as `\begin{align}`.

Markdown takes backslashes, underscores, line beginnings and bars in tables for markup. Formulas are therefore found
before it does, after code. A token `formula` has the text as it is written in `content` and the LaTeX in `info`.

A price is not a formula: after the first `$` and before the last there is no blank, no Latin letter or digit touches
them from outside (but "the $k$th"), and what is between them is not prose. Brackets around prose or numbers are
escaped brackets.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline

FORMULA, FORMULA_BLOCK, FORMULA_LINES = "formula", "formula_block", "formula_lines"
MOST_LINES = 200
"""Lines of the longest formula on lines of its own."""
MOST_ESCAPED = 1_000
"""Characters of the longest prose in escaped brackets."""
MOST_ENVIRONMENT = 20_000
"""Characters of the longest environment within a paragraph."""
DEEPEST_ENVIRONMENT = 20
"""How often an environment may contain itself."""
BRACKETS = re.compile(r"\\(?P<open>[(\[])(?P<latex>(?:[^\\`]|\\[^()\[\]])*)\\(?P<close>[)\]])", flags=re.DOTALL)
TWO_DOLLARS = re.compile(r"\$\$(?P<latex>(?:[^$\\`]|\\.)+)\$\$", flags=re.DOTALL)
ONE_DOLLAR = re.compile(
    r"\$(?P<latex>(?![\s$])(?:[^$\\`]|\\.)*(?<!\s))\$(?=(?:st|nd|rd|th|s)\b|[^A-Za-z0-9_$]|\Z)", flags=re.DOTALL
)
WORD = r"[^\W\d_]{2,}"
PROSE = re.compile(rf"{WORD}[,;:]?\s+{WORD}|(?:\s|^){WORD}\s|\s{WORD}[.!?]?$")
NUMBERS = re.compile(r"[\s\d,;\u2013-]*")
TOUCHING = re.compile(r"[A-Za-z0-9_$]")
SIGN = re.compile(r"\w|\\")
ENVIRONMENT = re.compile(r"\\begin\{(?P<name>[^{}\\`$\n]+)\}")
DISPLAYED = re.compile(r"(?:equation|align|alignat|gather|multline|eqnarray)\*?")
MARK = re.compile(r"`+|\\.|\$\$?", flags=re.DOTALL)
UNDER_HEAD = re.compile(r"[-:|][-:| \t]*")
PAIRS = {"(": ")", "[": "]"}
OPENING = {")": "(", "]": "["}
ENDS = {r"\[": r"\]", "$$": "$$"}


def read_formulas(parser: MarkdownIt) -> MarkdownIt:
    """Make the parser find formulas; the caller says how they are rendered."""
    parser.inline.ruler.before("escape", FORMULA, _inline)
    ends = RuleOptionsType(alt=["paragraph", "reference", "blockquote", "list"])
    parser.block.ruler.before("fence", FORMULA_BLOCK, _block, ends)
    parser.block.ruler.before("lheading", FORMULA_LINES, _continue_formulas)
    parser.block.ruler.at("table", _table, RuleOptionsType(alt=["paragraph", "reference"]))
    return parser


def is_prose(latex: str) -> bool:
    """Whether what is between two marks of a formula is words, or nothing that could be meant."""
    return not SIGN.search(latex) or ("\\" not in latex and bool(PROSE.search(latex)))


class Formula(NamedTuple):
    """A formula within a text: its place, what is typeset of it, and whether it is displayed on a line of its own."""

    start: int
    end: int
    latex: str
    is_displayed: bool


def formula_at(text: str, start: int) -> Formula | None:
    """The formula that begins exactly here, if any."""
    if text[start] == "$":
        return _between_dollars(text, start)
    if text.startswith("\\begin{", start):
        return _environment(text, start)
    found = BRACKETS.match(text, start)
    if found is None or PAIRS[found["open"]] != found["close"] or _are_escaped(found):
        return None
    return Formula(start, found.end(), found["latex"], found["open"] == "[")


def formulas_from(text: str, start: int, end: int) -> Iterator[Formula]:
    """The formulas that begin between two places, without those in code."""
    while (mark := MARK.search(text, start, end)) is not None:
        start = mark.end()
        if mark[0][0] == "`":
            closing = re.compile(f"(?<!`){mark[0]}(?!`)").search(text, start, end)
            start = closing.end() if closing else start
        elif formula := formula_at(text, mark.start()):
            yield formula
            start = formula.end


def _between_dollars(text: str, start: int) -> Formula | None:
    if text.startswith("$$", start):
        found, is_displayed = TWO_DOLLARS.match(text, start), True
    elif start and TOUCHING.match(text, start - 1):
        return None
    else:
        found, is_displayed = ONE_DOLLAR.match(text, start), False
    if found is None or is_prose(found["latex"]):
        return None
    return Formula(start, found.end(), found["latex"], is_displayed)


def _environment(text: str, start: int) -> Formula | None:
    opening = ENVIRONMENT.match(text, start)
    if opening is None:
        return None
    depth = 0
    marks = re.compile(rf"\\(?P<side>begin|end)\{{{re.escape(opening['name'])}\}}")
    for mark in marks.finditer(text, start, start + MOST_ENVIRONMENT):
        depth += 1 if mark["side"] == "begin" else -1
        if depth > DEEPEST_ENVIRONMENT:
            return None
        if not depth:
            is_displayed = DISPLAYED.fullmatch(opening["name"]) is not None
            return Formula(start, mark.end(), text[start : mark.end()], is_displayed)
    return None


def _are_escaped(found: re.Match[str]) -> bool:
    """Whether two brackets are Markdown's escapes: around words, or around numbers as in a citation."""
    return is_prose(found["latex"]) or (found["open"] == "[" and bool(NUMBERS.fullmatch(found["latex"])))


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    formula = formula_at(state.src, state.pos)
    if formula is None:
        return _half(state, silent)
    if not silent:
        token = state.push(FORMULA, "", 0)
        token.content, token.info = state.src[formula.start : formula.end], formula.latex
        token.meta = {"display": formula.is_displayed}
    state.pos = formula.end
    return True


def _half(state: StateInline, silent: bool) -> bool:
    """Keep the backslash of half a formula: of its beginning, for example, if a reply was cut off."""
    end = state.pos + 2
    if state.src[state.pos] != "\\" or state.src[state.pos + 1 : end] not in tuple("()[]"):
        return False
    found = BRACKETS.match(state.src, state.pos)
    if found and PAIRS[found["open"]] == found["close"]:
        return False
    start = state.src.rfind("\\" + OPENING.get(state.src[end - 1], "\0"), max(0, end - MOST_ESCAPED), state.pos)
    found = BRACKETS.match(state.src, start) if start >= 0 else None
    if found and found.end() == end and _are_escaped(found):
        return False
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _continue_formulas(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Make the lines of a formula continue its paragraph, whatever they begin with; reads nothing itself.

    Lines that are indented by more than three columns continue a paragraph in any case, so that they get this indent.
    """
    rules = state.md.block.ruler.getRules("paragraph")
    line, start = first, state.bMarks[first]
    while line < end and not state.isEmpty(line):
        if line > first and state.sCount[line] - state.blkIndent <= 3 and any(r(state, line, end, True) for r in rules):
            break
        for formula in formulas_from(state.src, start, state.eMarks[line]):
            last = line
            while last < end and state.eMarks[last] < formula.end and not state.isEmpty(last):
                last += 1
            if last == line or last >= end or state.isEmpty(last):
                continue
            for within in range(line + 1, last + 1):
                state.sCount[within] = max(state.sCount[within], state.blkIndent + 4)
            line, start = last, formula.end
            break
        else:
            line += 1
            start = state.bMarks[line] if line < end else 0
    return False


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Read a table in which bars within formulas do not divide cells."""
    written, number = state.src, len(state.tokens)
    places = _bars(state, first, end)
    if not places:
        return table(state, first, end, silent)
    unused = next(sign for sign in map(chr, range(0xE000, 0x110000)) if sign not in written)
    starts = (0, *(place + 1 for place in places))
    ends = (*places, len(written))
    state.src = unused.join(written[start:stop] for start, stop in zip(starts, ends, strict=True))
    try:
        is_table = table(state, first, end, silent)
    finally:
        state.src = written
    for token in state.tokens[number:]:
        token.content = token.content.replace(unused, "|")
    # What looks like a formula may be two cells with a dollar each.
    return is_table or table(state, first, end, silent)


def _bars(state: StateBlock, first: int, end: int) -> list[int]:
    """The places of the bars within formulas, of the rows that a table beginning here would have."""
    below = first + 1
    if below >= end or not UNDER_HEAD.fullmatch(
        state.src, state.bMarks[below] + state.tShift[below], state.eMarks[below]
    ):
        return []
    places: list[int] = []
    for line in range(first, end):
        if state.isEmpty(line):
            break
        for formula in formulas_from(state.src, state.bMarks[line], state.eMarks[line]):
            if formula.end <= state.eMarks[line]:
                places += [place for place in range(formula.start, formula.end) if state.src[place] == "|"]
    return places


def _block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    opening = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
    environment = ENVIRONMENT.match(opening)
    start = environment[0] if environment else opening[:2]
    close = rf"\end{{{environment['name']}}}" if environment else ENDS.get(start)
    if close is None:
        return False
    last = _last_line(state, first, end, start, close)
    if last is None:
        return False
    written = state.getLines(first, last + 1, state.blkIndent, False).strip()
    latex = written if environment else written[len(start) : -len(close)]
    if is_prose(latex) or NUMBERS.fullmatch(latex):
        return False
    if not silent:
        token = state.push(FORMULA_BLOCK, "", 0)
        token.content, token.info, token.meta = written, latex, {"display": True}
        token.block, token.map = True, [first, last + 1]
    state.line = last + 1
    return True


def _last_line(state: StateBlock, first: int, end: int, start: str, close: str) -> int | None:
    """The line that ends with the formula's end, if no other formula begins or text follows on the way."""
    for line in range(first, min(end, first + MOST_LINES)):
        begin = state.bMarks[line] + state.tShift[line]
        text = state.src[begin : state.eMarks[line]]
        if line > first and not state.isEmpty(line) and state.sCount[line] < state.blkIndent:
            return None
        searched = text[len(start) :] if line == first else text
        if close in searched:
            ends_here = searched.rstrip().endswith(close) and searched.count(close) == 1
            return line if ends_here else None
        if start in searched:
            return None
    return None
