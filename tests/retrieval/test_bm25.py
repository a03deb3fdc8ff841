"""BM25: scores computed by hand, stems and stop words, and only the item's own papers."""

import math

import pytest

from annotation.models import Study
from retrieval.bm25_index import tokens
from retrieval.search_errors import IndexNotReadyError, SearchError
from retrieval.searchers import bm25
from retrieval.searching import search, search_many
from tests.retrieval.conftest import PAPERS, add_papers, build_now

pytestmark = pytest.mark.django_db


def ids(found) -> list[tuple[str, int]]:
    return [(hit.document, hit.paragraph) for hit in found.hits]


def test_the_most_relevant_passage_is_found_first(indexed):
    found = search(indexed.items.get(), "When does the night train leave?")
    (first, *_) = found.hits
    assert (first.document, first.paragraph, first.paper, first.rank) == ("trains", 0, 1, 1)
    assert (first.title, first.text) == ("On trains", PAPERS["trains"][0])
    assert (found.searcher, found.index.partition(":")[0]) == ("bm25", "1")
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert sorted((hit.score for hit in found.hits), reverse=True) == [hit.score for hit in found.hits]


def test_scores_follow_the_formula(indexed):
    texts = [text for paragraphs in PAPERS.values() for text in paragraphs if text]
    stems = [tokens(text, "en") for text in texts]
    mean = sum(map(len, stems)) / len(stems)
    wanted = tokens("winter harbour", "en")
    holding = [sum(stem in other for other in stems) for stem in wanted]
    passage = stems[1]
    score = sum(
        math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        * passage.count(stem)
        / (passage.count(stem) + bm25.K1 * (1 - bm25.B + bm25.B * len(passage) / mean))
        for stem, df in zip(wanted, holding, strict=True)
    )
    (hit,) = search(indexed.items.get(), "winter harbour").hits
    assert (hit.document, hit.paragraph) == ("ferries", 1)
    assert hit.score == pytest.approx(score, rel=1e-5)


def test_words_are_stemmed_in_the_study_s_language(db):
    for language, text, query in (("en", "They were sailing.", "sail"), ("de", "Die Häuser brannten.", "Haus")):
        study = Study.objects.create(slug=language, protocol="rating", redundancy=1, language=language)
        item = add_papers(study, "q", {"p": ["Something else.", text]})
        build_now(study)
        assert ids(search(item, query)) == [("p", 1)], language


def test_stop_words_and_empty_queries_find_nothing(indexed):
    item = indexed.items.get()
    for query in ("", "  \n", "what about it and the?", "zyxw", "?!"):
        assert search(item, query).hits == ()


def test_fewer_passages_than_requested_are_all_returned(indexed):
    assert len(search(indexed.items.get(), "ferry train charge winter ticket car", k=100).hits) == 6


@pytest.mark.parametrize("k", [0, -1, 101])
def test_an_invalid_number_of_passages_is_refused(indexed, k):
    with pytest.raises(SearchError, match="1 to 100"):
        search(indexed.items.get(), "ferry", k=k)


def test_equal_scores_keep_the_order_of_the_papers(papers_study):
    same = {"b": ["Whales sing at night.", "Nothing."], "a": ["Sing at night, whales!", "Night: sing, whales."]}
    item = add_papers(papers_study, "whales", same)
    build_now(papers_study)
    for _ in range(3):
        assert ids(search(item, "whales sing", k=2)) == [("b", 0), ("a", 0)]
    assert len({hit.score for hit in search(item, "whales sing").hits}) == 1


def test_only_the_item_s_own_papers_are_searched(papers_study):
    other = add_papers(papers_study, "q2", {"ferries": ["Another paper of the same name: dragons sail."]})
    build_now(papers_study)
    assert ids(search(other, "dragons sail")) == [("ferries", 0)]
    assert search(papers_study.items.first(), "dragons").hits == ()


def test_a_repeated_text_is_found_at_its_first_occurrence(papers_study):
    item = add_papers(papers_study, "twice", {"x": ["Once upon a midnight."], "y": ["Once upon a midnight.", "Bye."]})
    build_now(papers_study)
    assert ids(search(item, "midnight")) == [("x", 0)]


def test_an_item_without_papers_finds_nothing(indexed):
    with pytest.raises(IndexNotReadyError):
        search(add_papers(indexed, "later", {}), "ferry")
    build_now(indexed)
    assert search(indexed.items.get(key="later"), "ferry").hits == ()


def test_an_index_of_papers_without_words_finds_nothing(db):
    study = Study.objects.create(slug="mute", protocol="rating", redundancy=1)
    item = add_papers(study, "q", {"p": ["???", "the of and"]})
    assert build_now(study).status == "done"
    assert search(item, "ferry").hits == ()


def test_several_queries_at_once_give_the_same_results_as_one_by_one(indexed):
    item = indexed.items.get()
    queries = ["ferry", "", "train", "charge"]
    assert search_many(item, queries) == tuple(search(item, query) for query in queries)


def test_a_query_has_no_syntax(indexed):
    item = indexed.items.get()
    for query in ("ferry" * 10_000, "\x00 ferry", "🙂 ferry OR (", "../ferry", "{{ferry}}"):
        assert all(hit.document in PAPERS for hit in search(item, query).hits)
