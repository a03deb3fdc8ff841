"""Builds an index: continues after a kill, and shows nothing before it is complete.

Parts are named by the digest of their texts and appear in the build's folder when they are complete. The finished index
is assembled in a folder that only this attempt knows, flushed to the disk, and named in the write that ends the row.
So two workers with the same build do no harm to each other.
"""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from importlib import import_module
from itertools import islice
from pathlib import Path

from annotation.models import Item
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from config.disk_sync import sync
from retrieval.index_builds import WORK_KEY, digest_of, items_with_papers, make_current, remove_unused
from retrieval.models import IndexBuild
from retrieval.numbering import Numbering, new_texts
from retrieval.papers import papers_of
from retrieval.search_errors import SearchError
from retrieval.searchers import Searcher, searchers

PARTS = "parts"
ITEMS_AT_ONCE = 50
RENEW_EVERY = 500
NO_PAPERS = "The study's papers have no text."


def build(claim: Claim) -> None:
    """Build the index of the study's current papers."""
    row: IndexBuild = claim.row
    searcher = searchers()[row.searcher]
    try:
        searcher.check(row.settings)
        items = items_with_papers(row.study)
        numbering = _number_texts(claim, [pk for pk, _ in items])
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
    """Yield the primary key and the texts of all passages of each item, and renew the lease meanwhile."""
    for start in range(0, len(keys), ITEMS_AT_ONCE):
        for item in Item.objects.filter(pk__in=keys[start : start + ITEMS_AT_ONCE]).order_by("pk"):
            yield item.pk, [text for paper in papers_of(item) for text in paper.paragraphs]
        if start and start % RENEW_EVERY == 0:
            claim.renew()


def _number_texts(claim: Claim, keys: Sequence[int]) -> Numbering:
    numbering = Numbering()
    for pk, texts in _texts(claim, keys):
        numbering.add(pk, texts)
    return numbering


def _write_parts(claim: Claim, searcher: Searcher, numbering: Numbering) -> list[Path]:
    """Return all parts in the order of rows; parts that exist here or in an earlier build are reused."""
    row: IndexBuild = claim.row
    folder = row.place / PARTS
    folder.mkdir(mode=0o750, parents=True, exist_ok=True)
    earlier = _earlier_parts(row)
    texts = (text for _, texts in _texts(claim, numbering.items) for text in texts)
    found, done = [], 0
    for batch in _batches(new_texts(numbering, texts), searcher.part_passages):
        path = folder / (_part_name(batch) + searcher.part_suffix)
        if not path.exists() and not _link_part(path, earlier):
            claim.renew()
            _write_part(path, searcher, batch, claim)
        found.append(path)
        done += len(batch)
        claim.update(done=done)
    _sync_folder(folder)
    return found


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    source = iter(texts)
    while batch := list(islice(source, size)):
        yield batch


def _part_name(texts: Sequence[str]) -> str:
    found = hashlib.blake2b(digest_size=16)
    for text in texts:
        found.update(hashlib.blake2b(text.encode(), digest_size=16).digest())
    return found.hexdigest()


def _write_part(path: Path, searcher: Searcher, batch: Sequence[str], claim: Claim) -> None:
    aside = path.with_name(f"{claim.token.hex}{searcher.part_suffix}")
    with claim.kept_alive():
        searcher.write_part(aside, batch, claim.row.settings)
    sync(aside)  # before it gets its name, so that a named part is complete even after a power cut
    os.replace(aside, path)


def _earlier_parts(row: IndexBuild) -> list[Path]:
    """Return the parts folders of earlier builds with the same settings."""
    builds = IndexBuild.objects.filter(study=row.study_id, searcher=row.searcher, settings=row.settings)
    builds = builds.exclude(pk=row.pk).exclude(folder="").order_by("-number")
    return [earlier.place / PARTS for earlier in builds]


def _link_part(path: Path, folders: Sequence[Path]) -> bool:
    """Link the part from one of `folders`; return False if none has it."""
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
    """Write the finished index into a folder of this attempt alone, and return its name."""
    claim.renew()
    edition = claim.token.hex
    folder = claim.row.place / edition
    folder.mkdir(mode=0o750)
    with claim.kept_alive():
        searcher.assemble(folder, parts, claim.row.settings)
    import_module("retrieval.index_layout").layout_of(numbering).save(folder)  # numpy, which idle workers do without
    _sync_folder(folder)
    _sync_folder(folder.parent)
    claim.renew()
    return edition


def _sync_folder(folder: Path) -> None:
    """Flush all files of a folder, and the folder, to the disk."""
    for path in [*(path for path in folder.iterdir() if path.is_file()), folder]:
        sync(path)


def _leave_only(place: Path, names: set[str]) -> None:
    """Remove what killed attempts left behind."""
    for path in place.iterdir():
        if path.name in names:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


WORK = Work(key=WORK_KEY, model=IndexBuild, run=build, queue="jobs", lease=timedelta(minutes=2))
