"""LaTeX formulas as MathML, which browsers show without a script; None for what cannot be typeset as it is written.

`math_core` refuses what it does not know. What it would read without saying so is refused here: comments (`50%`),
definitions, references to other formulas. Equation numbers that nobody wrote are not added.
"""

import re
from functools import cache, lru_cache

from math_core import LatexError, LatexToMathML

LONGEST = 5_000
"""Characters of the longest formula that is typeset."""
DEEPEST = 100
"""How deep a formula may be nested: the library recurses, and a thread's stack ends after about 500 levels."""
MOST_MATHML = 100_000
MACROS = {"mbox": r"\text{#1}", "hbox": r"\text{#1}"}
TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}%^_]|[^\\{}%^_]+", flags=re.DOTALL)
REFUSED = re.compile(r"\\(?:(?:re)?newcommand|providecommand|[egx]?def|let|(?:eq)?ref)\*?")
NUMBERED = re.compile(r"\\(begin|end)\{(equation|align|alignat|gather|multline)\}")
SPLIT = re.compile(r"\\(begin|end)\{split\}")
ENVIRONMENT = {r"\begin": 1, r"\end": -1}
LINE_BREAK = (r"\\",)
STYLE = re.compile(r' style="([^"]*)"')
CLASSES = {
    "text-align: right": "math-right",
    "text-align: left": "math-left",
    "padding-left:1em": "math-apart",
    "border-left": "math-line-left",
    "border-right": "math-line-right",
    "border-top": "math-line-top",
    "border-bottom": "math-line-bottom",
    "width: 100%": "math-all",
    "width: 50%": "math-half",
}
"""Our classes for declarations of the library: the content security policy refuses styles in attributes."""


@lru_cache(maxsize=512)
def mathml(latex: str, display: bool) -> str | None:
    """MathML of the formula, a `math` element; None if it has to be shown as it is written."""
    if len(latex) > LONGEST:
        return None
    latex = SPLIT.sub(r"\\\1{aligned}", NUMBERED.sub(r"\\\1{\2*}", latex))
    tokens = TOKEN.findall(latex)
    if not latex.strip() or "%" in tokens or any(REFUSED.fullmatch(token) for token in tokens):
        return None
    if _depth(tokens) > DEEPEST:
        return None
    if r"\tag" in tokens and r"\begin" not in tokens:
        latex = rf"\begin{{equation*}}{latex}\end{{equation*}}"
    elif _has_lines(tokens):
        latex = rf"\begin{{gathered}}{latex}\end{{gathered}}"
    try:
        typeset = _converter().convert_with_local_state(latex, displaystyle=display)
    except LatexError:
        return None
    return STYLE.sub(_with_class, typeset) if len(typeset) <= MOST_MATHML else None


@cache
def _converter() -> LatexToMathML:
    return LatexToMathML(fancy_error=False, allow_unreliable_rendering=True, macros=MACROS)


def _depth(tokens: list[str]) -> int:
    """A number at least as high as the deepest nesting: of groups, and of commands that take one another."""
    deepest = depth = chain = 0
    for token in tokens:
        if token in ("{", r"\left", r"\begin"):
            depth += 1
        elif token in ("}", r"\right", r"\end"):
            depth -= 1
        chain = chain + 1 if token[0] in "\\^_" or not token.strip() else 0
        deepest = max(deepest, depth + chain)
    return deepest


def _has_lines(tokens: list[str]) -> bool:
    """Whether the formula breaks lines outside of any environment."""
    inside = 0
    for token in tokens:
        inside += ENVIRONMENT.get(token, 0)
        if token in LINE_BREAK and not inside:
            return True
    return False


def _with_class(style: re.Match[str]) -> str:
    names = [name for declaration, name in CLASSES.items() if declaration in style[1]]
    return f' class="{" ".join(names)}"' if names else ""
