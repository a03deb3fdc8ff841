"""PDFs: lines become paragraphs, and no file does harm."""

import subprocess
import sys
from io import BytesIO

import pytest
from pypdf import PdfWriter

from retrieval.paper_formats import PaperError, pdf, read_paper
from tests.fewer import first_cases
from tests.retrieval.conftest import make_pdf

BODY = [
    "Ferries to the northern islands have been studied for many years, and their timeta-",
    "bles are known to be state-of-the-art wherever the harbour authority lets them be so,",
    "which is seldom.",
    "A second paragraph begins here and runs on for a whole line, so that one can see that",
    "it goes on. The state-of-the-art is what it is, and well-",
    "known is written with its hyphen, since it is well-known elsewhere in this very text.",
]


def page(number: int, body: list[str]) -> list[str]:
    return [f"Journal of Harbours {number + 40}", "", *body, "", f"Page {number} of 5"]


def test_lines_become_paragraphs_without_headers_footers_and_split_words():
    filler = [f"Page after page says {word} at length, and each of them says it in a line of its own today."
              for word in ("one", "two", "three", "four")]  # fmt: skip
    pages = [page(1, BODY), *(page(number + 2, [line]) for number, line in enumerate(filler))]
    paper = read_paper("harbours.pdf", make_pdf(pages, title="On Harbours"))
    assert paper.title == "On Harbours"
    text = "\n".join(paper.paragraphs)
    assert "their timetables are known" in text
    assert "well-known is written" in text
    assert "Journal" not in text
    assert "Page 1" not in text
    assert paper.paragraphs[0].endswith("which is seldom.")
    assert paper.paragraphs[1].startswith("A second paragraph")
    assert len(paper.paragraphs) == 2 + 4


def test_headings_and_items_are_paragraphs_of_their_own():
    lines = ["1 Introduction", "We say what ferries do and why it matters to everybody on the islands.", "2.1 Winter",
             "\u2022 nobody sails", "(1) the harbour freezes", "(2) the crew rests"]  # fmt: skip
    found = pdf.paragraphs_of([lines])
    assert found[:1] == ["1 Introduction"]
    assert "2.1 Winter" in found
    assert found[-3:] == ["\u2022 nobody sails", "(1) the harbour freezes", "(2) the crew rests"]


def test_a_paragraph_continues_on_the_next_page():
    first = ["The sentence that begins on this page goes on for long and does not stop before the end", "of it, but"]
    second = ["goes on with the next one, until it ends."]
    assert len(pdf.paragraphs_of([first, second])) == 1


def test_ligatures_and_control_characters_are_replaced():
    assert pdf._clean("ef\ufb01cient\u00a0\x07\ud800 work") == "efficient  work"


def test_a_long_paragraph_is_split_between_sentences():
    lines = [f"This is sentence number {number} of a paragraph that has no end at all." for number in range(200)]
    found = pdf.paragraphs_of([lines])
    assert len(found) > 2
    assert all(len(part) <= pdf.LONGEST and part.endswith(".") for part in found)


def damaged() -> bytes:
    whole = make_pdf([BODY] * 3)
    return whole[: len(whole) // 3]


def many_pages() -> bytes:
    writer, made = PdfWriter(), BytesIO()
    for _ in range(501):
        writer.add_blank_page(10, 10)
    writer.write(made)
    return made.getvalue()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (lambda: b"PK\x03\x04 a zip", "is not a PDF"),
        (lambda: b"%PDF-1.7\nnothing more", "damaged or incomplete"),
        (damaged, "damaged or incomplete"),
        (lambda: make_pdf([BODY], password="canary"), "is encrypted"),
        (lambda: make_pdf([[]]), "only images"),
        (many_pages, "more than 500 pages"),
    ],
)
def test_invalid_pdfs_are_refused_with_a_sentence(made, reason):
    with pytest.raises(PaperError) as refused:
        read_paper("x.pdf", made())
    assert reason in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(("part", "times"), first_cases([(b" ", 300_000_000), (b"BT /F1 10 Tf (x) Tj ET ", 3_000_000)]))
def test_a_decompression_bomb_is_killed_and_refused(part, times, monkeypatch):
    monkeypatch.setattr(pdf, "SECONDS", 3)
    bomb = make_pdf([[]], stream=part * times)  # made here, so that only this test's process holds 300 MB
    assert len(bomb) < 2_000_000
    with pytest.raises(PaperError, match=r"takes longer than 3 seconds|memory|compressed in a way"):
        read_paper("x.pdf", bomb)


def test_the_reading_process_cannot_exceed_its_memory_limit():
    """The system refuses memory beyond the limit."""
    code = (
        "import resource, runpy, sys; most = runpy.run_path(sys.argv[1])['MOST_MEMORY']\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "try:\n    bytearray(2 << 30)\nexcept MemoryError:\n    print('refused')"
    )
    command = [sys.executable, "-I", "-c", code, str(pdf.READER)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "refused"


def test_the_reading_process_gets_no_environment_and_its_error_output_is_discarded(monkeypatch):
    asked, real = [], subprocess.run
    monkeypatch.setattr(pdf.subprocess, "run", lambda *a, **more: (asked.append(more), real(*a, **more))[1])
    assert read_paper("harbours.pdf", make_pdf([BODY])).paragraphs
    assert (asked[0]["env"], asked[0]["stderr"]) == ({}, subprocess.DEVNULL)
