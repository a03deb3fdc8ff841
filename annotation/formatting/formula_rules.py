r"""Formulas in Markdown: `\(…\)`, `\[…\]`, `$$…$$`, `$…$` and bare environments such as `\begin{align}`.

Markdown takes backslashes, underscores and line beginnings for markup. Formulas are therefore found before it does,
after code. A token `formula` has the text as it is written in `content` and the LaTeX in `info`.

A price is not a formula: after the first `$` and before the last there is no blank, no Latin letter or digit touches
them from outside (but "the $k$th"), and what is between them is not prose. Brackets around prose or numbers are
escaped brackets.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

FORMULA, FORMULA_BLOCK = "formula", "formula_block"
MOST_LINES = 200
"""Lines of the longest formula on lines of its own."""
MOST_ESCAPED = 1_000
"""Characters of the longest prose in escaped brackets."""
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
ENVIRONMENT = re.compile(r"\\begin\{(?P<name>(?:equation|align|alignat|gather|multline|eqnarray)\*?)\}")
PAIRS = {"(": ")", "[": "]"}
OPENING = {")": "(", "]": "["}
ENDS = {r"\[": r"\]", "$$": "$$"}


def read_formulas(parser: MarkdownIt) -> MarkdownIt:
    """Make the parser find formulas; the caller says how they are rendered."""
    parser.inline.ruler.before("escape", FORMULA, _inline)
    ends = RuleOptionsType(alt=["paragraph", "reference", "blockquote", "list"])
    parser.block.ruler.before("fence", FORMULA_BLOCK, _block, ends)
    return parser


def is_prose(latex: str) -> bool:
    """Whether what is between two marks of a formula is words, or nothing that could be meant."""
    return not SIGN.search(latex) or ("\\" not in latex and bool(PROSE.search(latex)))


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] == "\\" and state.src[state.pos + 1 : state.pos + 2] in tuple("()[]"):
        return _bracketed(state, silent)
    if state.src[state.pos] == "$":
        return _between_dollars(state, silent)
    return False


def _bracketed(state: StateInline, silent: bool) -> bool:
    found = BRACKETS.match(state.src, state.pos)
    if found and PAIRS.get(found["open"]) == found["close"]:
        return not _are_escaped(found) and _add(state, silent, found, display=found["open"] == "[")
    end = state.pos + 2
    start = state.src.rfind("\\" + OPENING.get(state.src[end - 1], "\0"), max(0, end - MOST_ESCAPED), state.pos)
    found = BRACKETS.match(state.src, start) if start >= 0 else None
    if found and found.end() == end and _are_escaped(found):
        return False
    # The backslash of half a formula stays: its beginning, for example, if a reply was cut off.
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _are_escaped(found: re.Match[str]) -> bool:
    """Whether two brackets are Markdown's escapes: around words, or around numbers as in a citation."""
    return is_prose(found["latex"]) or (found["open"] == "[" and bool(NUMBERS.fullmatch(found["latex"])))


def _between_dollars(state: StateInline, silent: bool) -> bool:
    text, pos = state.src, state.pos
    if text.startswith("$$", pos):
        found, display = TWO_DOLLARS.match(text, pos), True
    elif pos and TOUCHING.match(text, pos - 1):
        return False
    else:
        found, display = ONE_DOLLAR.match(text, pos), False
    return found is not None and not is_prose(found["latex"]) and _add(state, silent, found, display)


def _add(state: StateInline, silent: bool, found: re.Match[str], display: bool) -> bool:
    if not silent:
        token = state.push(FORMULA, "", 0)
        token.content, token.info, token.meta = found[0], found["latex"], {"display": display}
    state.pos = found.end()
    return True


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
