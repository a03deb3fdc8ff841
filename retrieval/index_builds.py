"""The only writer of index builds: queues the index that a study needs and switches searches to it."""

import hashlib
import logging
import secrets
import shutil
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotation.models import Item, Study
from annotation.studies.locking import lock_study
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from config.model_fields import canonical_json
from retrieval.models import IndexBuild
from retrieval.search_errors import SearchError
from retrieval.searchers import DEFAULT, Searcher, searchers

logger = logging.getLogger(__name__)
WORK_KEY = "index_build"
KEPT = 2
"""How many finished builds per study and searcher keep their files."""
UNUSED_AFTER = timedelta(hours=1)
"""By then every search has opened the files of its build; open files can be read after their removal."""


def wanted(study: Study) -> tuple[Searcher, dict[str, Any]]:
    """Return the searcher in the study's options and its settings. Raises SearchError."""
    key = study.options.get("searcher", DEFAULT)
    searcher = searchers().get(key) if isinstance(key, str) else None
    if searcher is None:
        raise SearchError(f"There is no searcher {key!r}. Set the option searcher to {' or '.join(searchers())}.")
    return searcher, searcher.settings(study)


def items_with_papers(study: Study) -> list[tuple[int, str]]:
    """Return the primary key and digest of each item that may have papers, sorted by key."""
    return list(Item.objects.filter(study=study, content__isnull=False).order_by("pk").values_list("pk", "digest"))


def digest_of(searcher: str, settings: dict[str, Any], items: list[tuple[int, str]]) -> str:
    """Return the digest of everything that goes into an index."""
    found = hashlib.sha256(canonical_json([searcher, settings]).encode())
    for pk, digest in items:
        found.update(f"\0{pk}\0{digest}".encode())
    return found.hexdigest()


def ensure_index(study: Study) -> IndexBuild | None:
    """Return the build of the study's current content and settings, queued if there is none yet.

    Returns None if the study has no papers. A failed build is returned as it is; `enqueue_again` retries it. Raises
    SearchError if the study's options name no searcher.
    """
    searcher, settings = wanted(study)
    items = items_with_papers(study)
    if not items:
        return None
    digest = digest_of(searcher.key, settings, items)
    with transaction.atomic():
        lock_study(study.pk)  # so that two requests at once make one build
        builds = IndexBuild.objects.filter(study=study, searcher=searcher.key)
        same = _same(builds.filter(digest=digest))
        if same is not None:
            if same.status == Status.DONE and not same.is_current:
                make_current(same)
            return same
        for older in builds.filter(status__in=WAITING):
            ask_to_stop(works()[WORK_KEY], older)
        newest = builds.order_by("number").last()
        build = IndexBuild.objects.create(
            study=study, searcher=searcher.key, settings=settings, digest=digest, folder=secrets.token_hex(16),
            number=newest.number + 1 if newest else 1,
        )  # fmt: skip
        enqueue(works()[WORK_KEY], build)
    return build


def _same(builds: Any) -> IndexBuild | None:
    """Return the best build of the same digest: current, finished with files, waiting or failed, but not stopped."""
    found = [build for build in builds.order_by("number") if build.status != Status.STOPPED and build.folder]
    found = [build for build in found if build.status != Status.DONE or build.files.is_dir()]
    return max(found, key=lambda build: (build.is_current, build.status == Status.DONE, build.number), default=None)


def make_current(build: IndexBuild) -> None:
    """Switch searches to this finished build. Call this in a transaction."""
    others = IndexBuild.objects.filter(study=build.study_id, searcher=build.searcher, is_current=True)
    others.exclude(pk=build.pk).update(is_current=False)
    IndexBuild.objects.filter(pk=build.pk).update(is_current=True)
    build.is_current = True


def remove_unused(study: Study, searcher: str) -> None:
    """Remove the files of old builds that nobody can be using."""
    builds = IndexBuild.objects.filter(study=study, searcher=searcher).exclude(folder="").order_by("-number")
    kept = set(builds.filter(status=Status.DONE).values_list("pk", flat=True)[:KEPT])
    over = builds.filter(~Q(status__in=WAITING), is_current=False, ended_at__lt=database_now() - UNUSED_AFTER)
    for build in over.exclude(pk__in=kept):
        if IndexBuild.objects.filter(pk=build.pk, is_current=False).update(folder="", edition=""):
            shutil.rmtree(build.place, ignore_errors=True)
            logger.info("removed the files of %s", build)
