"""Plain English in everything people read; CONTRIBUTING.md has the rules that these patterns stand for."""

import re
from pathlib import Path

import pytest

from tests.house import named, tracked

pytestmark = pytest.mark.quick
READ = {".py", ".md", ".html", ".js", ".css", ".yml", ".yaml", ".toml", ".example", ""}
LEFT_OUT = (
    "LICENSE", "tests/test_wording.py", "tests/llm/test_extractive.py", "tests/retrieval/test_pdf.py", "requirements/",
    "static/vendor/", "demo/", "tests/data/", "benchmarks/search_questions.json",
)  # fmt: skip
"""Texts that are not ours to word: licences, locked packages, vendored files, and documents that people rate."""
UNWRAPPED = "/templates/"
"""A template whose lines are paragraphs of the file that it makes."""
ODD = {
    r"\banew\b": "again",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bwhoever\b": "the person who, or a noun",
    r"\bwhat (?:is|are) there\b": "name the thing",
    r"\bstands? (?:there|here|beside|in(?! for\b)|for itself|by itself)\b": "is",
    r"\bgoes? on with\b": "continue with",
    r"\bis told of\b": "name who reports what",
    r"\bone (?:key|row|line|entry|module|file|call|task|rank|kind) an? (?:[a-z]+)\b": "per",
    r"\b(?:two|three|four|five|\d+) [a-z]+s an? (?:item|task|rater|page|turn|question|unit|call|output|study|row)\b": (
        "per"
    ),
    r"\ba sign of life\b|\bsigns of life\b": "heartbeat",
    r"\bwhere there (?:is|are) (?:no|none|one)\b": "if",
    r"\bNone where\b": "None if",
    r"\btakes? part in\b": "is in",
    r"\bhave .{1,30} taken over\b": "copy",
}

ANY_ODD = re.compile("|".join(f"(?:{pattern})" for pattern in ODD), re.IGNORECASE)
"""Whether a text has any of them: one search in place of one per line and wording."""

JOINT = re.compile(r"(?<=[a-zA-Z0-9])_+(?=[a-zA-Z0-9])")
"""What joins the words of a name."""


def texts() -> list[Path]:
    ours = (path for path in tracked() if path.suffix in READ and "migrations" not in path.parts)
    return [path for path in ours if not named(path).startswith(LEFT_OUT)]


def odd_words(text: str) -> list[tuple[int, str, str]]:
    """Line, match and the plain way to say it, for each odd wording in `text`; names are read as words."""
    if not ANY_ODD.search(JOINT.sub(" ", text)):
        return []
    return [
        (number, found.group(), better)
        for number, line in enumerate(JOINT.sub(" ", text).splitlines(), 1)
        for pattern, better in ODD.items()
        if (found := re.search(pattern, line, re.IGNORECASE))
    ]


def test_texts_use_plain_english():
    found = []
    for path in texts():
        for number, words, better in odd_words(path.read_text(encoding="utf-8")):
            found.append(f"{named(path)}:{number}: {words!r}; rather: {better}")
    assert len(texts()) > 300
    assert found == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Read it anew.", "There is one key an answer.", "None where nobody has it.", "Whoever asks first gets it.",
        "def test_the_mended_file_imports_once():", "messages_go_to_whoever_asks", "what_stands_in_the_form = 1",
    ],
)  # fmt: skip
def test_an_odd_sentence_is_found(sentence):
    assert odd_words(sentence)


def test_words_of_the_field_are_not_odd():
    assert odd_words("It stands in for a model; the understanding_of_amended_rules is recommended.") == []


def test_lines_of_markdown_are_short():
    long = []
    for path in (
        path
        for path in tracked()
        if path.suffix == ".md" and UNWRAPPED not in named(path) and not named(path).startswith(LEFT_OUT)
    ):
        code = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code ^= line.startswith("```")
            if len(line) > 120 and not code:
                long.append(f"{named(path)}:{number}: {len(line)}")
    assert long == []
