"""The Markdown of all pages: with formulas and tables, without pictures and raw markup, and cleaned after rendering."""

from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import Any

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from annotation.formatting.formula_rules import FORMULA, FORMULA_BLOCK, read_formulas
from annotation.formatting.majority_direction import MAY_BE_RTL, Direction, direction_of
from annotation.formatting.typesetting import CLASSES, mathml

WORDS = "text"
"""The type of a token that contains only words."""
CODE_BLOCKS = ("fence", "code_block")
MOST_TYPESET = 50_000
"""Characters of all formulas of a text that are typeset; the others are shown as they are written."""
LONG = 40
"""Characters of a formula from which it may be wider than a column, and gets a box that scrolls."""
MATH = {
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom", "mprescripts",
    "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder",
    "munderover",
}  # fmt: skip
MATH_ATTRIBUTES = {
    "math": {"display"},
    "menclose": {"notation"},
    "mfrac": {"displaystyle", "linethickness", "scriptlevel"},
    "mi": {"mathvariant"},
    "mo": {"form", "lspace", "maxsize", "minsize", "movablelimits", "rspace", "stretchy", "symmetric"},
    "mover": {"accent"},
    "mrow": {"displaystyle", "scriptlevel"},
    "mspace": {"width", "height", "depth"},
    "mtable": {"displaystyle", "scriptlevel"},
    "mtd": {"columnspan"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
}
OWN_CLASSES = {
    "code": {"formula"},
    "div": {"formula", "long", "scroll-x"},
    "mtable": set(CLASSES.values()),
    "mtd": set(CLASSES.values()),
    "span": {"formula", "long"},
}
TAGS = {
    "blockquote", "br", "code", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "span",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


BLOCKS = {"blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "td", "th", "ul"}
"""Elements that may have a direction of their own."""


def new_parser(without: Sequence[str] = ()) -> MarkdownIt:
    """A parser without these rules, pictures and raw markup."""
    # Pictures are off, so that reading tells no other host the reader's address.
    parser = read_formulas(MarkdownIt("commonmark", {"html": False})).enable("table").disable(["image", *without])
    parser.add_render_rule(FORMULA, _formula)
    parser.add_render_rule(FORMULA_BLOCK, _formula_block)
    parser.core.ruler.push("directions", _in_directions)
    parser.core.ruler.push("boxes", _in_boxes)
    return parser


def clean(
    html: str,
    *,
    tags: Collection[str] = (),
    attributes: Mapping[str, set[str]] | None = None,
    classes: Mapping[str, set[str]] | None = None,
    **options: Any,
) -> SafeString:
    """Clean what a parser rendered; a caller may allow more `tags`, `attributes` and `classes` than its own."""
    allowed = {tag: set(names) for tag, names in OWN_CLASSES.items()}
    for tag, names in (classes or {}).items():
        allowed.setdefault(tag, set()).update(names)
    every: dict[str, set[str]] = {
        "ol": {"start"},
        "div": {"data-letters", "tabindex"},
        **MATH_ATTRIBUTES,
        **(attributes or {}),
    }
    every["span"] = every.get("span", set()) | {"data-letters", "tabindex"}
    for tag in BLOCKS:
        every[tag] = every.get(tag, set()) | {"dir"}
    return SafeString(
        nh3.clean(html, tags=TAGS | MATH | set(tags), attributes=every, allowed_classes=allowed, **options)
    )


def _typeset(token: Token, env: MutableMapping[str, Any]) -> str | None:
    env["typeset"] = env.get("typeset", 0) + len(token.info)
    return mathml(token.info, token.meta["display"]) if env["typeset"] <= MOST_TYPESET else None


def _formula(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[place]
    typeset = _typeset(token, env)
    if typeset is None:
        return renderer.renderInline([_code(token)], options, env)
    return renderer.renderInline(_typeset_in("span", token, typeset), options, env)


def _formula_block(
    renderer: RendererHTML, tokens: Sequence[Token], place: int, options: OptionsDict, env: MutableMapping[str, Any]
) -> str:
    token = tokens[place]
    typeset = _typeset(token, env)
    if typeset is None:
        paragraph = [Token("paragraph_open", "p", 1), _code(token), Token("paragraph_close", "p", -1)]
        return renderer.renderInline(paragraph, options, env)
    return renderer.renderInline(_typeset_in("div", token, typeset), options, env)


def _typeset_in(tag: str, formula: Token, typeset: str) -> list[Token]:
    """The formula with the number of its letters, by which a page finds places of the text as it is written."""
    name = "formula long" if len(formula.info) > LONG else "formula"
    parts = _within(tag, name, Token("html_inline", "", 0, content=typeset))
    parts[0].attrSet("data-letters", str(sum(map(str.isalnum, formula.content))))
    if len(formula.info) > LONG:
        parts[0].attrSet("tabindex", "0")
    return parts


def _code(formula: Token) -> Token:
    """The formula as it is written."""
    return Token("code_inline", "code", 0, attrs={"class": "formula"}, content=formula.content)


def _within(tag: str, name: str, *inside: Token) -> list[Token]:
    return [Token(f"{tag}_open", tag, 1, attrs={"class": name}), *inside, Token(f"{tag}_close", tag, -1)]


def _in_directions(state: StateCore) -> None:
    """Give each block of a text with letters of both directions its own: that of most of its letters."""
    if not MAY_BE_RTL.search(state.src):
        return
    texts: list[list[str]] = [[]]
    open_blocks: list[Token] = []
    blocks: list[tuple[Token, list[str], int]] = []
    for token in state.tokens:
        if token.nesting == 1:
            open_blocks.append(token)
            texts.append([])
        elif token.nesting == -1:
            inside = texts.pop()
            texts[-1] += inside
            blocks.append((open_blocks.pop(), inside, len(open_blocks)))
        elif token.type == "inline":
            texts[-1] += [child.content for child in token.children or [] if child.type == WORDS]
    around: list[Direction | None] = [None]
    for block, inside, depth in reversed(blocks):
        del around[depth + 1 :]
        own = (direction_of("\n".join(inside)) if block.tag in BLOCKS else None) or around[-1]
        if own is not None and own != around[-1]:
            block.attrSet("dir", own)
        around.append(own)


def _in_boxes(state: StateCore) -> None:
    """Put each table and block of code into a box in which it scrolls, also by keys."""
    boxed: list[Token] = []
    for token in state.tokens:
        opening, inside, closing = _within("div", "scroll-x", token)
        inside.info = "" if token.type in CODE_BLOCKS else token.info  # a language would be a class
        opening.attrSet("tabindex", "0")
        boxed += [opening] * (token.type in ("table_open", *CODE_BLOCKS))
        boxed.append(inside)
        boxed += [closing] * (token.type in ("table_close", *CODE_BLOCKS))
    state.tokens = boxed
