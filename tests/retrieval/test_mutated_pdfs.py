"""Whatever bytes a PDF has, it is read or refused with a sentence, and soon."""

import json
import re
from collections import Counter as counted

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval.paper_formats import PaperError, pdf, pdf_pages, read_paper
from retrieval.papers import Paper
from tests.retrieval.conftest import make_pdf

LINES = ["Ferries to the northern islands have been studied for many years, and their timeta-",
         "bles are known to be state-of-the-art wherever the harbour authority lets them be so."]  # fmt: skip
DRAWN = b"BT /F1 10 Tf 12 TL 50 750 Td (Ferries sail at nine in the morning.) Tj T* [(To) -250 (day.)] TJ ET "
PLAIN = make_pdf([LINES, LINES, ["The end."]], title="On Harbours")
PACKED = make_pdf([[], []], stream=DRAWN * 20)
LOCKED = make_pdf([LINES], password="canary")
OBJECT = re.compile(rb"\d+ 0 obj.*?endobj\n?", re.DOTALL)
LENGTH = re.compile(rb"(?<=/Length )\d+")
NUMBER = re.compile(rb"(?<![\w.])\d+(?![\w.])")
"""Lengths, offsets, counts, and what refers to what."""
NAME = re.compile(rb"/[A-Za-z]+")
BOUNDED = settings(max_examples=100, suppress_health_check=list(HealthCheck), database=None, derandomize=True)


def with_flips(draw, content):
    changed = bytearray(content)
    for place in draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        changed[place] = draw(st.integers(0, 255))
    return bytes(changed)


def with_a_cut(draw, content):
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    return content[:start] + content[end:]


def with_an_object_twice(draw, content):
    one = draw(st.sampled_from(OBJECT.findall(content) or [b""]))
    place = draw(st.sampled_from([found.start() for found in OBJECT.finditer(content)] or [0]))
    return content[:place] + one + content[place:]


def with_an_object_in_place_of_another(draw, content):
    objects = [*OBJECT.finditer(content)]
    if not objects:
        return content
    old, new = draw(st.sampled_from(objects)), draw(st.sampled_from(objects))
    number = old[0].partition(b" ")[0]
    return content[: old.start()] + number + b" " + new[0].partition(b" ")[2] + content[old.end() :]


def with_others(pattern, strategy):
    def change(draw, content):
        places = [found.span() for found in pattern.finditer(content)]
        if not places:
            return content
        start, end = draw(st.sampled_from(places))
        return content[:start] + draw(strategy(pattern, content)) + content[end:]

    return change


def numbers(pattern, content):
    around = st.integers(-2, 12) | st.integers(0, len(content)) | st.sampled_from([2**31, 10**12, 10**400])
    return around.map(lambda number: str(number).encode()) | st.sampled_from([b"x", b"<<>>", b"[]", b"1 0 R", b"1.5"])


def names(pattern, content):
    return st.sampled_from(sorted({*pattern.findall(content), b"/LZWDecode", b"/ASCII85Decode", b"/JBIG2Decode"}))


CHANGES = (
    with_flips, with_a_cut, with_an_object_twice, with_an_object_in_place_of_another, with_others(LENGTH, numbers),
    with_others(NUMBER, numbers), with_others(NAME, names),
)  # fmt: skip


@st.composite
def mutated(draw):
    """A valid PDF after one to three changes."""
    content = draw(st.sampled_from([PLAIN, PACKED, LOCKED]))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=3)):
        content = change(draw, content) or b"%PDF-"
    return content


def read_or_refused(content):
    """The paper, or the sentence of the refusal."""
    try:
        return read_paper("x.pdf", content)
    except PaperError as refused:
        said = str(refused)
    assert said.startswith("x.pdf ")
    assert said.endswith(".")
    return said


def test_a_mutated_pdf_is_read_or_refused_by_what_is_wrong_with_it(monkeypatch):
    """The reading program in this process: an exception that it does not expect would fail the test."""

    def pages(content):
        found = json.loads(json.dumps(pdf_pages.answer(content)))
        if "problem" in found:
            raise PaperError(found["problem"])
        return found

    monkeypatch.setattr(pdf, "_pages", pages)
    seen = set()

    @BOUNDED
    @given(mutated())
    def check(content):
        seen.add(type(read_or_refused(content)))

    check()
    assert seen == {Paper, str}


@pytest.mark.thorough
def test_a_mutated_pdf_is_read_or_refused_by_a_process_of_its_own(monkeypatch):
    """As in use: the process is killed if it takes too long, and its end is a refusal too."""
    monkeypatch.setattr(pdf, "SECONDS", 10)
    seen = []

    @settings(BOUNDED, max_examples=6)
    @given(mutated())
    def check(content):
        seen.append(read_or_refused(content))

    check()
    assert len(seen) >= 6


@BOUNDED
@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=60).map(str.strip)
                 | st.sampled_from(["", "1 Introduction", "Page 3 of 5", "\u2022 one", "known-", "well-known"])),
        max_size=4,
    )
)  # fmt: skip
def test_whatever_lines_pages_have_no_letter_is_lost_but_those_of_running_lines(pages):
    found = "".join(pdf.paragraphs_of(pages))
    given_letters = sorted(letter for page in pages for line in page for letter in line if letter.isalpha())
    inner = sorted(letter for page in pages for line in [line for line in page if line][2:-2]
                   for letter in line if letter.isalpha())  # fmt: skip
    read = sorted(filter(str.isalpha, found))
    assert not counted(inner) - counted(read)
    assert not counted(read) - counted(given_letters)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "pages",
    [
        [["a" * 2_000_000, "b"]],
        [["word-by-word" * 100_000]],
        [["an endless sentence of words that goes on,"] * 40_000],
        [["of words that go on, well-"] * 60_000],
        [["page" + " " * 1_000_000 + "x"]],
        [["and ends." + '"' * 1_000_000 + "x"]],
    ],
    ids=["a word", "hyphens", "a sentence", "split words", "blanks", "quotation marks"],
)
def test_lines_without_end_take_no_time_without_end(pages):
    """Of work that grows with the square of a text, none would end before the time limit of the tests."""
    assert pdf.paragraphs_of(pages)
