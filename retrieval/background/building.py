"""Building an index: what is there after a kill is gone on with, and nobody sees it before it is whole.

Parts are named by the digest of their texts and appear whole, under their name, in the build's folder. The finished
index is assembled in a folder that only this attempt knows, synced, and named in the write that ends the row. So two
workers with the same build, the first thought dead, do each other no harm.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path

from annotation.models import Item
from config.background.claiming import Claim
from config.background.work import GiveUpError, Work
from retrieval.errors import SearchError
from retrieval.indexing import WORK_KEY, digest_of, items_with_papers, make_current, remove_unused
from retrieval.layout import Numbering, new_texts, sync, sync_folder
from retrieval.models import IndexBuild
from retrieval.papers import papers_of
from retrieval.searchers import Searcher, searchers

PARTS = "parts"
ITEMS_AT_ONCE = 50
RENEW_EVERY = 500
NO_PAPERS = "The study's items hold no papers with text."


def build(claim: Claim) -> None:
    """Build the index of a study as it is now."""
    row: IndexBuild = claim.row
    searcher = searchers()[row.searcher]
    try:
        searcher.check(row.settings)
        items = items_with_papers(row.study)
        numbering = _numbered(claim, [pk for pk, _ in items])
        if not numbering.known:
            raise GiveUpError(NO_PAPERS)
        claim.update(total=len(numbering.known), done=0, digest=digest_of(row.searcher, row.settings, items))
        parts = _write_parts(claim, searcher, numbering)
        edition = _assemble(claim, searcher, numbering, parts)
    except SearchError as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish(edition=edition):
        make_current(row)
    _leave_only(row.place, {PARTS, edition})
    _leave_only(row.place / PARTS, {part.name for part in parts})
    remove_unused(row.study, row.searcher)


def _texts(claim: Claim, keys: Sequence[int]) -> Iterator[tuple[int, list[str]]]:
    """(primary key, texts of all passages) of each item; gives signs of life on the way."""
    for start in range(0, len(keys), ITEMS_AT_ONCE):
        for item in Item.objects.filter(pk__in=keys[start : start + ITEMS_AT_ONCE]).order_by("pk"):
            yield item.pk, [text for paper in papers_of(item) for text in paper.paragraphs]
        if start and start % RENEW_EVERY == 0:
            claim.renew()


def _numbered(claim: Claim, keys: Sequence[int]) -> Numbering:
    numbering = Numbering()
    for pk, texts in _texts(claim, keys):
        numbering.add(pk, texts)
    return numbering


def _write_parts(claim: Claim, searcher: Searcher, numbering: Numbering) -> list[Path]:
    """All parts in the order of rows; those that are there, or that an earlier build has, are not made again."""
    row: IndexBuild = claim.row
    folder = row.place / PARTS
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    earlier = _earlier_parts(row)
    texts = (text for _, texts in _texts(claim, numbering.items) for text in texts)
    found, done = [], 0
    for batch in _batches(new_texts(numbering, texts), searcher.part_passages):
        path = folder / (_name_of(batch) + searcher.part_suffix)
        if not path.exists() and not _linked(path, earlier):
            claim.renew()
            _write_whole(path, searcher, batch, claim)
        found.append(path)
        done += len(batch)
        claim.update(done=done)
    sync_folder(folder)
    return found


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    source = iter(texts)
    while batch := list(islice(source, size)):
        yield batch


def _name_of(texts: Sequence[str]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for text in texts:
        found.update(hashlib.blake2b(text.encode(), digest_size=16).digest())
    return found.hexdigest()


def _write_whole(path: Path, searcher: Searcher, batch: Sequence[str], claim: Claim) -> None:
    aside = path.with_name(f"{claim.token.hex}{searcher.part_suffix}")
    with claim.kept():
        searcher.write_part(aside, batch, claim.row.settings)
    sync(aside)  # before it has its name: a part that is there is whole, even after the power went
    os.replace(aside, path)


def _earlier_parts(row: IndexBuild) -> list[Path]:
    """The folders of parts that earlier builds with the same settings left."""
    builds = IndexBuild.objects.filter(study=row.study_id, searcher=row.searcher, settings=row.settings)
    builds = builds.exclude(pk=row.pk).exclude(folder="").order_by("-number")
    return [earlier.place / PARTS for earlier in builds]


def _linked(path: Path, folders: Sequence[Path]) -> bool:
    """Whether one of `folders` had the part, which is now here as well."""
    for folder in folders:
        try:
            os.link(folder / path.name, path)
        except FileNotFoundError:
            continue
        except FileExistsError:
            return True
        return True
    return False


def _assemble(claim: Claim, searcher: Searcher, numbering: Numbering, parts: Sequence[Path]) -> str:
    """Write the finished index into a folder of this attempt's own, whose name is returned."""
    claim.renew()
    edition = claim.token.hex
    folder = claim.row.place / edition
    folder.mkdir(mode=0o750)
    with claim.kept():
        searcher.assemble(folder, parts, claim.row.settings)
    numbering.layout().save(folder)
    sync_folder(folder)
    sync_folder(folder.parent)
    claim.renew()
    return edition


def _leave_only(place: Path, names: set[str]) -> None:
    """Remove what killed attempts left."""
    for path in place.iterdir():
        if path.name in names:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


WORK = Work(key=WORK_KEY, model=IndexBuild, run=build, queue="jobs", lease=timedelta(minutes=2))
