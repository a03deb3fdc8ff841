"""What the scripts of annotators' pages say is marked for translation."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "static" / "js"
OF_RESEARCHERS = ("building.js", "making.js", "upload.js", "uploads/*", "review.js", "copy.js", "languages/*")
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<pattern>(?<=[(,=:!&|?;{}\[\ ])/(?![/*\s])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n\[]|\\.)+/)
      | (?P<mark>\bn?gettext\()
      | (?P<tick>`)
      | (?P<brace>[{}])""",
    re.VERBOSE | re.DOTALL,
)
PIECE = re.compile(r"(?P<end>`)|(?P<value>\$\{)|(?P<text>(?:[^`$\\]|\\.|\$(?!\{))+)", re.DOTALL)
OF_CODE = re.compile(r"[\[\]#=<>{}()/\\_$;]|^ ?[a-z]*\.[a-z]|\S:\S|, ?[.a-z]+$")
"""Selectors, names of events and addresses."""
OTHER = {"use strict", "px ", "a preview sends nothing", "not our server", " · Interrater"}
"""A directive, a unit of styles, reasons that nobody is shown, and the site's name."""
LIKE_A_TEXT = re.compile(r"[A-Za-z]{2,}.* |^ [A-Za-z]{2,}|[A-Za-z]{2,}[.!?:]? *$")


CLASSES = frozenset(
    name
    for style in SCRIPTS.with_name("css").glob("*.css")
    for name in re.findall(r"\.([a-z][\w-]*)", style.read_text(encoding="utf-8"))
)


def scripts() -> list[Path]:
    return sorted(
        path
        for path in SCRIPTS.rglob("*.js")
        if not any(path.relative_to(SCRIPTS).match(pattern) for pattern in OF_RESEARCHERS)
    )


def literals(script: str) -> Iterator[str]:
    """The texts of a script's strings and templates, without those that `gettext` and `ngettext` take."""
    place, depths, marked = 0, [0], False
    while (token := TOKEN.search(script, place)) is not None:
        place = token.end()
        if token["mark"]:
            marked = True
            continue
        if token["string"]:
            is_plural = marked and script[place : place + 2] == ", " and script[place + 2] in "\"'"
            if not marked:
                yield token["string"][1:-1]
            marked = is_plural
            continue
        marked = False
        if token["brace"] == "{":
            depths[-1] += 1
        elif token["brace"] and depths[-1]:
            depths[-1] -= 1
        elif token["tick"] or token["brace"]:  # a template begins, or goes on after a value
            if token["brace"]:
                depths.pop()
            text = ""
            while (piece := PIECE.match(script, place)) is not None and not piece["end"]:
                place = piece.end()
                if piece["value"]:
                    depths.append(0)
                    break
                text += piece["text"]
            else:
                place += 1
            yield text


def unmarked(script: str) -> list[str]:
    """The strings of a script that somebody would read."""
    return [
        text
        for text in literals(script)
        if " " in text
        and LIKE_A_TEXT.search(text)
        and not OF_CODE.search(text)
        and text not in OTHER
        and not CLASSES.issuperset(text.split())
    ]


def test_all_texts_of_annotators_scripts_are_marked():
    assert len(scripts()) > 60
    found = {str(path.relative_to(SCRIPTS)): unmarked(path.read_text(encoding="utf-8")) for path in scripts()}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "script",
    [
        'return "1 makes it the best, 2 the worst.";',
        "names.join(' and ')",
        "announce(`removed: ${text}`)",
        "announce(`${a ? `${b} tasks left` : ''}`)",
        'gettext("One %(n)s") + "two tasks"',
        "`${f({ a: 1 })} is done`",
        'said(/"/.test(one), "not a number")',
    ],
)
def test_an_unmarked_text_of_a_script_is_found(script):
    assert unmarked(script)


@pytest.mark.parametrize(
    "script",
    [
        'gettext("Press a letter.")',
        'ngettext("%(n)s place differs", "%(n)s places differ", n)',
        "// not read by anybody",
        'node.querySelector("button, a.link")',
        'one.matches(".choice input")',
        "`${gettext('Done.')} ${rest}`",
    ],
)
def test_marked_texts_and_selectors_are_not(script):
    assert unmarked(script) == []
