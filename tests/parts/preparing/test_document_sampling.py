"""Samples are uniform, the same for the same seed, and within the range of words."""

import json
from collections import Counter
from itertools import combinations

import pytest
from django.core.management import CommandError, call_command

from parts.preparing.document_sampling import DocumentsRefusedError, WordRange, draw
from parts.preparing.models import DocumentSample, SourceDocument
from tests.parts.preparing.prepared_studies import document_line, empty_study, write_documents

pytestmark = pytest.mark.quick


def lines(count, source="news", words=20):
    return [(number + 1, document_line(number, source, words)) for number in range(count)]


def keys(sample):
    return [document.key for document in sample.documents]


def test_every_pair_of_documents_is_drawn_about_equally_often():
    seeds = 3000
    found = Counter(frozenset(keys(draw(lines(5), 2, WordRange(), seed))) for seed in range(seeds))
    expected = seeds / 10
    assert set(found) == {frozenset(pair) for pair in combinations([f"news-{n}" for n in range(5)], 2)}
    chi_square = sum((count - expected) ** 2 / expected for count in found.values())
    assert chi_square < 27.9  # 9 degrees of freedom: passed by all but one in a thousand uniform samples


def test_a_seed_always_gives_the_same_sample_whatever_the_order_of_lines():
    once = keys(draw(lines(50), 7, WordRange(), 3))
    assert once == keys(draw(reversed(lines(50)), 7, WordRange(), 3))
    assert once != keys(draw(lines(50), 7, WordRange(), 4))


def test_other_sources_do_not_change_what_is_drawn_of_one():
    both = draw([*lines(30), *lines(30, "mail")], 4, WordRange(), 1)
    assert keys(draw(lines(30), 4, WordRange(), 1)) == [key for key in keys(both) if key.startswith("news")]


def test_only_documents_within_the_range_are_drawn_and_all_are_counted():
    read = [*lines(3, words=9), *lines(4, "mail", 10), *lines(4, "blog", 20), *lines(5, "book", 21)]
    sample = draw(read, 2, WordRange(10, 20), 0)
    counts = {name: (one.read, one.in_range, one.drawn) for name, one in sample.counts.items()}
    assert counts == {"news": (3, 0, 0), "mail": (4, 4, 2), "blog": (4, 4, 2), "book": (5, 0, 0)}
    assert all(10 <= document.words <= 20 for document in sample.documents)


def test_other_keys_of_a_line_are_kept():
    (document,) = draw([(1, {"id": "a", "text": "One two.", "title": "T", "year": 2020})], 1, WordRange(), 0).documents
    assert document.content == {"title": "T", "year": 2020}


@pytest.mark.parametrize(
    ("bodies", "reason"),
    [
        ([{"text": "No id."}], "Line 1, id"),
        ([{"id": "a", "text": " "}], "Line 1, text: must be text"),
        ([{"id": "a", "text": 5}], "must be text"),
        ([{"id": "a", "text": "T", "source": 1}], "source"),
        ([{"id": "a", "text": "T"}, {"id": "a", "text": "U"}], "Line 2: the id 'a' appears twice"),
        ([{"id": "a", "text": "T", "source": "x"}, {"id": "a", "text": "U", "source": "y"}], "two sources"),
    ],
)
def test_a_line_that_is_no_document_is_refused(bodies, reason):
    with pytest.raises(DocumentsRefusedError, match=reason):
        draw(list(enumerate(bodies, start=1)), 5, WordRange(), 0)


def test_the_command_draws_and_tells_the_counts(tmp_path, owner, capsys):
    study = empty_study(tmp_path)
    path = write_documents(tmp_path / "all.jsonl", [document_line(n) for n in range(9)])
    call_command("draw_documents", "draft", str(path), "--per-source", "4", "--fewest", "5", "--seed", "2")
    assert "news: 9 read, 9 in range, 4 drawn" in capsys.readouterr().out
    sample = DocumentSample.objects.get(study=study)
    assert (sample.seed, sample.fewest_words, sample.most_words) == (2, 5, None)
    assert SourceDocument.objects.filter(study=study).count() == 4
    with pytest.raises(CommandError, match="are in the study already"):
        call_command("draw_documents", "draft", str(path), "--per-source", "4", "--seed", "2")


def test_documents_of_sessions_need_papers(tmp_path, db):
    empty_study(tmp_path, "session")
    path = write_documents(tmp_path / "all.jsonl", [document_line(1)])
    with pytest.raises(CommandError, match="documents is missing"):
        call_command("draw_documents", "draft", str(path))


def test_a_file_with_an_invalid_line_draws_nothing(tmp_path, db):
    empty_study(tmp_path)
    path = tmp_path / "all.jsonl"
    path.write_text(json.dumps(document_line(1)) + "\n{broken\n")
    with pytest.raises(CommandError, match="line 2"):
        call_command("draw_documents", "draft", str(path))
    assert not SourceDocument.objects.exists()
