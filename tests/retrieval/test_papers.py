"""Papers of items, and passages whose ids and offsets depend on the file alone."""

import pytest

from retrieval.papers import Paper, papers_of, passages
from tests.retrieval.conftest import PAPERS, add_papers

pytestmark = pytest.mark.django_db


def test_papers_keep_the_order_of_the_file(papers_study):
    papers = papers_of(papers_study.items.get())
    assert [paper.id for paper in papers] == ["ferries", "trains"]
    assert papers[0] == Paper("ferries", "On ferries", ("A. Author",), None, None, tuple(PAPERS["ferries"]))


def test_an_item_without_papers_has_none(study):
    assert papers_of(study.items.first()) == ()


@pytest.mark.parametrize("odd", ["Straße, naïve", "\U0001d49c paper 🙂", "a\n\nb", ""])
def test_offsets_count_code_points_of_the_paragraphs_joined_by_two_newlines(papers_study, odd):
    (paper,) = papers_of(add_papers(papers_study, "odd", {"p": ["first", odd, "last"]}))
    found = passages(paper)
    assert [passage.id for passage in found] == ["p:0", "p:1", "p:2"]
    assert [paper.text[passage.start : passage.end] for passage in found] == ["first", odd, "last"]
    assert [passage.text for passage in found] == ["first", odd, "last"]
    assert paper.text == f"first\n\n{odd}\n\nlast"


def test_a_paper_returns_the_line_that_it_was_read_from():
    line = {"id": "p", "title": "T", "authors": ["A"], "url": "https://example.org", "year": 2024, "paragraphs": ["x"]}
    assert Paper.from_line(line).line() == line
    short = {"id": "p", "title": "", "authors": [], "paragraphs": []}
    assert Paper.from_line({"id": "p", "paragraphs": []}).line() == short
